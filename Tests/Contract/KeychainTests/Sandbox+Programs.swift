import Foundation
import ProgramTesting
import Testing

extension Sandbox {
  /// Compiles one of `Programs/`, as its author would on a Mac, and fails on any warning.
  func compileForKeychain(
    _ name: String, compiler: String = "gcc", language: String = "c", flags: [String] = []
  ) throws {
    let source = Project.root.appending(path: "Tests/Contract/KeychainTests/Programs/\(name).c")
    let compat = prefix.appending(path: "include/credentialvault/compat").path
    let warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    let result = try compile(
      [source], as: name, compiler: compiler,
      flags: flags + warnings + ["-g", "-I\(compat)", "-x", language])
    try #require(result.status == 0, Comment(rawValue: result.errors))
  }

  /// Runs a compiled program.
  func runProgram(
    _ name: String, _ words: String..., input: String = "", by runner: [String] = []
  ) throws -> Result {
    try run(runner + [folder.appending(path: name).path] + words, input: input)
  }
}
