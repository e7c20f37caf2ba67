public import VaultModel

extension VaultGenericPasswords {
  /// Calls the synchronous ``find(_:secrets:)`` without blocking the calling thread.
  public func find(
    _ query: GenericPasswordQuery, secrets: Bool = false
  ) async throws(VaultError) -> GenericPassword {
    try await vault.thread.run { () throws(VaultError) in try find(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findUnique(_:secrets:)`` without blocking the calling thread.
  public func findUnique(
    _ query: GenericPasswordQuery, secrets: Bool = false
  ) async throws(VaultError) -> GenericPassword {
    try await vault.thread.run { () throws(VaultError) in try findUnique(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findAll(_:secrets:)`` without blocking the calling thread.
  public func findAll(
    _ query: GenericPasswordQuery = GenericPasswordQuery(), secrets: Bool = false
  ) async throws(VaultError) -> [GenericPassword] {
    try await vault.thread.run { () throws(VaultError) in try findAll(query, secrets: secrets) }
  }

  /// Calls the synchronous ``item(_:hint:secrets:)`` without blocking the calling thread.
  public func item(
    _ id: ItemID, hint: GenericPassword.Key? = nil, secrets: Bool = false
  ) async throws(VaultError) -> GenericPassword {
    try await vault.thread.run { () throws(VaultError) in
      try item(id, hint: hint, secrets: secrets)
    }
  }

  /// Calls the synchronous ``add(_:persistence:isAccepted:)`` without blocking the calling thread.
  @discardableResult
  public func add(
    _ item: GenericPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> GenericStoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try add(item, persistence: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``upsert(_:persistence:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func upsert(
    _ item: GenericPassword, persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> GenericStoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try upsert(item, persistence: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``modify(_:_:ifRevision:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func modify(
    _ item: GenericPassword, _ changes: [ItemChange], ifRevision revision: UInt64? = nil,
    isAccepted: Bool = false
  ) async throws(VaultError) -> GenericStoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try modify(item, changes, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``remove(_:ifRevision:isForGood:)`` without blocking the calling thread.
  public func remove(
    _ item: GenericPassword, ifRevision revision: UInt64? = nil, isForGood: Bool = false
  ) async throws(VaultError) {
    try await vault.thread.run { () throws(VaultError) in
      try remove(item, ifRevision: revision, isForGood: isForGood)
    }
  }

  /// Calls the synchronous ``removeAll(_:isForGood:)`` without blocking the calling thread.
  @discardableResult
  public func removeAll(
    _ query: GenericPasswordQuery, isForGood: Bool = false
  ) async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in
      try removeAll(query, isForGood: isForGood)
    }
  }

  /// Calls the synchronous ``history(of:secrets:)`` without blocking the calling thread.
  public func history(
    of item: GenericPassword, secrets: Bool = false
  ) async throws(VaultError) -> [PreviousSecret] {
    try await vault.thread.run { () throws(VaultError) in try history(of: item, secrets: secrets) }
  }

  /// Calls the synchronous ``revert(_:to:ifRevision:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func revert(
    _ item: GenericPassword, to previous: PreviousSecret? = nil,
    ifRevision revision: UInt64? = nil, isAccepted: Bool = false
  ) async throws(VaultError) -> GenericStoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try revert(item, to: previous, ifRevision: revision, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``trash(_:)`` without blocking the calling thread.
  public func trash(
    _ query: GenericPasswordQuery = GenericPasswordQuery()
  ) async throws(VaultError) -> [RemovedGenericPassword] {
    try await vault.thread.run { () throws(VaultError) in try trash(query) }
  }

  /// Calls the synchronous ``restore(_:)`` without blocking the calling thread.
  @discardableResult
  public func restore(
    _ removed: RemovedGenericPassword
  ) async throws(VaultError) -> GenericStoreResult {
    try await vault.thread.run { () throws(VaultError) in try restore(removed) }
  }

  /// Calls the synchronous ``emptyTrash(_:)`` without blocking the calling thread.
  @discardableResult
  public func emptyTrash(
    _ query: GenericPasswordQuery = GenericPasswordQuery()
  ) async throws(VaultError) -> Int {
    try await vault.thread.run { () throws(VaultError) in try emptyTrash(query) }
  }
}
