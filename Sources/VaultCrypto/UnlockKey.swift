package import SecureMemory
package import VaultModel

/// A key that a person or a file offers for a slot.
package enum UnlockKey: Sendable {
  case passphrase(Secret)
  case keyFile(KeyFile)
  case recoveryCode(RecoveryCode)
  case machine(MachineKey)
  /// A passphrase or a key file, and the other one for slots that need both.
  indirect case both(UnlockKey, SecondHalf)
}

/// The half of a key that is read when a slot that needs it is tried, and at most once.
///
/// It may be typed by a person, or come from a pipe.
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
  /// The kind of a new slot for this key.
  package var kind: Slot.Kind {
    switch self {
    case .passphrase: .passphrase
    case .keyFile: .keyFile
    case .recoveryCode: .recoveryCode
    case .machine: .machine
    case .both: .both
    }
  }

  /// The part that opens a slot alone.
  package var alone: UnlockKey {
    if case .both(let first, _) = self { first } else { self }
  }

  /// Returns the key file that a slot needs together with a passphrase; nil if there is no key
  /// file.
  ///
  /// - Throws: The errors of reading the second half.
  package func keyFile() throws(VaultError) -> KeyFile? {
    switch self {
    case .keyFile(let file): return file
    case .both: return try halves().keyFile
    case .passphrase, .recoveryCode, .machine: return nil
    }
  }

  /// Returns the key with its passphrase as the half that opens a slot alone; nil if there is no
  /// passphrase.
  ///
  /// - Throws: The errors of reading the second half.
  package func withPassphraseFirst() throws(VaultError) -> UnlockKey? {
    guard case .both(let first, _) = self, first.kind != .passphrase else {
      return alone.kind == .passphrase ? self : nil
    }
    let halves = try halves()
    return .both(.passphrase(halves.passphrase), SecondHalf { .keyFile(halves.keyFile) })
  }

  /// Returns both halves, in any given order.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if they are not a passphrase and a key file; the
  ///   errors of reading the second half.
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
  /// Returns whether the key is of a kind for this slot.
  package func takes(_ key: UnlockKey) -> Bool {
    if case .machine(let key) = key { return machine?.publicKey == key.publicKey }
    return kind == key.kind || kind == key.alone.kind
  }

  /// Returns an error that names the missing half for this slot; nil for any other slot or key.
  package func missing(beside key: UnlockKey) -> VaultError? {
    guard kind == .both else { return nil }
    let text: String
    switch key {
    case .passphrase: text = "slot \(id) needs a key file as well as the passphrase"
    case .keyFile: text = "slot \(id) needs a passphrase as well as the key file"
    case .recoveryCode, .machine, .both: return nil
    }
    return VaultError(.locked, text).about(.otherHalf)
  }

  /// Unwraps the vault key for the first matching ident; derives once.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the key does not open this slot;
  ///   ``VaultError/Code/outOfMemory``; the errors of reading the second half.
  package func open(
    with key: UnlockKey, idents: [Ident]
  ) throws(VaultError) -> EpochKeys {
    let slotKey: SlotKey
    if let machine, case .machine(let key) = key {
      slotKey = try SlotKey(key, opening: machine, salt: salt)
    } else {
      slotKey = try SlotKey(key, for: kind, salt: salt, cost: cost)
    }
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

  /// Creates a slot for a key; only a passphrase has a cost.
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

  /// Creates a slot with a key that was derived before.
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

  /// Creates a slot for another vault key with the same id, kind, name and date.
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

/// The inputs of a new slot except its vault and number, so that nobody holds a lock during the
/// derivation.
package final class DerivedKey: Sendable {
  let slotKey: SlotKey
  let kind: Slot.Kind
  package let cost: PassphraseCost?
  let salt: [UInt8]

  /// Derives a key under a new salt; only a passphrase has a cost.
  ///
  /// - Parameters:
  ///   - key: The key that will open the slot.
  ///   - kind: The slot's kind; nil for the default kind of the key.
  ///   - cost: The cost of trying a passphrase.
  /// - Throws: ``VaultError/Code/outOfMemory``; ``VaultError/Code/invalidArgument`` for an empty
  ///   passphrase; the errors of reading the second half.
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
    case .machine:
      throw VaultError(.invalidArgument, "a machine's slot is made by an admin")
    case .both(let first, _):
      try self.init(first, for: kind, salt: salt, cost: cost)
    }
  }
}
