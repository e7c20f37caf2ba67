import Foundation

/// Files that somebody may put in the place of a vault; each function throws if it cannot make one.
extension File {
  package static func remove(_ path: String) throws {
    try check(unsafe unlink(path), path)
  }

  /// Replaces the file with the new name, in one step.
  package static func move(_ path: String, to other: String) throws {
    try check(unsafe rename(path, other), path)
  }

  package static func makeFolder(_ path: String, mode: UInt32 = 0o700) throws {
    try check(unsafe mkdir(path, mode), path)
    try setMode(mode, of: path)
  }

  package static func makePipe(_ path: String) throws {
    try check(unsafe mkfifo(path, 0o600), path)
  }

  package static func makeSymbolicLink(_ path: String, to target: String) throws {
    try check(unsafe symlink(target, path), path)
  }

  package static func makeHardLink(_ path: String, to target: String) throws {
    try check(unsafe link(target, path), path)
  }

  package static func setMode(_ mode: UInt32, of path: String) throws {
    try check(unsafe chmod(path, mode), path)
  }

  package static func setOwner(_ user: UInt32, of path: String) throws {
    try check(unsafe lchown(path, user, user), path)
  }

  private static func check(_ status: Int32, _ path: String) throws {
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }
}
