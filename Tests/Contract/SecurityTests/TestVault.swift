import CredentialVault
import Glibc
import TestSupport
import VaultModel

/// The vault that the module's functions find: one for all tests of the process, which use
/// services of their own.
enum TestVault {
  private static let opened: Result<(TemporaryFolder, Vault), any Error> = Result {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let vault = try Vault.create(
      path: folder.file("own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    // Once, before the first lookup; setenv copies the strings.
    unsafe setenv("VAULTCTL_VAULT", folder.file("own.vault"), 1)
    unsafe setenv("VAULTCTL_KEY_FILE", folder.file("key"), 1)
    return (folder, vault)
  }

  /// Makes the vault the default one.
  static func use() throws {
    _ = try opened.get()
  }

  /// Returns the same vault as Swift code sees it.
  static func vault() throws -> Vault { try opened.get().1 }

  /// Returns the key file of the vault.
  static func keyFile() throws -> String { try opened.get().0.file("key") }

  /// Returns the generic passwords of a service.
  static func generic(_ service: String) throws -> [Item] {
    try vault().findAll(ItemQuery(service: service))
  }
}
