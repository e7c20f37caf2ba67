import CSQLite
import VaultModel

/// What SQLite's result codes mean for a vault.
enum SQLiteError {
  /// The error of an extended result code.
  ///
  /// Source: <https://sqlite.org/rescode.html>.
  static func error(_ code: Int32, _ doing: String) -> VaultError {
    // Where nothing may be written: a copy that was taken with its journal, or a read-only disk.
    guard code != vault_sqlite3_readonly_rollback else {
      return VaultError(
        .readOnly,
        "a write was cut short, and the journal beside the file holds the rest: copy both into a folder "
          + "of their own, run vaultctl verify on that copy, and take the copy then",
        underlying: .sqlite(code))
    }
    let (meaning, text): (VaultError.Code, String) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another process holds the vault's lock")
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_TOOBIG, SQLITE_MISMATCH,
        SQLITE_CONSTRAINT, SQLITE_ERROR, SQLITE_SCHEMA:
        (.damaged, "the vault's file is damaged")
      case SQLITE_READONLY: (.readOnly, "the vault cannot be written")
      case SQLITE_FULL: (.inputOutput, "the disk is full")
      case SQLITE_IOERR: (.inputOutput, "input or output failed")
      case SQLITE_CANTOPEN: (.inputOutput, "the vault's file or its journal cannot be opened")
      case SQLITE_PERM, SQLITE_AUTH: (.readOnly, "access to the vault is denied")
      case SQLITE_NOMEM: (.outOfMemory, "not enough memory")
      default: (.internalError, "unexpected answer from SQLite")
      }
    // What was being done helps only where the words do not say what is wrong.
    let isUnclear = meaning == .inputOutput || meaning == .internalError
    return VaultError(meaning, isUnclear ? "\(text) (\(doing))" : text, underlying: .sqlite(code))
  }
}
