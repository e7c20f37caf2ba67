import SealedTree
package import VaultModel

/// The number of previous secrets that items keep.
extension FileTransaction {
  /// Returns the number of previous secrets that each item keeps.
  package func historyLimit() -> Int { Int(editor.head.historyLimit) }

  /// Sets the number of previous secrets that each item keeps; surplus ones are removed at once,
  /// the oldest first.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is one of ``PreviousSecret/limits``.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    guard PreviousSecret.limits.contains(limit) else {
      throw VaultError(
        .invalidArgument,
        "an item keeps \(PreviousSecret.limits.lowerBound) to \(PreviousSecret.limits.upperBound) "
          + "previous secrets, not \(limit)")
    }
    let before = historyLimit()
    editor.head.historyLimit = UInt8(limit)
    guard limit < before else { return }
    for history in try editor.histories(longerThan: limit) {
      for previous in history.dropFirst(limit) { try remove(previous) }
    }
  }
}
