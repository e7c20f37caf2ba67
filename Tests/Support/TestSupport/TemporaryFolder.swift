import Foundation
import Glibc

/// A folder of one test, 0700, that is removed with its last reference.
public final class TemporaryFolder: Sendable {
  /// Its path.
  public let path: String

  /// Makes a folder in another one.
  ///
  /// - Parameter parent: That folder; nil for the one of temporary files.
  /// - Throws: The system's error if it cannot be made.
  public init(in parent: String? = nil) throws {
    let parent = parent ?? FileManager.default.temporaryDirectory.path
    path = "\(parent)/vault-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A leftover of a test is not worth failing for.
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Returns the path of a file in the folder.
  public func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Copies a file into the folder, 0600.
  ///
  /// - Returns: Its path there.
  public func copy(_ source: String, as name: String) throws -> String {
    try write(bytes(source), as: name)
  }

  /// Writes a file in the folder, 0600.
  ///
  /// - Returns: Its path there.
  public func write(_ content: some Collection<UInt8>, as name: String) throws -> String {
    let target = file(name)
    try Data(content).write(to: URL(filePath: target))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
    return target
  }

  /// Returns the bytes of a file, wherever it is.
  public func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path)))
  }
}

/// The state folder of tests, so that records of their vaults are not among the user's own.
public enum StateFolder: Sendable {
  /// Gives this process a state folder of its own, once.
  public static func useOwn() {
    _ = folder
  }

  private static let folder: TemporaryFolder? = {
    let folder = try? TemporaryFolder()
    // setenv copies both strings. `CTestEnvironment` made the variable: a new one would not be safe
    // beside readers of others.
    unsafe setenv("XDG_STATE_HOME", folder?.path ?? "", 1)
    return folder
  }()
}

/// The folder of a login, in which processes share sessions: in memory, as they want it.
public enum LoginFolder: Sendable {
  /// Gives this process a folder of its own, once, as ``StateFolder/useOwn()`` does.
  public static func useOwn() {
    _ = folder
  }

  private static let folder: TemporaryFolder? = {
    let folder = try? TemporaryFolder(in: "/dev/shm")
    // As above.
    unsafe setenv("XDG_RUNTIME_DIR", folder?.path ?? "", 1)
    return folder
  }()
}
