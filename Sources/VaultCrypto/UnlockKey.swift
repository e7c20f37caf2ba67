package import SecureMemory
package import VaultModel

/// What a person or a file offers to open a slot.
package enum UnlockKey: Sendable {
  case passphrase(Secret)
  case keyFile(KeyFile)
}

extension Slot {
  /// Whether this is a slot for such a key.
  package func takes(_ key: UnlockKey) -> Bool {
    switch key {
    case .passphrase: kind == .passphrase
    case .keyFile: kind == .keyFile
    }
  }

  /// Unwraps the vault key.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key does not open this slot;
  ///   ``VaultError/Code/outOfMemory``.
  package func open(
    with key: UnlockKey, ident: Ident
  ) throws(VaultError) -> EpochKeys {
    try unwrap(with: SlotKey(key, salt: salt, cost: cost), ident: ident)
  }

  /// Makes a slot for a key; the cost is that of a passphrase, and a key file needs none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long;
  ///   ``VaultError/Code/outOfMemory``.
  package init(
    for key: UnlockKey, to keys: EpochKeys, id: UInt32, name: String,
    cost: PassphraseCost
  ) throws(VaultError) {
    let salt = Randomness.bytes(SlotKey.saltSize)
    let (kind, cost): (Kind, PassphraseCost?) =
      switch key {
      case .passphrase: (.passphrase, cost)
      case .keyFile: (.keyFile, nil)
      }
    try self.init(
      wrapping: keys, with: SlotKey(key, salt: salt, cost: cost), id: id, kind: kind, cost: cost,
      salt: salt, name: name, created: .now())
  }

  /// Makes a slot like another one for the same key and another vault key: id, kind, name and date stay.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  package init(
    renewing slot: Slot, for key: UnlockKey, to keys: EpochKeys, cost: PassphraseCost
  ) throws(VaultError) {
    let salt = Randomness.bytes(SlotKey.saltSize)
    let cost = slot.cost == nil ? nil : cost
    try self.init(
      wrapping: keys, with: SlotKey(key, salt: salt, cost: cost), id: slot.id, kind: slot.kind,
      cost: cost, salt: salt, name: slot.name, created: slot.created)
  }
}

extension SlotKey {
  fileprivate init(
    _ key: UnlockKey, salt: [UInt8], cost: PassphraseCost?
  ) throws(VaultError) {
    switch key {
    case .passphrase(let passphrase):
      try self.init(passphrase: passphrase, salt: salt, cost: cost ?? .standard)
    case .keyFile(let file):
      self.init(keyFile: file, salt: salt)
    }
  }
}
