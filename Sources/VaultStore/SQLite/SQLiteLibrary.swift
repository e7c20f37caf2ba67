import CVaultSQLite
import CVaultSystem
package import VaultModel

extension LinkedLibrary {
  package static var sqlite: LinkedLibrary {
    LinkedLibrary("SQLite", version: SQLiteLibrary.version)
  }

  /// The C library, which a static program contains too.
  package static var glibc: LinkedLibrary {
    // A constant string.
    LinkedLibrary("glibc", version: unsafe String(cString: vault_glibc_version()))
  }
}

/// The SQLite that this process runs.
package enum SQLiteLibrary {
  // SQLite's own constant strings.
  package static var version: String { unsafe String(cString: sqlite3_libversion()) }
  package static var builtVersion: String { SQLITE_VERSION }

  /// The requirements of this library that SQLite does not meet.
  package static var faults: [String] {
    var faults: [String] = []
    // STRICT tables came with 3.37.
    if sqlite3_libversion_number() < 3_037_000 { faults.append("\(version) is older than 3.37") }
    if sqlite3_threadsafe() == 0 { faults.append("was built without threads") }
    let options = [
      "OMIT_VACUUM", "OMIT_ATTACH", "OMIT_INTEGRITY_CHECK", "OMIT_PAGER_PRAGMAS",
      "OMIT_FLAG_PRAGMAS",
      "OMIT_SCHEMA_PRAGMAS", "OMIT_DISKIO", "TEMP_STORE=0",
    ]
    for option in options where unsafe sqlite3_compileoption_used(option) != 0 {
      faults.append("was built with \(option)")
    }
    return faults
  }
}
