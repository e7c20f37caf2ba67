import VaultCrypto
import VaultFile
package import VaultModel

extension LinkedLibrary {
  /// The libraries of a vault.
  package static var ofVault: [LinkedLibrary] { [.sodium, .sqlite, .idn2, .glibc] }
}
