import Glibc
import VaultCrypto
import VaultModel

/// Copies of a vault in use.
extension VaultFile {
  /// Writes a whole, compact, verified copy, 0600, with nothing left beside it.
  ///
  /// - Returns: The number of items in it.
  /// - Throws: ``VaultError/Code/cannotCreate`` if there is something at the target already;
  ///   ``VaultError/Code/damaged`` if the copy does not verify, which is then removed.
  func backUp(to target: VaultPath) throws(VaultError) -> Int {
    let keys = try requireUnlocked().keys
    try checkName()
    guard try Posix.information(target.path) == nil else {
      throw VaultError(.cannotCreate, "there is something at \(target.path) already")
    }
    let temporary = try VaultPath(target.temporary())
    // VACUUM INTO takes an existing empty file, and so its permissions are ours.
    try Posix.createFile(temporary.path)
    do throws(VaultError) {
      try connection.vacuum(into: temporary.path)
      let count = try Self.verify(copy: temporary, keys: keys)
      try Posix.publish(temporary.path, as: target.path)
      try Posix.synchronize(folder: target.folder)
      return count
    } catch {
      unsafe unlink(temporary.path)
      unsafe unlink(temporary.path + "-journal")
      guard error.code == .vaultExists else { throw error }
      throw VaultError(.cannotCreate, error.context, underlying: error.underlying)
    }
  }

  private static func verify(copy: VaultPath, keys: EpochKeys) throws(VaultError) -> Int {
    let file = try VaultFile(path: copy, stateFolder: nil, lockTimeout: .zero)
    try file.unlock(with: keys)
    let found = try file.verify()
    guard found.problems.isEmpty else {
      throw VaultError(
        .damaged,
        "the copy does not verify: \(found.problems.map(\.description).joined(separator: "; "))")
    }
    return found.itemCount
  }
}
