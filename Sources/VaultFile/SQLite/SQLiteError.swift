import CSQLite
import VaultModel

/// What SQLite's result codes mean for a vault.
enum SQLiteError {
  /// Codes for which SQLite keeps the system's number; after others it may still have an older one.
  ///
  /// Source: <https://sqlite.org/c3ref/system_errno.html>.
  static func isOfSystem(_ code: Int32) -> Bool {
    code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
  }

  /// The error of an extended result code.
  ///
  /// Source: <https://sqlite.org/rescode.html>.
  ///
  /// - Parameters:
  ///   - code: The extended result code.
  ///   - doing: What SQLite was asked for.
  ///   - path: The file, for what has to do with it and not with what is in it.
  ///   - systemError: Why the system refused; 0 if it is not known.
  /// - Returns: The error with the system's number if it is known, else with SQLite's.
  static func error(
    _ code: Int32, _ doing: String, path: String? = nil, systemError: Int32 = 0
  ) -> VaultError {
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
    let isOfFile = meaning == .inputOutput || meaning == .readOnly
    let place = if isOfFile, let path { "\(path): " } else { "" }
    // What was being done helps only where the words do not say what is wrong.
    let isUnclear = meaning == .inputOutput || meaning == .internalError
    guard systemError != 0, isOfSystem(code) else {
      let words = isUnclear ? "\(text) (\(doing))" : text
      return VaultError(meaning, place + words, underlying: .sqlite(code))
    }
    return VaultError(
      meaning, "\(place)\(text) (\(doing), sqlite \(code))", underlying: .errno(systemError))
  }
}
