import Foundation
import TestSupport

/// The golden vaults, and the second implementation that made them.
enum Golden {
  static let tests = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  static let folder = "\(tests)/Unit/VaultStorageTests/Vaults/format-1"

  /// Returns the names of the vaults.
  static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".vault") }.map { String($0.dropLast(6)) }.sorted()
  }

  /// Returns the names of those that are not replicas, which only a program with a server writes.
  static func namesWithoutServer() throws -> [String] { try names().filter { $0 != "fleet" } }

  /// Returns the content of a golden vault.
  static func listing(_ name: String) throws -> JSON {
    try JSONDecoder().decode(
      JSON.self, from: Data(contentsOf: URL(filePath: "\(folder)/\(name).json")))
  }

  /// The second implementation's reason to refuse a vault.
  struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads and verifies a whole vault with the second implementation.
  static func read(_ fixture: Fixture) throws -> JSON {
    try read(fixture.path, ["--key-file", fixture.keyPath])
  }

  static func read(_ path: String, _ credential: [String]) throws -> JSON {
    let output = try run("vaultformat.py", ["open", path, "--json"] + credential)
    return try JSONDecoder().decode(JSON.self, from: output)
  }

  /// Runs one of the second implementation's programs.
  ///
  /// - Returns: Its output.
  @discardableResult
  static func run(_ name: String, _ arguments: [String]) throws -> Data {
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/env")
    program.arguments = ["python3", "-B", "\(tests)/Contract/Golden/\(name)"] + arguments
    // The output may be longer than a pipe holds, so nothing may wait for the end first; an error
    // is one line.
    let (output, errors) = (Pipe(), Pipe())
    program.standardOutput = output
    program.standardError = errors
    try program.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    program.waitUntilExit()
    let complaint = try errors.fileHandleForReading.readToEnd() ?? Data()
    guard program.terminationStatus == 0, complaint.isEmpty else {
      throw Refusal(description: String(decoding: complaint, as: UTF8.self))
    }
    return data
  }
}
