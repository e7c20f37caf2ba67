public import SecureMemory
public import VaultModel

extension Vault {
  /// Calls the synchronous ``state()`` without blocking the calling thread.
  ///
  /// It waits for a call that is using the file, and not for those that wait behind that one.
  public func state() async throws(VaultError) -> State {
    try await Self.waitingAlone { () throws(VaultError) in try state() }
  }

  /// Calls the synchronous ``find(_:secrets:)`` without blocking the calling thread.
  public func find(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> InternetPassword {
    try await thread.run { () throws(VaultError) in try find(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findUnique(_:secrets:)`` without blocking the calling thread.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> InternetPassword {
    try await thread.run { () throws(VaultError) in try findUnique(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findAll(_:secrets:)`` without blocking the calling thread.
  public func findAll(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> [InternetPassword] {
    try await thread.run { () throws(VaultError) in try findAll(query, secrets: secrets) }
  }

  /// Calls the synchronous ``count(_:)`` without blocking the calling thread.
  public func count(_ query: ItemQuery) async throws(VaultError) -> Int {
    try await thread.run { () throws(VaultError) in try count(query) }
  }

  /// Calls the synchronous ``item(_:hint:secrets:)`` without blocking the calling thread.
  public func item(
    _ id: ItemID, hint: InternetPassword.Key? = nil, secrets: Bool = false
  ) async throws(VaultError) -> InternetPassword {
    try await thread.run { () throws(VaultError) in try item(id, hint: hint, secrets: secrets) }
  }

  /// Calls the synchronous ``add(_:persistence:isAccepted:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await thread.run { () throws(VaultError) in
      try add(item, persistence: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``upsert(_:persistence:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func upsert(
    _ item: InternetPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await thread.run { () throws(VaultError) in
      try upsert(item, persistence: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``modify(_:_:ifRevision:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func modify(
    _ item: InternetPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await thread.run { () throws(VaultError) in
      try modify(item, changes, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``remove(_:ifRevision:isForGood:)`` without blocking the calling thread.
  public func remove(
    _ item: InternetPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
  ) async throws(VaultError) {
    try await thread.run { () throws(VaultError) in
      try remove(item, ifRevision: revision, isForGood: isForGood)
    }
  }

  /// Calls the synchronous ``removeUnique(_:isForGood:)`` without blocking the calling thread.
  @discardableResult
  public func removeUnique(
    _ query: ItemQuery, isForGood: Bool = false
  ) async throws(VaultError) -> InternetPassword {
    try await thread.run { () throws(VaultError) in try removeUnique(query, isForGood: isForGood) }
  }

  /// Calls the synchronous ``removeAll(_:isForGood:)`` without blocking the calling thread.
  @discardableResult
  public func removeAll(_ query: ItemQuery, isForGood: Bool = false) async throws(VaultError) -> Int
  {
    try await thread.run { () throws(VaultError) in try removeAll(query, isForGood: isForGood) }
  }

  /// Calls the synchronous ``defaultUser(for:)`` without blocking the calling thread.
  public func defaultUser(for space: ProtectionSpace) async throws(VaultError) -> String? {
    try await thread.run { () throws(VaultError) in try defaultUser(for: space) }
  }

  /// Calls the synchronous ``setDefaultUser(_:for:)`` without blocking the calling thread.
  @discardableResult
  public func setDefaultUser(
    _ user: String?, for space: ProtectionSpace
  ) async throws(VaultError) -> PersistencePolicy.Decision {
    try await thread.run { () throws(VaultError) in try setDefaultUser(user, for: space) }
  }

  /// Calls the synchronous ``defaults()`` without blocking the calling thread.
  public func defaults() async throws(VaultError) -> [ProtectionSpace: String] {
    try await thread.run { () throws(VaultError) in try defaults() }
  }

  /// Calls the synchronous ``move(user:for:to:isAccepted:)`` without blocking the calling thread.
  @discardableResult
  public func move(
    user: String, for space: ProtectionSpace, to persistence: Persistence, isAccepted: Bool = false
  ) async throws(VaultError) -> [StoreResult] {
    try await thread.run { () throws(VaultError) in
      try move(user: user, for: space, to: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``removeAll(_:isForGood:)`` without blocking the calling thread.
  public func removeAll(
    _ persistence: Persistence, isForGood: Bool = false
  ) async throws(VaultError) {
    try await thread.run { () throws(VaultError) in try removeAll(persistence, isForGood: isForGood)
    }
  }

  /// Calls the synchronous ``credentials(for:)`` without blocking the calling thread.
  public func credentials(for space: ProtectionSpace) async throws(VaultError) -> [Credential] {
    try await thread.run { () throws(VaultError) in try credentials(for: space) }
  }

  /// Calls the synchronous ``users(for:)`` without blocking the calling thread.
  public func users(for space: ProtectionSpace) async throws(VaultError) -> [String] {
    try await thread.run { () throws(VaultError) in try users(for: space) }
  }

  /// Calls the synchronous ``defaultCredential(for:)`` without blocking the calling thread.
  public func defaultCredential(for space: ProtectionSpace) async throws(VaultError) -> Credential?
  {
    try await thread.run { () throws(VaultError) in try defaultCredential(for: space) }
  }

  /// Calls the synchronous ``defaultItem(for:at:secrets:)`` without blocking the calling thread.
  public func defaultItem(
    for space: ProtectionSpace, at requestPath: RequestPath? = nil, secrets: Bool = false
  ) async throws(VaultError) -> InternetPassword? {
    try await thread.run { () throws(VaultError) in
      try defaultItem(for: space, at: requestPath, secrets: secrets)
    }
  }

  /// Calls the synchronous ``set(_:for:at:isAccepted:)`` without blocking the calling thread.
  @discardableResult
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil,
    isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await thread.run { () throws(VaultError) in
      try set(credential, for: space, at: requestPath, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``setDefaultCredential(_:for:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func setDefaultCredential(
    _ credential: Credential, for space: ProtectionSpace, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await thread.run { () throws(VaultError) in
      try setDefaultCredential(credential, for: space, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``remove(user:for:isForGood:)`` without blocking the calling thread.
  public func remove(
    user: String, for space: ProtectionSpace, isForGood: Bool = false
  ) async throws(VaultError) {
    try await thread.run { () throws(VaultError) in
      try remove(user: user, for: space, isForGood: isForGood)
    }
  }

  /// Calls the synchronous ``allCredentials()`` without blocking the calling thread.
  public func allCredentials() async throws(VaultError) -> [ProtectionSpace: [Credential]] {
    try await thread.run { () throws(VaultError) in try allCredentials() }
  }

  /// Calls the synchronous
  /// ``open(path:key:lockTimeout:minimumCost:acceptsAnother:sharingSession:)`` without blocking
  /// the calling thread.
  public static func open(
    path: String? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptsAnother: Bool = false,
    sharingSession: Bool = false
  ) async throws(VaultError) -> Vault {
    try await VaultThread().run { () throws(VaultError) in
      try open(
        path: path, key: key, lockTimeout: lockTimeout, minimumCost: minimumCost,
        acceptsAnother: acceptsAnother, sharingSession: sharingSession)
    }
  }

  /// Calls the synchronous
  /// ``openLocked(path:lockTimeout:minimumCost:acceptsAnother:sharingSession:)`` without
  /// blocking the calling thread.
  public static func openLocked(
    path: String? = nil, lockTimeout: Duration = .seconds(10),
    minimumCost: PassphraseCost = .policy, acceptsAnother: Bool = false,
    sharingSession: Bool = false
  ) async throws(VaultError) -> Vault {
    try await VaultThread().run { () throws(VaultError) in
      try openLocked(
        path: path, lockTimeout: lockTimeout, minimumCost: minimumCost,
        acceptsAnother: acceptsAnother, sharingSession: sharingSession)
    }
  }

  /// Calls the synchronous ``create(path:key:slotName:cost:recoveryCode:)`` without blocking the
  /// calling thread.
  public static func create(
    path: String? = nil, key: KeySource, slotName: String = "", cost: PassphraseCost? = nil,
    recoveryCode: Secret? = nil
  ) async throws(VaultError) -> Vault {
    try await VaultThread().run { () throws(VaultError) in
      try create(path: path, key: key, slotName: slotName, cost: cost, recoveryCode: recoveryCode)
    }
  }

  /// Calls the synchronous ``list(_:key:lockTimeout:sharingSession:)`` without blocking the calling
  /// thread.
  public static func list(
    _ vaults: [ListedVault]? = nil, key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    sharingSession: Bool = false
  ) async throws(VaultError) -> VaultList {
    try await VaultThread().run { () throws(VaultError) in
      try list(
        vaults, key: key, lockTimeout: lockTimeout, sharingSession: sharingSession)
    }
  }

  /// Calls the synchronous ``list(_:key:lockTimeout:sharingSession:)`` without blocking the calling
  /// thread.
  public static func list(
    _ paths: [String], key: KeySource? = nil, lockTimeout: Duration = .seconds(10),
    sharingSession: Bool = false
  ) async throws(VaultError) -> VaultList {
    try await VaultThread().run { () throws(VaultError) in
      try list(
        paths, key: key, lockTimeout: lockTimeout, sharingSession: sharingSession)
    }
  }

  /// Calls the synchronous ``unlock(with:)`` without blocking the calling thread.
  public func unlock(with key: KeySource) async throws(VaultError) {
    try await thread.run { () throws(VaultError) in try unlock(with: key) }
  }

  /// Calls the synchronous ``lock()`` without blocking the calling thread.
  ///
  /// It does so even if the task is cancelled. It waits for a call that is using the file, such as
  /// a transaction, and not for those that wait behind that one; they find the vault locked.
  public func lock() async throws(VaultError) {
    try await VaultThread.cleanUp { () throws(VaultError) in try lock() }
  }

  /// Calls the synchronous ``close()`` without blocking the calling thread, and waits as the
  /// asynchronous `lock()` does.
  public func close() async throws(VaultError) {
    try await VaultThread.cleanUp { () throws(VaultError) in try close() }
  }

  /// Calls the synchronous ``transaction(_:)`` without blocking the calling thread.
  ///
  /// The closure is called on the vault's own thread.
  public func transaction<R: Sendable>(
    _ body: @Sendable (borrowing Transaction) throws -> R
  ) async throws -> R {
    try await thread.runUserClosure { try transaction(body) }
  }
}
