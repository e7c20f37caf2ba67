extension Vault {
  /// The rules for whether, how strongly and how long credentials are kept.
  public var policy: VaultPolicy { VaultPolicy(vault: self) }

  /// Committed changes, as they happen.
  public var events: VaultEvents { VaultEvents(vault: self) }

  /// Removed items that can be brought back.
  public var trash: VaultTrash { VaultTrash(vault: self) }

  /// The previous secrets of items.
  public var history: VaultHistory { VaultHistory(vault: self) }

  /// Credentials that a server has yet to accept.
  public var pending: PendingCredentials { PendingCredentials(vault: self) }
}
