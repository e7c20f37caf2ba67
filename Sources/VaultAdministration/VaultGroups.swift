public import CredentialVault
extension Vault {
  /// The slots that unlock the vault.
  public var keys: VaultKeys { VaultKeys(vault: self) }

  /// Verification, backups, compaction and expiry.
  public var maintenance: VaultMaintenance { VaultMaintenance(vault: self) }

  /// The log of changes, with their authors and times.
  public var log: VaultLog { VaultLog(vault: self) }
}
