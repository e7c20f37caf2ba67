import CVaultSystem
import Glibc
package import VaultModel

/// The few system calls for a vault's file, with errors.
package enum Posix {
  /// Returns the error of a failed call; without a code, `errno` determines it.
  package static func failure(
    _ context: String, _ code: VaultError.Code? = nil, number: Int32 = errno
  ) -> VaultError {
    let meaning: VaultError.Code =
      switch number {
      case ENOENT, ENOTDIR: .vaultNotFound
      case EACCES, EPERM: .unsafePermissions
      case ELOOP: .unsafePermissions
      case EROFS: .readOnly
      default: .inputOutput
      }
    return VaultError(code ?? meaning, context, underlying: .errno(number))
  }

  /// Returns information about `path` without following symbolic links; nil if it does not exist.
  package static func information(_ path: String) throws(VaultError) -> FileStatus? {
    if let status = FileStatus(at: path) { return status }
    guard errno == ENOENT else { throw failure(path) }
    return nil
  }

  /// Returns whether a path names a folder, following symbolic links.
  package static func isFolder(_ path: String) throws(VaultError) -> Bool {
    var information = stat()
    guard unsafe stat(path, &information) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw failure(path) }
      return false
    }
    return information.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the names of all entries in a folder, in no order.
  package static func names(in folder: String) throws(VaultError) -> [String] {
    guard let stream = unsafe opendir(folder) else { throw failure(folder, .inputOutput) }
    // The stream is open until the end of this function.
    defer { unsafe closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      // The name ends in NUL within the entry, which is valid until the next call.
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
        unsafe String(validatingCString: UnsafeRawPointer(name).assumingMemoryBound(to: CChar.self))
      }
      if let name { names.append(name) }
    }
    return names
  }

  /// Makes created, renamed or removed entries of a folder durable.
  package static func synchronize(folder path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, .inputOutput) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path, .inputOutput) }
  }

  /// Makes the contents of a finished file durable.
  ///
  /// It must not be a file that SQLite has open in this process, whose locks would be released with
  /// the descriptor.
  package static func synchronize(file path: String) throws(VaultError) {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path, .inputOutput) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path, .inputOutput) }
  }

  /// Creates an empty file and opens it for reading and writing; it has the mode 0600 if the file
  /// system keeps modes.
  static func openNewFile(
    _ path: String
  ) throws(VaultError) -> (descriptor: Int32, file: FileStatus) {
    let flags = O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW | O_CLOEXEC
    let descriptor = unsafe open(path, flags, mode_t(0o600))
    guard descriptor >= 0 else {
      throw failure(path, errno == EEXIST ? .vaultExists : .cannotCreate)
    }
    // An unusual umask may have removed the owner's own bits. On FAT this succeeds and has no
    // effect, so it is the file that says what its mode is.
    _ = fchmod(descriptor, 0o600)
    guard let file = FileStatus(of: descriptor) else {
      let error = failure(path, .cannotCreate)
      close(descriptor)
      unsafe unlink(path)
      throw error
    }
    return (descriptor, file)
  }

  /// Renames a finished file, never replacing another.
  package static func publish(_ temporary: String, as path: String) throws(VaultError) {
    // One step: with link and unlink, a kill between them would leave a file with two names.
    if unsafe vault_rename_new(temporary, path) == 0 { return }
    // EINVAL: the file system does not support it, so the two steps are the only way.
    guard errno == EINVAL, unsafe link(temporary, path) == 0 else {
      throw failure(path, errno == EEXIST ? .vaultExists : .cannotCreate)
    }
    guard unsafe unlink(temporary) == 0 else { throw failure(temporary, .inputOutput) }
  }

  /// Exchanges the names of two files, in one step if the file system supports it.
  package static func exchange(_ path: String, with other: String) throws(VaultError) {
    if unsafe vault_exchange(path, other) == 0 { return }
    guard errno == EINVAL else { throw failure(path, .inputOutput) }
    let aside = other + ".aside"
    try publish(path, as: aside)
    try publish(other, as: path)
    try publish(aside, as: other)
  }
}

/// The properties of a file, as the file system returns them.
package struct FileStatus: Sendable {
  package let identity: FileIdentity
  package let owner: UInt32
  /// Kind and permissions.
  ///
  /// Source: inode(7).
  package let mode: UInt32
  package let linkCount: Int
  package let byteCount: Int

  /// Looks at a path, symbolic links not followed; nil if that fails, as `errno` says.
  package init?(at path: String) {
    var status = stat()
    // A file that is being removed, as a commit removes its journal, may still be found, without a
    // name: in every eighth look during a loop of removals. Another look says what is there now.
    // There is a limit because some file systems may not count names.
    var looksLeft = 100
    repeat {
      // The structure is ours.
      guard unsafe lstat(path, &status) == 0 else { return nil }
      looksLeft -= 1
    } while status.st_nlink == 0 && looksLeft > 0
    self.init(status)
  }

  /// Looks at an open file; nil if that fails, as `errno` says.
  package init?(of descriptor: Int32) {
    var status = stat()
    // The structure is ours.
    guard unsafe fstat(descriptor, &status) == 0 else { return nil }
    self.init(status)
  }

  private init(_ status: stat) {
    identity = FileIdentity(device: status.st_dev, inode: status.st_ino)
    owner = status.st_uid
    mode = status.st_mode
    linkCount = Int(status.st_nlink)
    byteCount = Int(status.st_size)
  }

  package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
  package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
  package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
  /// Whether it is this user's, and nobody else can read or write it.
  var isOfUserAlone: Bool { owner == geteuid() && mode & 0o077 == 0 }
  /// Whether in this folder nobody can remove or rename the files of others.
  package var isSticky: Bool { mode & S_ISVTX != 0 }
}

/// The identity of a file, independent of its name.
package struct FileIdentity: Hashable, Sendable {
  private let device: UInt
  /// Its number in its file system.
  package let inode: UInt

  fileprivate init(device: UInt, inode: UInt) {
    self.device = device
    self.inode = inode
  }
}

/// The kind of the file system that a folder is on.
///
/// Source: statfs(2).
package enum FileSystem {
  /// Returns whether it is on another machine, or may be; there, SQLite's locks and the header's
  /// first bytes are not to be trusted.
  package static func isOnNetwork(_ folder: String) -> Bool {
    switch kind(of: folder) {
    // NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, Coda.
    case 0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F,
      0x7375_7245, nil:
      true
    default: false
    }
  }

  /// Returns whether it is in this machine's memory, and gone with the power.
  package static func isInMemory(_ folder: String) -> Bool {
    // tmpfs, ramfs.
    [0x0102_1994, 0x8584_58F6].contains(kind(of: folder))
  }

  private static func kind(of folder: String) -> UInt32? {
    var kind: UInt32 = 0
    // The path is a C string for the call, and `kind` is written whole.
    return unsafe vault_file_system_kind(folder, &kind) == 0 ? kind : nil
  }
}
