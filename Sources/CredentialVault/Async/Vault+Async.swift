public import VaultModel

/// The asynchronous forms of what programs do daily; `perform` is that of everything else.
///
/// Each does what the synchronous function does, with the same errors, on the vault's own thread,
/// and throws ``VaultError/Code/interrupted`` if the task is cancelled before it begins.
extension Vault {
  /// Calls ``open(path:key:lockTimeout:minimumCost:acceptingAnotherVault:withSharedSession:)``
  /// without blocking.
  public static func open(
    path: String? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptingAnotherVault: Bool = false,
    withSharedSession: Bool = false
  ) async throws(VaultError) -> Vault {
    try await waitingAlone { () throws(VaultError) in
      try open(
        path: path, key: key, lockTimeout: lockTimeout, minimumCost: minimumCost,
        acceptingAnotherVault: acceptingAnotherVault, withSharedSession: withSharedSession)
    }
  }

  /// Calls ``unlock(with:)`` without blocking.
  public func unlock(with key: KeySource) async throws(VaultError) {
    try await waiting { () throws(VaultError) in try unlock(with: key) }
  }

  /// Calls ``lock()`` without blocking.
  ///
  /// It locks even if the task is cancelled.
  /// It waits for a call that is using the file, such as ``write(_:)``, and not for those that wait
  /// behind that one; they find the vault locked.
  public func lock() async throws(VaultError) {
    try await Self.cleanUp { () throws(VaultError) in try lock() }
  }

  /// Calls ``close()`` without blocking.
  ///
  /// It closes even if the task is cancelled, and waits as the asynchronous `lock()` does.
  public func close() async throws(VaultError) {
    try await Self.cleanUp { () throws(VaultError) in try close() }
  }

  /// Calls ``VaultReading/find(_:withSecrets:)`` without blocking.
  public func find(
    _ query: ItemQuery, withSecrets: Bool = false
  ) async throws(VaultError) -> Item {
    try await waiting { () throws(VaultError) in try find(query, withSecrets: withSecrets) }
  }

  /// Calls ``findAll(_:withSecrets:)`` without blocking.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool = false
  ) async throws(VaultError) -> [Item] {
    try await waiting { () throws(VaultError) in try findAll(query, withSecrets: withSecrets) }
  }

  /// Calls ``add(_:persistence:afterAcceptance:)`` without blocking.
  @discardableResult
  public func add(
    _ item: Item, persistence: Persistence = .permanent, afterAcceptance: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await waiting { () throws(VaultError) in
      try add(item, persistence: persistence, afterAcceptance: afterAcceptance)
    }
  }

  /// Calls ``remove(_:ifRevision:removal:)`` without blocking.
  public func remove(
    _ item: Item, ifRevision revision: UInt64? = nil, removal: Removal = .recoverable
  ) async throws(VaultError) {
    try await waiting { () throws(VaultError) in
      try remove(item, ifRevision: revision, removal: removal)
    }
  }

  /// Calls ``credentials(for:)`` without blocking.
  public func credentials(for space: ProtectionSpace) async throws(VaultError) -> [Credential] {
    try await waiting { () throws(VaultError) in try credentials(for: space) }
  }

  /// Calls ``defaultCredential(for:)`` without blocking.
  public func defaultCredential(for space: ProtectionSpace) async throws(VaultError) -> Credential?
  {
    try await waiting { () throws(VaultError) in try defaultCredential(for: space) }
  }

  /// Calls ``set(_:for:at:afterAcceptance:)`` without blocking.
  @discardableResult
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil,
    afterAcceptance: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await waiting { () throws(VaultError) in
      try set(credential, for: space, at: requestPath, afterAcceptance: afterAcceptance)
    }
  }

  /// Calls ``remove(user:for:removal:)`` without blocking.
  public func remove(
    user: String, for space: ProtectionSpace, removal: Removal = .recoverable
  ) async throws(VaultError) {
    try await waiting { () throws(VaultError) in
      try remove(user: user, for: space, removal: removal)
    }
  }
}
