public import VaultModel

extension VaultKeys {
  /// Does what the synchronous ``slots()`` does, without blocking the calling thread.
  public func slots() async throws(VaultError) -> [SlotInformation] {
    try await vault.thread.run { () throws(VaultError) in try slots() }
  }

  /// Does what the synchronous ``add(_:name:cost:)`` does, without blocking the calling thread.
  @discardableResult
  public func add(
    _ key: KeySource, name: String = "", cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try add(key, name: name, cost: cost) }
  }

  /// Does what the synchronous ``addRecoveryCode(name:)`` does, without blocking the calling thread.
  public func addRecoveryCode(
    name: String = ""
  ) async throws(VaultError) -> (slot: SlotInformation, code: Secret) {
    try await vault.thread.run { () throws(VaultError) in try addRecoveryCode(name: name) }
  }

  /// Does what the synchronous ``calibratedCost()`` does, without blocking the calling thread.
  public static func calibratedCost() async throws(VaultError) -> PassphraseCost {
    try await VaultThread().run { () throws(VaultError) in try calibratedCost() }
  }

  /// Does what the synchronous ``remove(id:)`` does, without blocking the calling thread.
  public func remove(id: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try remove(id: id) }
  }

  /// Does what the synchronous ``rename(id:to:)`` does, without blocking the calling thread.
  @discardableResult
  public func rename(id: Int, to name: String) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try rename(id: id, to: name) }
  }

  /// Does what the synchronous ``test(_:id:)`` does, without blocking the calling thread.
  public func test(_ key: KeySource, id: Int? = nil) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in try test(key, id: id) }
  }

  /// Does what the synchronous ``changePassphrase(from:to:cost:)`` does, without blocking the calling thread.
  @discardableResult
  public func changePassphrase(
    from old: KeySource, to new: KeySource, cost: PassphraseCost? = nil
  ) async throws(VaultError) -> SlotInformation {
    try await vault.thread.run { () throws(VaultError) in
      try changePassphrase(from: old, to: new, cost: cost)
    }
  }

  /// Does what the synchronous ``rekey(keeping:dropping:cost:progress:otherSlot:)`` does, without blocking the calling thread.
  ///
  /// The closures are called on the vault's own thread.
  public func rekey(
    keeping keys: [KeySource], dropping ids: Set<Int> = [], cost: PassphraseCost? = nil,
    progress: @Sendable (Double) -> Void = { _ in },
    otherSlot: @Sendable (SlotInformation) throws -> KeySource? = VaultKeys.keepEverySlot
  ) async throws -> RekeyReport {
    try await vault.thread.runUserClosure {
      try rekey(
        keeping: keys, dropping: ids, cost: cost, progress: progress, otherSlot: otherSlot)
    }
  }
}
