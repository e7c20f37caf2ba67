import Glibc
import VaultModel

/// The owners and the mode with which a vault's file and folder are accepted.
package struct FilePermissions: Hashable, Sendable {
  /// The users who may own the file and the folder, beside this one.
  private let otherOwners: Set<UInt32>
  /// The bits that the file's mode must not have.
  private let refusedBits: UInt32
  /// Whether this user cannot mend the owner and the mode.
  private let isOnlyRead: Bool

  /// A vault of this user alone.
  package static let own = FilePermissions(
    otherOwners: [], refusedBits: 0o077, isOnlyRead: false)

  /// Returns the permissions of a vault that is only read: root or one other user may own it, and a
  /// group may read it.
  ///
  /// The owner decides what is in the file, as this user does for an own one. Somebody else who
  /// could write it would be a second one, and a file that everybody can read lets them guess
  /// passphrases.
  package static func onlyRead(ownedBy owner: UInt32?) -> FilePermissions {
    FilePermissions(
      otherOwners: owner.map { [0, $0] } ?? [0], refusedBits: 0o037, isOnlyRead: true)
  }

  /// Returns the subject of an error about the owner or the mode.
  func subject(_ remedy: AccessRemedy) -> VaultError.Subject {
    isOnlyRead ? .onlyRead : .access(remedy)
  }

  /// Returns whether a file has an accepted mode.
  ///
  /// A vault that is only read and that nobody can write (0444) may be read by everybody: no umask
  /// makes such a file, so its owner chose that.
  func acceptsFile(_ file: FileStatus) -> Bool {
    let isForAll = isOnlyRead && file.mode & 0o222 == 0
    return file.mode & (isForAll ? 0o033 : refusedBits) == 0
  }

  func acceptsOwner(ofFile file: FileStatus) -> Bool {
    file.owner == geteuid() || otherOwners.contains(file.owner)
  }

  /// Returns whether an owner of a folder is accepted: root can replace every file anyway.
  func acceptsOwner(ofFolder folder: FileStatus) -> Bool {
    folder.owner == 0 || acceptsOwner(ofFile: folder)
  }
}
