public import VaultModel

extension VaultPolicy {
  /// Calls the synchronous ``excesses()`` without blocking the calling thread.
  public func excesses() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try excesses() }
  }

  /// Calls the synchronous ``apply()`` without blocking the calling thread.
  @discardableResult
  public func apply() async throws(VaultError) -> [PolicyExcess] {
    try await vault.thread.run { () throws(VaultError) in try apply() }
  }

  /// Calls the synchronous ``current()`` without blocking the calling thread.
  public func current() async throws(VaultError) -> PersistencePolicy {
    try await vault.thread.run { () throws(VaultError) in try current() }
  }

  /// Calls the synchronous ``explain(_:requested:)`` without blocking the calling thread.
  public func explain(
    _ space: ProtectionSpace, requested: Persistence = .permanent
  ) async throws(VaultError) -> PolicyExplanation {
    try await vault.thread.run { () throws(VaultError) in try explain(space, requested: requested) }
  }

  /// Calls the synchronous ``explain(service:requested:)`` without blocking the calling thread.
  public func explain(
    service: String, requested: Persistence = .permanent
  ) async throws(VaultError) -> PolicyExplanation {
    try await vault.thread.run { () throws(VaultError) in
      try explain(service: service, requested: requested)
    }
  }

  /// Calls the synchronous ``update(_:)`` without blocking the calling thread.
  ///
  /// The closure is called on the vault's own thread.
  @discardableResult
  public func update(
    _ change: @Sendable (inout [PersistencePolicy.Rule]) throws -> Void
  ) async throws -> PersistencePolicy {
    try await vault.thread.runUserClosure { try update(change) }
  }
}

extension PendingCredentials {
  /// Calls the synchronous ``set(_:for:at:)`` without blocking the calling thread.
  public func set(
    _ credential: Credential, for space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try set(credential, for: space, at: requestPath)
    }
  }

  /// Calls the synchronous ``confirm(_:)`` without blocking the calling thread.
  @discardableResult
  public func confirm(_ pending: PendingCredential) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try confirm(pending) }
  }

  /// Calls the synchronous ``reject(_:)`` without blocking the calling thread, even if the task is
  /// cancelled.
  public func reject(_ pending: PendingCredential) async throws(VaultError) {
    try await VaultThread.cleanUp { () throws(VaultError) in try reject(pending) }
  }
}

extension VaultTrash {
  /// Calls the synchronous ``items(_:)`` without blocking the calling thread.
  public func items(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> [RemovedItem] {
    try await vault.thread.run { () throws(VaultError) in try items(query) }
  }

  /// Calls the synchronous ``restore(_:)`` without blocking the calling thread.
  @discardableResult
  public func restore(_ removed: RemovedItem) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in try restore(removed) }
  }

  /// Calls the synchronous ``empty(_:)`` without blocking the calling thread.
  @discardableResult
  public func empty(_ query: ItemQuery = ItemQuery()) async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try empty(query) }
  }

  /// Calls the synchronous ``days()`` without blocking the calling thread.
  public func days() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try days() }
  }

  /// Calls the synchronous ``setDays(_:)`` without blocking the calling thread.
  public func setDays(_ days: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setDays(days) }
  }
}

extension VaultHistory {
  /// Calls the synchronous ``entries(of:secrets:)`` without blocking the calling thread.
  public func entries(
    of item: InternetPassword, secrets: Bool = false
  ) async throws(VaultError) -> [PreviousSecret] {
    try await vault.thread.run { () throws(VaultError) in try entries(of: item, secrets: secrets) }
  }

  /// Calls the synchronous ``open(_:of:)`` without blocking the calling thread.
  public func open(
    _ previous: PreviousSecret, of item: InternetPassword
  ) async throws(VaultError) -> PreviousSecret {
    try await vault.thread.run { () throws(VaultError) in try open(previous, of: item) }
  }

  /// Calls the synchronous ``revert(_:to:ifRevision:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func revert(
    _ item: InternetPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try revert(item, to: previous, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``limit()`` without blocking the calling thread.
  public func limit() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try limit() }
  }

  /// Calls the synchronous ``setLimit(_:)`` without blocking the calling thread.
  public func setLimit(_ limit: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setLimit(limit) }
  }
}

extension VaultLog {
  /// Calls the synchronous ``changes(since:of:limit:)`` without blocking the calling thread.
  public func changes(
    since start: Timestamp? = nil, of item: ItemID? = nil, limit: Int? = nil
  ) async throws(VaultError) -> [LoggedChange] {
    try await vault.thread.run { () throws(VaultError) in
      try changes(since: start, of: item, limit: limit)
    }
  }

  /// Calls the synchronous ``days()`` without blocking the calling thread.
  public func days() async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try days() }
  }

  /// Calls the synchronous ``setDays(_:)`` without blocking the calling thread.
  public func setDays(_ days: Int) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in try setDays(days) }
  }
}
