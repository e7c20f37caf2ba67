public import SecureMemory
public import VaultModel

extension VaultKeys {
  /// Calls the synchronous ``slots()`` without blocking the calling thread.
  public func slots() async throws(VaultError) -> [SlotInformation] {
    try await vault.thread.run { () throws(VaultError) in try slots() }
  }

  /// Calls the synchronous ``add(_:name:cost:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ key: KeySource, name: String = "", cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try add(key, name: name, cost: cost) }
  }

  /// Calls the synchronous ``addRecoveryCode(name:)`` without blocking the calling thread.
  public func addRecoveryCode(
    name: String = ""
  ) async throws(VaultError) -> (slot: SlotInformation, code: Secret) {
    try await vault.thread.run { () throws(VaultError) in try addRecoveryCode(name: name) }
  }

  /// Calls the synchronous ``calibratedCost()`` without blocking the calling thread.
  public static func calibratedCost() async throws(VaultError) -> PassphraseCost {
    try await VaultThread().run { () throws(VaultError) in try calibratedCost() }
  }

  /// Calls the synchronous ``remove(id:)`` without blocking the calling thread.
  public func remove(id: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try remove(id: id) }
  }

  /// Calls the synchronous ``rename(id:to:)`` without blocking the calling thread.
  @discardableResult
  public func rename(id: Int, to name: String) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try rename(id: id, to: name) }
  }

  /// Calls the synchronous ``test(_:id:)`` without blocking the calling thread.
  public func test(_ key: KeySource, id: Int? = nil) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try test(key, id: id) }
  }

  /// Calls the synchronous ``changePassphrase(from:to:cost:)`` without blocking the calling thread.
  @discardableResult
  public func changePassphrase(
    from old: KeySource, to new: KeySource, cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in
      try changePassphrase(from: old, to: new, cost: cost)
    }
  }

  /// Calls the synchronous ``rekey(keeping:removing:cost:progress:otherSlot:)`` without blocking
  /// the calling thread.
  ///
  /// The closures are called on the vault's own thread.
  public func rekey(
    keeping keys: [KeySource], removing ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: @Sendable (Double) throws -> Void = { _ in },
    otherSlot: @Sendable (SlotInformation) throws -> KeySource? = VaultKeys.keepEverySlot
  ) async throws -> RekeyReport {
    try await vault.thread.runUserClosure {
      try rekey(
        keeping: keys, removing: ids, cost: cost, progress: progress, otherSlot: otherSlot)
    }
  }

  /// Calls the synchronous ``requireSharedSession()`` without blocking the calling thread.
  public func requireSharedSession() async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try requireSharedSession() }
  }
}

extension KeySource {
  /// Calls the synchronous ``find()`` without blocking the calling thread.
  public static func find() async throws(VaultError) -> KeySource? {
    try await VaultThread().run { () throws(VaultError) in try find() }
  }

  /// Calls the synchronous ``completed()`` without blocking the calling thread.
  public func completed() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try completed() }
  }

  /// Calls the synchronous ``textOfKeyFile()`` without blocking the calling thread.
  public func textOfKeyFile() async throws(VaultError) -> Secret {
    try await VaultThread().run { () throws(VaultError) in try textOfKeyFile() }
  }

  /// Calls the synchronous ``loaded()`` without blocking the calling thread.
  public func loaded() async throws(VaultError) -> KeySource {
    try await VaultThread().run { () throws(VaultError) in try loaded() }
  }
}

extension KeyFile {
  /// Calls the synchronous ``create(at:)`` without blocking the calling thread.
  public static func create(at path: String) async throws(VaultError) {
    try await VaultThread().run { () throws(VaultError) in try create(at: path) }
  }
}
