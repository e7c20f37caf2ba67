import CSQLite
import CVaultSystem
package import VaultModel

extension LinkedLibrary {
  package static var sqlite: LinkedLibrary {
    // A constant string.
    LinkedLibrary("SQLite", version: unsafe String(cString: sqlite3_libversion()))
  }

  /// The C library, which a static program contains too.
  package static var glibc: LinkedLibrary {
    // A constant string.
    LinkedLibrary("glibc", version: unsafe String(cString: vault_glibc_version()))
  }
}
