import CredentialVault
import Foundation
import ProgramTesting

/// The C library as `make install` installs it, and programs that are built against it.
final class CInstallation: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Shared by all tests; the programs of one do not see those of another.
  static let shared = Result { try CInstallation() }

  let sandbox: Sandbox
  let prefix: String

  private init() throws {
    sandbox = try Sandbox()
    prefix = sandbox.prefix.path
    let library = Project.root.appending(path: ".build/shipped/release/libcredentialvault.so").path
    guard FileManager.default.fileExists(atPath: library) else {
      throw Failure(description: "the C library is not built: run `make release` before")
    }
    let installed = try sandbox.installLibrary()
    guard installed.status == 0 else { throw Failure(description: installed.errors) }
  }

  /// The installed library.
  var library: String { "\(prefix)/lib/libcredentialvault.so.0" }

  /// Runs a program and returns its output; a failure of it is an error.
  func output(_ words: [String], limit: Int = 120) throws -> String {
    let result = try sandbox.run(words, limit: limit)
    guard result.status == 0 else {
      throw Failure(
        description: "\(words.joined(separator: " ")): status \(result.status)\n\(result.errors)")
    }
    return result.output
  }

  /// Returns the flags that pkg-config reports for the library.
  func flags(_ options: String...) throws -> [String] {
    try output(
      ["env", "PKG_CONFIG_PATH=\(prefix)/lib/pkgconfig", "pkg-config"] + options
        + ["credentialvault"]
    ).split(whereSeparator: \.isWhitespace).map(String.init)
  }

  /// Compiles a C program of `Programs/`, or a text that may include files from there, and fails on
  /// any warning.
  ///
  /// - Returns: The program's path.
  func program(
    _ name: String, text: String? = nil,
    compiler: [String] = ["gcc", "-std=c11", "-D_GNU_SOURCE"]
  ) throws -> String {
    let programs = Project.root.appending(path: "Tests/Contract/CInterfaceTests/Programs").path
    var source = "\(programs)/\(name).c"
    if let text {
      source = sandbox.folder.appending(path: "\(name)-\(UUID().uuidString).c").path
      try Data(text.utf8).write(to: URL(filePath: source))
    }
    let program = sandbox.folder.appending(path: "\(name)-\(UUID().uuidString)").path
    _ = try output(
      compiler + ["-Wall", "-Wextra", "-Werror", "-g", "-I\(programs)", source, "-o", program]
        + flags("--cflags", "--libs") + ["-pthread"])
    return program
  }

  /// Creates a new folder for a program's vaults.
  func folder() throws -> String {
    let folder = sandbox.folder.appending(path: "vaults-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    return folder.path
  }

  /// Runs a program with an environment of only a key file and a home, by way of a runner if one is
  /// given.
  func run(
    _ program: String, _ arguments: [String], by runner: [String] = []
  ) throws -> Sandbox.Result {
    let folder = try folder()
    let key = "\(folder)/key"
    try KeyFile.create(at: key)
    return try sandbox.run(
      ["/usr/bin/env", "-i", "HOME=\(folder)", "VAULTCTL_KEY_FILE=\(key)"] + runner + [program]
        + arguments + [folder], limit: 600)
  }
}
