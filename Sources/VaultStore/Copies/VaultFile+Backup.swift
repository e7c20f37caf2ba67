import Glibc
import SealedTree
import VaultCrypto
import VaultModel

/// A copy of a vault.
package struct Backup: Sendable {
  package let path: String
  package let itemCount: Int
  package let generation: UInt64
  /// The state that was copied.
  let head: Tag
  /// The older backups that were removed.
  package internal(set) var removed: [String] = []
  /// Files named like a backup of the vault that do not open or verify, with the reasons.
  package internal(set) var uncounted: [(path: String, reason: String)] = []
}

/// Copies of a vault in use.
extension VaultFile {
  /// Writes a complete, compact, verified copy with no other file beside it, 0600 if the file
  /// system keeps modes.
  ///
  /// - Parameters:
  ///   - target: A new file, or a folder, in which the copy gets a name with the time.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: The path and contents of the copy.
  /// - Throws: ``VaultError/Code/cannotCreate`` if the target already exists;
  ///   ``VaultError/Code/unsafePermissions`` if others can write the folder;
  ///   ``VaultError/Code/damaged`` if the copy does not verify, which is then removed.
  func backUp(
    to target: String, progress: @escaping (Double) -> Void
  ) throws(VaultError) -> Backup {
    guard try Posix.isFolder(target) else {
      do throws(VaultError) {
        return try backUp(toFile: newPath(target), progress)
      } catch {
        guard error.code == .vaultExists else { throw error }
        throw VaultError(.cannotCreate, error.context, underlying: error.underlying)
      }
    }
    let now = Timestamp.now()
    var number = 1
    while true {
      let name = BackupName(of: path, at: now, number: number).text
      do throws(VaultError) {
        return try backUp(toFile: VaultPath("\(target)/\(name)"), progress)
      } catch {
        // It may be of another program that makes one in the same second.
        guard error.code == .vaultExists else { throw error }
        number += 1
      }
    }
  }

  private func newPath(_ target: String) throws(VaultError) -> VaultPath {
    let missing = VaultError(.cannotCreate, "there is no folder for \(target)")
    guard !target.hasSuffix("/") else { throw missing }
    do throws(VaultError) {
      return try VaultPath(target)
    } catch {
      throw error.code == .vaultNotFound ? missing : error
    }
  }

  /// Backs the vault up to a new file.
  ///
  /// - Throws: As ``backUp(to:)``, but ``VaultError/Code/vaultExists`` if the target exists.
  private func backUp(
    toFile target: VaultPath, _ progress: @escaping (Double) -> Void
  ) throws(VaultError) -> Backup {
    guard try Posix.information(target.path) == nil else {
      throw VaultError(.vaultExists, "\(target.path) exists already")
    }
    try target.checkFolder()
    try SideFiles(of: target.path).checkAbsent()
    // Removed in its `deinit`, unless it is published by then.
    let draft = try Draft(for: target, .backup)
    let (head, tag) = try copy(to: draft.path, progress)
    // Nothing of it was synchronized before: see the VFS.
    try Posix.synchronize(file: draft.path.path)
    try Posix.publish(draft.path.path, as: target.path)
    try Posix.synchronize(folder: target.folder)
    return Backup(
      path: target.path, itemCount: Int(head.itemCount), generation: head.generation, head: tag)
  }

  /// Writes a compact copy into an empty file and checks it; it is then closed, but not durable
  /// yet.
  private func copy(
    to temporary: VaultPath, _ progress: @escaping (Double) -> Void
  ) throws(VaultError) -> (head: Head, tag: Tag) {
    // From the current file: a copy of this vault must not be older.
    forgetLabel()
    let before = try read { (_) throws(VaultError) in try requireUnlocked() }
    // VACUUM INTO accepts an existing empty file, so its permissions are ours.
    try connection.vacuum(into: temporary.path)
    let copy = try VaultFile(path: temporary, stateFolder: nil, lockTimeout: .zero, role: .backup)
    try copy.unlock(with: before.keys)
    // Writing it takes a third of the time.
    let (head, tag) = try copy.checkCopy { progress(0.3 + $0 * 0.7) }
    let epoch = before.keys.ident.epoch
    let seen = RollbackRecord.Memory(
      epoch: epoch, generation: before.head.generation, head: before.headTag)
    guard try copy.verdict(after: seen) == nil else {
      throw VaultError(.damaged, "the copy is not one of \(path.path)")
    }
    return (head, tag)
  }
}
