import CVaultSQLite
import VaultModel

/// The meaning of SQLite's result codes for a vault.
enum SQLiteError {
  /// Returns whether SQLite keeps the system's number for a code; for others it may still have an
  /// older one.
  ///
  /// Source: <https://sqlite.org/c3ref/system_errno.html>.
  static func isOfSystem(_ code: Int32) -> Bool {
    code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
  }

  /// Returns the error for a path that does not name the open file any more.
  static func moved(_ path: String?, underlying: VaultError.Underlying? = nil) -> VaultError {
    let file = path.map { "the file at \($0)" } ?? "the vault's file"
    return VaultError(.vaultNotFound, "\(file) was removed or replaced", underlying: underlying)
  }

  /// Returns the error for an extended result code.
  ///
  /// Source: <https://sqlite.org/rescode.html>.
  ///
  /// - Parameters:
  ///   - code: The extended result code.
  ///   - doing: The operation that SQLite was asked for.
  ///   - path: The file, for errors about the file rather than its contents.
  ///   - systemError: The system's reason; 0 if it is unknown.
  /// - Returns: The error with the system's number if it is known, else with SQLite's.
  static func error(
    _ code: Int32, _ doing: String, path: String? = nil, systemError: Int32 = 0
  ) -> VaultError {
    // Nothing may be written here: a vault that is only read, a copy that was taken with its
    // journal, or a read-only disk.
    guard code != vault_sqlite3_readonly_rollback else {
      return VaultError(
        .readOnly,
        "a write was cut short, and the journal beside the file holds the rest: the first who opens"
          + " the vault and may write it completes the write, as does opening a copy of both files"
          + " in a folder of its own",
        underlying: .sqlite(code))
    }
    guard code != vault_sqlite3_readonly_moved else {
      return moved(path, underlying: .sqlite(code))
    }
    let (meaning, text): (VaultError.Code, String) =
      switch code & 0xFF {
      case SQLITE_BUSY, SQLITE_LOCKED: (.busy, "another process holds the vault's lock")
      case SQLITE_TOOBIG: (.damaged, "a row of the vault's file is longer than any of a vault")
      case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_MISMATCH,
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
    // The operation is useful only if the text does not explain the error.
    let isUnclear = meaning == .inputOutput || meaning == .internalError
    guard systemError != 0, isOfSystem(code) else {
      let words = isUnclear ? "\(text) (\(doing))" : text
      return VaultError(meaning, place + words, underlying: .sqlite(code))
    }
    return VaultError(
      meaning, "\(place)\(text) (\(doing), sqlite \(code))", underlying: .errno(systemError))
  }
}
