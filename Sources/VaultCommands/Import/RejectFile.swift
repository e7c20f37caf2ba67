import Glibc
import VaultModel
import VaultTerminal

/// The file that lists rejected entries: a place and a reason each, without a secret.
///
/// It is created before anything is imported: without it, nothing is imported. It gets its name
/// when the import is over, so that an interrupted one leaves none.
final class RejectFile {
  private var file: NewFile?

  /// Creates the file with mode 0600; a dry run only checks that it can be.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate`` if the file exists or cannot be created.
  init(_ path: String, isDryRun: Bool) throws(VaultError) {
    file = try Self.named { () throws(VaultError) in try NewFile(path) }
    if isDryRun { file = nil }
  }

  /// Writes a line, in which control characters are escaped.
  func write(_ line: String) throws(VaultError) {
    try file?.write(Printable.text(line) + "\n")
  }

  /// Gives the file its name.
  ///
  /// - Throws: As ``NewFile/publish()``.
  func close() throws(VaultError) {
    try Self.named { () throws(VaultError) in try file?.publish() }
    file = nil
  }

  /// Removes the file: nothing was rejected, or nothing was imported.
  func remove() { file = nil }

  private static func named<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    do throws(VaultError) {
      return try body()
    } catch {
      throw VaultError(error.code, "--reject-file", underlying: error.underlying ?? .errno(EEXIST))
    }
  }
}
