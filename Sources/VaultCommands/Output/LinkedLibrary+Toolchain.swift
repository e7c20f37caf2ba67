import CVaultToolchain
import VaultModel

extension LinkedLibrary {
  /// The libraries that the linker adds to a static program: the compilers', and libidn2's own.
  static var ofToolchain: [LinkedLibrary] {
    let gcc = "\(vault_gcc_release())"
    return [
      LinkedLibrary("libunistring", version: unistring),
      LinkedLibrary("Swift", version: swift),
      LinkedLibrary("libstdc++", version: gcc),
      LinkedLibrary("libgcc", version: gcc),
    ]
  }

  /// Without the third number, which releases of Swift leave as it was.
  private static var swift: String {
    "\(_SwiftStdlibVersion.current)".split(separator: ".").prefix(2).joined(separator: ".")
  }

  private static var unistring: String {
    let value = vault_libunistring_version()
    let (major, minor, third) = (value >> 16, value >> 8 & 0xFF, value & 0xFF)
    return third == 0 ? "\(major).\(minor)" : "\(major).\(minor).\(third)"
  }
}
