package import VaultCrypto
package import VaultModel

extension FileStore {
  /// Unlocks the file to merge another copy of the vault into it, and runs `body`.
  ///
  /// Without a copy, nothing is merged. The rollback record may refuse the file if the copy is
  /// known to continue what was seen of the vault. Unless `body` commits a merge, such a file is
  /// then locked again.
  ///
  /// - Throws: The errors of `body`; as ``unlock(with:keyFile:minimumCost:)``.
  package func merging<R>(
    _ copy: MergedCopy?, with key: UnlockKey, keyFile: KeyFileReader?,
    _ body: (VaultFile) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try locked { (file) throws(VaultError) in
      file.mergedCopy = copy
      defer { file.endMerging() }
      try file.unlock(with: key, keyFile: keyFile)
      session.open()
      return try body(file)
    }
  }
}

extension VaultFile {
  fileprivate func endMerging() {
    mergedCopy = nil
    guard unlocked != nil else { return }
    defer { endReading() }
    do throws(VaultError) {
      try beginReading()
    } catch {
      // Without the merge, it is still the file that was refused.
      lock()
    }
  }
}
