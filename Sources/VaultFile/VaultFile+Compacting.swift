import Glibc
import VaultModel

/// Releasing the space of removed data.
extension VaultFile {
  /// Rewrites the file without its free pages, in place, in one journaled transaction of SQLite.
  ///
  /// No row changes, so the generation stays: other processes see a new schema cookie and read on.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/readOnly``; ``VaultError/Code/busy``;
  ///   ``VaultError/Code/damaged`` if SQLite finds a fault in the file, which then stays unchanged;
  ///   ``VaultError/Code/inputOutput``.
  func compact() throws(VaultError) -> (before: Int, after: Int) {
    // An old copy put back must not be rewritten.
    try read { (_) throws(VaultError) in }
    guard !connection.isReadOnly else { throw path.cannotBeWritten() }
    try checkName()
    // Data on unreachable pages, which a salvage could still find, would be lost for good.
    try connection.run(.integrityCheck) { (row) throws(VaultError) in
      guard row.text(0) == "ok" else {
        throw VaultError(.damaged, "the file's structure is damaged: \(row.text(0))")
      }
    }
    let before = try byteCount()
    forgetLabel()
    try connection.vacuum()
    return (before, try byteCount())
  }

  private func byteCount() throws(VaultError) -> Int {
    try Posix.information(path.path)?.byteCount ?? 0
  }
}
