import Glibc
public import VaultModel

/// A small file of text that programs of this user trust: nobody but the user and root may have
/// written it.
public enum SmallFile: Sendable {
  /// Returns the contents of a file; nil if it does not exist.
  ///
  /// A file in a folder that this user may not enter counts as missing, since it cannot be this
  /// user's: programs that changed their user often keep the HOME of the previous one.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - limit: The length in bytes that is accepted.
  /// - Returns: The bytes.
  /// - Throws: ``VaultError/Code/unsafePermissions`` if others could have written it;
  ///   ``VaultError/Code/configuration`` if it is not a file, too long or cannot be read.
  public static func read(_ path: String, atMost limit: Int) throws(VaultError) -> [UInt8]? {
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
  /// - Parameters:
  ///   - path: The file.
  ///   - bytes: Its new contents.
  ///   - time: When it counts as written; nil for now.
  /// - Throws: ``VaultError/Code/cannotCreate``; the file is then as it was.
  public static func replace(
    _ path: String, with bytes: [UInt8], modified time: Timestamp? = nil
  ) throws(VaultError) {
    var target = path
    if let resolved = unsafe realpath(path, nil) {
      // realpath gave a string of its own, freed here.
      target = unsafe String(cString: resolved)
      unsafe free(resolved)
    }
    let place = try VaultPath(target)
    // Nothing in it is secret, so it may be where files have no mode.
    let draft = try Draft(for: place, .anywhere)
    try draft.fill { (descriptor) throws(VaultError) in try write(bytes, to: descriptor, target) }
    if let time { try setTime(of: draft.path.path, to: time) }
    try draft.replace(target)
    try place.synchronizeFolder()
  }

  /// Returns the time at which a file was written, or counts as that; nil if there is none.
  public static func time(of path: String) -> Timestamp? {
    var status = stat()
    // The path is a C string during the call, and the structure is ours.
    guard unsafe stat(path, &status) == 0 else { return nil }
    let seconds = Int64(status.st_mtim.tv_sec)
    return Timestamp(milliseconds: seconds * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000)
  }

  /// Sets the time at which a file counts as written.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  package static func setTime(of path: String, to time: Timestamp) throws(VaultError) {
    let (seconds, rest) = time.milliseconds.quotientAndRemainder(dividingBy: 1000)
    let modified = timespec(tv_sec: Int(seconds), tv_nsec: Int(max(0, rest)) * 1_000_000)
    // The path is a C string during the call, which reads two times, also that of the last access.
    guard unsafe utimensat(AT_FDCWD, path, [modified, modified], 0) == 0 else {
      throw Posix.failure(path, .cannotCreate)
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, _ path: String
  ) throws(VaultError) {
    let count = unsafe bytes.withUnsafeBytes {
      unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
    }
    guard count == bytes.count else { throw Posix.failure(path, .cannotCreate) }
  }
}
