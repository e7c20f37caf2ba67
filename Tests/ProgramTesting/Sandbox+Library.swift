package import Foundation

/// The C library as `make install` leaves it, in a sandbox.
extension Sandbox {
  /// Where the library, its headers and its pkg-config file are once they are installed.
  package var prefix: URL { folder.appending(path: "prefix") }

  /// Installs what was built for release, as `make install` does.
  package func installLibrary() throws -> Result {
    try run(Project.root.appending(path: "Scripts/install").path, "", prefix.path)
  }

  /// Compiles C files with what pkg-config says of the library, and nothing else of the project.
  ///
  /// The program becomes `folder`/`name`.
  package func compile(
    _ sources: [URL], as name: String, compiler: String = "cc",
    flags: [String] = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1", "-g"]
  ) throws -> Result {
    let configuration = try run(
      "pkg-config", "--cflags", "--libs", "credentialvault",
      environment: ["PKG_CONFIG_PATH": prefix.appending(path: "lib/pkgconfig").path])
    guard configuration.status == 0 else { return configuration }
    let library = configuration.output.split(whereSeparator: \.isWhitespace).map(String.init)
    return try run(
      [compiler] + flags + sources.map(\.path) + ["-o", folder.appending(path: name).path]
        + library)
  }
}
