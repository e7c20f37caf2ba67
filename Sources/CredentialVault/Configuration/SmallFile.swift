import Glibc
import VaultFile
package import VaultModel

/// A small file of text that programs of this user trust: nobody but the user and root may have
/// written it.
package enum SmallFile {
  /// Returns the contents of a file; nil if it does not exist.
  ///
  /// A file in a folder that this user may not enter counts as missing, since it cannot be this
  /// user's: programs that changed their user often keep the HOME of the previous one.
  ///
  /// - Throws: ``VaultError/Code/unsafePermissions`` if others could have written it;
  ///   ``VaultError/Code/configuration`` if it is no file, too long or cannot be read.
  package static func read(_ path: String, atMost limit: Int) throws(VaultError) -> [UInt8]? {
    // NONBLOCK: opening a pipe must not wait.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      let number = errno
      if number == ENOENT || number == ENOTDIR { return nil }
      if number == EACCES, FileStatus(at: path) == nil { return nil }
      throw VaultError(.configuration, "\(path) cannot be read", underlying: .errno(number))
    }
    defer { close(descriptor) }
    try FolderCheck.run(on: path)
    guard let status = FileStatus(of: descriptor), status.isRegularFile else {
      throw VaultError(.configuration, "\(path) is not a file")
    }
    guard status.owner == geteuid() || status.owner == 0 else {
      throw VaultError(.unsafePermissions, "\(path) belongs to another user")
        .about(.access(.takeOwnership(path: path, of: .file)))
    }
    guard status.mode & 0o022 == 0 else {
      throw VaultError(.unsafePermissions, "\(path) can be written by others")
        .about(.access(.takeOwnership(path: path, of: .file)))
    }
    guard status.byteCount <= limit else {
      throw VaultError(.configuration, "\(path) is longer than \(limit) bytes")
    }
    var bytes = [UInt8](repeating: 0, count: status.byteCount)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe pread(descriptor, buffer.baseAddress, buffer.count, 0)
    }
    guard count >= 0 else {
      throw VaultError(.configuration, "\(path) cannot be read", underlying: .errno(errno))
    }
    return Array(bytes.prefix(count))
  }

  /// Replaces a file, or the target of a symbolic link, in one step.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``; the file is then as it was.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(VaultError) {
    var target = path
    if let resolved = unsafe realpath(path, nil) {
      // realpath gave a string of its own, freed here.
      target = unsafe String(cString: resolved)
      unsafe free(resolved)
    }
    let place = try VaultPath(target)
    let temporary = place.temporary()
    try Posix.createFile(temporary)
    do throws(VaultError) {
      try write(bytes, to: temporary)
      guard unsafe rename(temporary, target) == 0 else {
        throw Posix.failure(target, .cannotCreate)
      }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    try place.synchronizeFolder()
  }

  private static func write(_ bytes: [UInt8], to path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Posix.failure(path, .cannotCreate) }
    defer { close(descriptor) }
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    guard count == bytes.count, fsync(descriptor) == 0 else {
      throw Posix.failure(path, .cannotCreate)
    }
  }
}
