import Foundation

/// A folder of a test's own, 0700, removed at its end; in memory if the system has such a place.
package final class Folder: Sendable {
  package let path: String

  package init() throws {
    let parent = FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm" : "/tmp"
    path = "\(parent)/vault-attack-\(UUID().uuidString)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    do {
      try FileManager.default.removeItem(atPath: path)
    } catch {
      // Anything that is left is in a folder for temporary files.
    }
  }

  package func callAsFunction(_ name: String) -> String {
    "\(path)/\(name)"
  }

  /// Returns the names of everything in the folder, sorted.
  ///
  /// - Parameter name: A folder in it; none for itself.
  /// - Returns: Names without paths.
  /// - Throws: `CocoaError` if there is no such folder.
  package func contents(of name: String = "") throws -> [String] {
    try File.names(in: "\(path)/\(name)")
  }
}

/// Plain files, read and written whole; never a vault that this process has open (POSIX locks).
package enum File {
  /// Returns the names of everything in a folder, sorted.
  package static func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  package static func read(_ path: String) throws -> [UInt8] {
    guard let file = unsafe fopen(path, "rb") else { throw CocoaError(.fileReadNoSuchFile) }
    // The stream is open until the end of this function.
    defer { unsafe fclose(file) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe fread(&block, 1, block.count, file)
      if count == 0 { return bytes }
      bytes += block[..<count]
    }
  }

  package static func write(_ bytes: [UInt8], to path: String, mode: UInt32 = 0o600) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    defer { close(descriptor) }
    guard fchmod(descriptor, mode) == 0 else { throw CocoaError(.fileWriteNoPermission) }
    // The buffer is as long as what is written.
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    guard count == bytes.count else { throw CocoaError(.fileWriteOutOfSpace) }
  }

  package static func exists(_ path: String) -> Bool {
    unsafe access(path, F_OK) == 0
  }
}
