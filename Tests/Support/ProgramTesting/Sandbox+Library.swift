package import Foundation

/// The C library as `make install` installs it, in a sandbox.
extension Sandbox {
  /// The installation folder of the library, its headers and its pkg-config file.
  package var prefix: URL { folder.appending(path: "prefix") }

  /// Installs the release build, as `make install` does.
  package func installLibrary() throws -> Result {
    try run(Project.root.appending(path: "Scripts/install").path, "", prefix.path)
  }

  /// Compiles C files with the flags that pkg-config reports for the library, and nothing else of
  /// the project.
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
