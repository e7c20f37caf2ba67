import CSodium
package import VaultModel

extension LinkedLibrary {
  package static var sodium: LinkedLibrary {
    // A constant string.
    LinkedLibrary("libsodium", version: unsafe String(cString: sodium_version_string()))
  }
}
