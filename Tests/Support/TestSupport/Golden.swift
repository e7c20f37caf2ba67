public import Foundation

/// The golden vaults, and the second implementation that made them.
public enum Golden: Sendable {
  /// The folder of the second implementation.
  public static let implementation = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Contract/Golden").path
  /// The folder of the vaults of format 1, with their keys and listings.
  public static let folder = "\(implementation)/Vaults/format-1"

  /// Returns the names of the vaults.
  public static func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".vault") }.map { String($0.dropLast(6)) }.sorted()
  }

  /// Returns the names of those that are not replicas, which only a program with a server writes.
  public static func namesWithoutServer() throws -> [String] {
    try names().filter { $0 != "fleet" }
  }

  /// Returns the content of a golden vault.
  public static func listing(_ name: String) throws -> JSON {
    try JSONDecoder().decode(
      JSON.self, from: Data(contentsOf: URL(filePath: "\(folder)/\(name).json")))
  }

  /// The second implementation's reason to refuse a vault.
  public struct Refusal: Error, CustomStringConvertible {
    /// The reason.
    public let description: String

    /// Creates a refusal.
    public init(description: String) {
      self.description = description
    }
  }

  /// Reads and verifies a whole vault with the second implementation.
  ///
  /// - Parameters:
  ///   - path: The vault's.
  ///   - credential: The options that name what opens it.
  /// - Returns: Its listing.
  /// - Throws: A ``Refusal`` with its reason.
  public static func read(_ path: String, _ credential: [String]) throws -> JSON {
    let output = try run("vaultformat.py", ["open", path, "--json"] + credential)
    return try JSONDecoder().decode(JSON.self, from: output)
  }

  /// Runs one of the second implementation's programs.
  ///
  /// - Returns: Its output.
  @discardableResult
  public static func run(_ name: String, _ arguments: [String]) throws -> Data {
    try python(["\(implementation)/\(name)"] + arguments)
  }

  /// Runs a program that is given as text.
  ///
  /// - Returns: Its output.
  public static func run(script: String, _ arguments: [String]) throws -> Data {
    try python(["-c", script] + arguments)
  }

  private static func python(_ words: [String]) throws -> Data {
    let program = Process()
    program.executableURL = URL(filePath: "/usr/bin/python3")
    program.arguments = ["-B"] + words
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
