import Glibc
import SecureMemory
import VaultStore
import VaultModel
import VaultTerminal

/// A file of another program's configuration, which may hold secrets of its own.
struct SetupFile {
  let path: String

  /// Returns the contents; nil if there is no file.
  ///
  /// - Throws: ``VaultError/Code/unsafePermissions`` if it belongs to another user;
  ///   ``VaultError/Code/configuration`` if it is not a file or cannot be read;
  ///   ``VaultError/Code/tooLarge``.
  func read() throws(VaultError) -> Secret? {
    // NONBLOCK: opening a pipe must not wait. A C string during the call.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      guard errno != ENOENT, errno != ENOTDIR else { return nil }
      throw VaultError(.configuration, "\(path) cannot be read", underlying: .errno(errno))
    }
    defer { close(descriptor) }
    var status = stat()
    // The structure is ours.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw VaultError(.configuration, "\(path) is not a file")
    }
    guard status.st_uid == geteuid() else {
      throw VaultError(.unsafePermissions, "\(path) belongs to another user")
        .about(.access(.takeOwnership(path: path, of: .file)))
    }
    return try SecretInput.readAll(from: descriptor)
  }

  /// Replaces the file, or the target of a symbolic link, in one step, and keeps its mode; a new
  /// one has the mode 0600, and missing folders are made with 0700.
  ///
  /// - Parameter pieces: The contents, one after the other.
  /// - Throws: ``VaultError/Code/cannotCreate``, and the file is then as it was.
  func replace(with pieces: [Secret]) throws(VaultError) {
    try makeFolders()
    var (target, mode) = (path, mode_t(0o600))
    // realpath gives a string of its own, freed here.
    if let resolved = unsafe realpath(path, nil) {
      target = unsafe String(cString: resolved)
      unsafe free(resolved)
    } else {
      // A link to nowhere may lead somewhere once a disk is there.
      var status = stat()
      // The structure is ours.
      guard unsafe lstat(path, &status) != 0 else { throw failure }
    }
    var status = stat()
    // The structure is ours.
    if unsafe stat(target, &status) == 0 { mode = status.st_mode & 0o777 }
    do throws(VaultError) {
      let draft = try Draft(for: VaultPath(target), .anywhere)
      try draft.fill { (descriptor) throws(VaultError) in
        for piece in pieces {
          try piece.withRawBytes { (bytes) throws(VaultError) in
            try Descriptor.write(bytes, to: descriptor)
          }
        }
        guard fchmod(descriptor, mode) == 0 else { throw failure }
      }
      try draft.replace(target)
    } catch {
      throw VaultError(
        .cannotCreate, "\(path) cannot be written", underlying: error.underlying ?? .errno(ENOENT))
    }
  }

  /// Removes the file; a symbolic link and its target stay, and the target gets `rest`.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  func remove(leaving rest: String) throws(VaultError) {
    var status = stat()
    // The structure is ours, and the path a C string during the calls.
    guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
      guard unsafe unlink(path) == 0 else { throw failure }
      return
    }
    try replace(with: [Secret(rest)])
  }

  private var failure: VaultError {
    VaultError(.cannotCreate, "\(path) cannot be written", underlying: .errno(errno))
  }

  private func makeFolders() throws(VaultError) {
    var folder = ""
    for name in path.split(separator: "/").dropLast() {
      folder += "/\(name)"
      // A C string during the call.
      guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST || errno == EROFS
      else { throw failure }
    }
  }
}

/// Parts of a file's contents.
extension Secret {
  /// The bytes as text, for contents that are not secret.
  var text: String {
    withRawBytes { bytes in
      // The buffer is valid inside the closure.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Returns the byte at an index; nil beyond the end.
  func byte(at index: Int) -> UInt8? {
    guard index >= 0, index < count else { return nil }
    // Below the count, as was just checked.
    return withRawBytes { unsafe $0.unsafeLoad(fromByteOffset: index, as: UInt8.self) }
  }

  /// Returns some of the bytes, as a secret of their own.
  func slice(_ range: Range<Int>) -> Secret {
    withRawBytes { Secret(copying: $0.extracting(range)) }
  }

  /// Returns where a text first begins, at an index or after it; nil if it is not there.
  func index(of text: String, from start: Int = 0) -> Int? {
    let text = Array(text.utf8)
    var index = start
    while index + text.count <= count {
      if text.indices.allSatisfy({ byte(at: index + $0) == text[$0] }) { return index }
      index += 1
    }
    return nil
  }
}
