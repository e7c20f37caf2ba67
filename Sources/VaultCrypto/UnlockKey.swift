package import SecureMemory
package import VaultModel

/// What a person or a file offers to open a slot.
package enum UnlockKey: Sendable {
  case passphrase(Secret)
  case keyFile(KeyFile)
  case recoveryCode(RecoveryCode)
  /// A passphrase or a key file, and the other one for slots that need both.
  indirect case both(UnlockKey, SecondHalf)
}

/// The half of a key that is read when a slot that needs it is tried, and at most once: it may be typed by
/// somebody, or come from a pipe.
package final class SecondHalf: Sendable {
  private let reader: @Sendable () throws(VaultError) -> UnlockKey
  private let outcome = Lock<Result<UnlockKey, VaultError>?>(nil)

  package init(_ reader: @escaping @Sendable () throws(VaultError) -> UnlockKey) {
    self.reader = reader
  }

  func read() throws(VaultError) -> UnlockKey {
    let result = outcome.withLock { outcome in
      if let outcome { return outcome }
      let new: Result<UnlockKey, VaultError>
      do throws(VaultError) {
        new = .success(try reader())
      } catch {
        new = .failure(error)
      }
      outcome = new
      return new
    }
    return try result.get()
  }
}

extension UnlockKey {
  /// The kind of slot that is made for it.
  package var kind: Slot.Kind {
    switch self {
    case .passphrase: .passphrase
    case .keyFile: .keyFile
    case .recoveryCode: .recoveryCode
    case .both: .both
    }
  }

  /// What of it opens a slot alone.
  package var alone: UnlockKey {
    if case .both(let first, _) = self { first } else { self }
  }

  /// A passphrase that a slot takes together with the key file of this one; nil if there is no key file.
  ///
  /// - Throws: What reading the second half throws.
  package func keyFile() throws(VaultError) -> KeyFile? {
    switch self {
    case .keyFile(let file): return file
    case .both: return try halves().keyFile
    case .passphrase, .recoveryCode: return nil
    }
  }

  /// The same key with its passphrase as the half that opens a slot alone; nil if there is no passphrase.
  ///
  /// - Throws: What reading the second half throws.
  package func withPassphraseFirst() throws(VaultError) -> UnlockKey? {
    guard case .both(let first, _) = self, first.kind != .passphrase else {
      return alone.kind == .passphrase ? self : nil
    }
    let halves = try halves()
    return .both(.passphrase(halves.passphrase), SecondHalf { .keyFile(halves.keyFile) })
  }

  /// Both halves, in whichever order they were given.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if they are not a passphrase and a key file; what
  ///   reading the second half throws.
  func halves() throws(VaultError) -> (passphrase: Secret, keyFile: KeyFile) {
    guard case .both(let first, let second) = self else { throw Self.notBoth }
    switch (first, try second.read()) {
    case (.passphrase(let passphrase), .keyFile(let file)),
      (.keyFile(let file), .passphrase(let passphrase)):
      return (passphrase, file)
    default: throw Self.notBoth
    }
  }

  private static var notBoth: VaultError {
    VaultError(.invalidArgument, "both means a passphrase and a key file")
  }
}

extension Slot {
  /// Whether this is a slot for such a key.
  package func takes(_ key: UnlockKey) -> Bool { kind == key.kind || kind == key.alone.kind }

  /// What this slot needs beside a key that is only half of what it takes; nil for any other slot or key.
  package func missing(beside key: UnlockKey) -> VaultError? {
    guard kind == .both else { return nil }
    switch key {
    case .passphrase:
      return VaultError(.locked, "slot \(id) needs a key file as well as the passphrase")
    case .keyFile:
      return VaultError(.locked, "slot \(id) needs a passphrase as well as the key file")
    case .recoveryCode, .both: return nil
    }
  }

  /// Unwraps the vault key.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key does not open this slot;
  ///   ``VaultError/Code/outOfMemory``; what reading the second half throws.
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
    let slotKey = try SlotKey(key, for: kind, salt: salt, cost: cost)
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
    for key: UnlockKey, kind: Kind? = nil, to keys: EpochKeys, id: UInt32, name: String,
    cost: PassphraseCost
  ) throws(VaultError) {
    try self.init(
      wrapping: keys, with: DerivedKey(key, for: kind, cost: cost), id: id, name: name)
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
      wrapping: keys, with: DerivedKey(key, for: slot.kind, cost: cost), id: slot.id,
      name: slot.name, created: slot.created)
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
  /// - Parameters:
  ///   - key: What will open the slot.
  ///   - kind: The slot's kind; nil takes that which is made for the key.
  ///   - cost: What trying a passphrase costs.
  /// - Throws: ``VaultError/Code/outOfMemory``; ``VaultError/Code/invalidArgument`` for an empty
  ///   passphrase; what reading the second half throws.
  package init(
    _ key: UnlockKey, for kind: Slot.Kind? = nil, cost: PassphraseCost
  ) throws(VaultError) {
    let kind = kind ?? key.kind
    salt = Randomness.bytes(SlotKey.saltSize)
    self.kind = kind
    self.cost = kind.hasPassphrase ? cost : nil
    slotKey = try SlotKey(key, for: kind, salt: salt, cost: cost)
  }
}

extension SlotKey {
  fileprivate init(
    _ key: UnlockKey, for kind: Slot.Kind, salt: [UInt8], cost: PassphraseCost?
  ) throws(VaultError) {
    guard kind != .both else {
      let (passphrase, file) = try key.halves()
      try self.init(
        passphrase: passphrase, keyFile: file.key, salt: salt, cost: cost ?? .standard)
      return
    }
    switch key {
    case .passphrase(let passphrase):
      try self.init(passphrase: passphrase, salt: salt, cost: cost ?? .standard)
    case .keyFile(let file):
      self.init(random: file.key, salt: salt)
    case .recoveryCode(let code):
      self.init(random: code.bytes, salt: salt)
    case .both(let first, _):
      try self.init(first, for: kind, salt: salt, cost: cost)
    }
  }
}
