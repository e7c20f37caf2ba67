public import SecureMemory
public import VaultModel

extension VaultPINs {
  /// Calls the synchronous ``open(_:pin:)`` without blocking the calling thread.
  public func open(
    _ item: InternetPassword, pin: Secret
  ) async throws(VaultError) -> InternetPassword {
    try await vault.thread.run { () throws(VaultError) in try open(item, pin: pin) }
  }

  /// Calls the synchronous ``set(_:on:replacing:cost:)`` without blocking the calling thread.
  @discardableResult
  public func set(
    _ pin: Secret, on item: InternetPassword, replacing old: Secret? = nil,
    cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try set(pin, on: item, replacing: old, cost: cost)
    }
  }

  /// Calls the synchronous ``add(_:pin:persistence:cost:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ item: InternetPassword, pin: Secret, persistence: Persistence = .permanent,
    cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try add(item, pin: pin, persistence: persistence, cost: cost)
    }
  }

  /// Calls the synchronous ``setSecret(_:of:pin:cost:)`` without blocking the calling thread.
  @discardableResult
  public func setSecret(
    _ secret: Secret, of item: InternetPassword, pin: Secret, cost: PassphraseCost = .policy
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try setSecret(secret, of: item, pin: pin, cost: cost)
    }
  }

  /// Calls the synchronous ``remove(from:pin:)`` without blocking the calling thread.
  @discardableResult
  public func remove(
    from item: InternetPassword, pin: Secret
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try remove(from: item, pin: pin) }
  }
}
