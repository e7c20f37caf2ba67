import Glibc

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
    // The structure is ours.
    guard unsafe lstat(path, &status) == 0 else { return nil }
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
