package import SecureMemory
package import VaultModel

/// What a person or a file offers to open a slot.
package enum UnlockKey: Sendable {
  case passphrase(Secret)
  case keyFile(KeyFile)
  case recoveryCode(RecoveryCode)
}

extension UnlockKey {
  /// The kind of slot that it opens.
  package var kind: Slot.Kind {
    switch self {
    case .passphrase: .passphrase
    case .keyFile: .keyFile
    case .recoveryCode: .recoveryCode
    }
  }
}

extension Slot {
  /// Whether this is a slot for such a key.
  package func takes(_ key: UnlockKey) -> Bool { kind == key.kind }

  /// Unwraps the vault key.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key does not open this slot;
  ///   ``VaultError/Code/outOfMemory``.
  package func open(
    with key: UnlockKey, ident: Ident
  ) throws(VaultError) -> EpochKeys {
    try open(with: key, idents: [ident])
  }

  /// Unwraps the vault key for the first of some idents that it belongs to; derives once.
  ///
  /// - Throws: As ``open(with:ident:)``.
  package func open(
    with key: UnlockKey, idents: [Ident]
  ) throws(VaultError) -> EpochKeys {
    let slotKey = try SlotKey(key, salt: salt, cost: cost)
    var failure = VaultError(.authenticationFailed, "wrong passphrase or key")
    for ident in idents {
      do throws(VaultError) {
        return try unwrap(with: slotKey, ident: ident)
      } catch {
        if error.code != .authenticationFailed { failure = error }
      }
    }
    throw failure
  }

  /// Makes a slot for a key; the cost is that of a passphrase, and the others need none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long;
  ///   ``VaultError/Code/outOfMemory``.
  package init(
    for key: UnlockKey, to keys: EpochKeys, id: UInt32, name: String,
    cost: PassphraseCost
  ) throws(VaultError) {
    try self.init(wrapping: keys, with: DerivedKey(key, cost: cost), id: id, name: name)
  }

  /// Makes a slot with a key that was derived before.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if the name is too long.
  package init(
    wrapping keys: EpochKeys, with key: DerivedKey, id: UInt32, name: String,
    created: Timestamp = .now()
  ) throws(VaultError) {
    try self.init(
      wrapping: keys, with: key.slotKey, id: id, kind: key.kind, cost: key.cost, salt: key.salt,
      name: name, created: created)
  }

  /// Makes a slot like another one for the same key and another vault key: id, kind, name and date stay.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  package init(
    renewing slot: Slot, for key: UnlockKey, to keys: EpochKeys, cost: PassphraseCost
  ) throws(VaultError) {
    try self.init(
      wrapping: keys, with: DerivedKey(key, cost: cost), id: slot.id, name: slot.name,
      created: slot.created)
  }
}

/// All that a new slot needs but its vault and number, so that nobody waits for a lock while it is
/// derived.
package final class DerivedKey: Sendable {
  let slotKey: SlotKey
  let kind: Slot.Kind
  package let cost: PassphraseCost?
  let salt: [UInt8]

  /// Derives under a new salt; the cost is that of a passphrase, and the others need none.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``.
  package init(_ key: UnlockKey, cost: PassphraseCost) throws(VaultError) {
    salt = Randomness.bytes(SlotKey.saltSize)
    kind = key.kind
    self.cost = key.kind == .passphrase ? cost : nil
    slotKey = try SlotKey(key, salt: salt, cost: cost)
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
      self.init(random: file.key, salt: salt)
    case .recoveryCode(let code):
      self.init(random: code.bytes, salt: salt)
    }
  }
}
