import Glibc
import VaultModel

/// Giving back the space of what was removed.
extension VaultFile {
  /// Writes the file anew without its free pages, in place, in one journaled transaction of SQLite.
  ///
  /// No row changes, and so no generation: other processes see a new schema cookie and read on.
  ///
  /// - Returns: The file's size in bytes before and after.
  /// - Throws: ``VaultError/Code/locked``; ``VaultError/Code/readOnly``; ``VaultError/Code/busy``;
  ///   ``VaultError/Code/damaged`` if SQLite finds fault with the file, which then stays as it is;
  ///   ``VaultError/Code/inputOutput``.
  func compact() throws(VaultError) -> (before: Int, after: Int) {
    // An old copy put back must not be made more its own.
    try read { (_) throws(VaultError) in }
    guard !connection.isReadOnly else { throw path.cannotBeWritten() }
    try checkName()
    // What a salvage could still find on a page that nothing leads to would be gone for good.
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
