import CredentialVault
import VaultModel

extension Vault {
  /// Returns the current state of an item of either class.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed; the errors of reading.
  func keychainItem(
    _ id: ItemID, _ key: InternetPassword.Key, secrets: Bool
  ) throws(VaultError) -> InternetPassword {
    guard key.itemClass == .genericPassword else {
      return try item(id, hint: key, secrets: secrets)
    }
    let hint = GenericPassword.Key(service: key.service, account: key.account)
    return try genericPasswords.item(id, hint: hint, secrets: secrets).item
  }
}
