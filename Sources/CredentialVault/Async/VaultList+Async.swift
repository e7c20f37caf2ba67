public import VaultModel

extension VaultList {
  /// The thread of a list is that of its first vault.
  var thread: VaultThread { vaults[0].thread }

  /// Calls the synchronous ``find(_:secrets:)`` without blocking the calling thread.
  public func find(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> Found<InternetPassword> {
    try await thread.run { () throws(VaultError) in try find(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findUnique(_:secrets:)`` without blocking the calling thread.
  public func findUnique(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> Found<InternetPassword> {
    try await thread.run { () throws(VaultError) in try findUnique(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findAll(_:secrets:)`` without blocking the calling thread.
  public func findAll(
    _ query: ItemQuery, secrets: Bool = false
  ) async throws(VaultError) -> [Found<InternetPassword>] {
    try await thread.run { () throws(VaultError) in try findAll(query, secrets: secrets) }
  }

  /// Calls the synchronous ``item(_:hint:secrets:)`` without blocking the calling thread.
  public func item(
    _ id: ItemID, hint: InternetPassword.Key? = nil, secrets: Bool = false
  ) async throws(VaultError) -> Found<InternetPassword> {
    try await thread.run { () throws(VaultError) in try item(id, hint: hint, secrets: secrets) }
  }

  /// Calls the synchronous ``credentials(for:)`` without blocking the calling thread.
  public func credentials(for space: ProtectionSpace) async throws(VaultError) -> [Credential] {
    try await thread.run { () throws(VaultError) in try credentials(for: space) }
  }

  /// Calls the synchronous ``defaultCredential(for:)`` without blocking the calling thread.
  public func defaultCredential(for space: ProtectionSpace) async throws(VaultError) -> Credential?
  {
    try await thread.run { () throws(VaultError) in try defaultCredential(for: space) }
  }
}

extension VaultListGenericPasswords {
  /// Calls the synchronous ``find(_:secrets:)`` without blocking the calling thread.
  public func find(
    _ query: GenericPasswordQuery, secrets: Bool = false
  ) async throws(VaultError) -> VaultList.Found<GenericPassword> {
    try await list.thread.run { () throws(VaultError) in try find(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findUnique(_:secrets:)`` without blocking the calling thread.
  public func findUnique(
    _ query: GenericPasswordQuery, secrets: Bool = false
  ) async throws(VaultError) -> VaultList.Found<GenericPassword> {
    try await list.thread.run { () throws(VaultError) in try findUnique(query, secrets: secrets) }
  }

  /// Calls the synchronous ``findAll(_:secrets:)`` without blocking the calling thread.
  public func findAll(
    _ query: GenericPasswordQuery = GenericPasswordQuery(), secrets: Bool = false
  ) async throws(VaultError) -> [VaultList.Found<GenericPassword>] {
    try await list.thread.run { () throws(VaultError) in try findAll(query, secrets: secrets) }
  }

  /// Calls the synchronous ``item(_:hint:secrets:)`` without blocking the calling thread.
  public func item(
    _ id: ItemID, hint: GenericPassword.Key? = nil, secrets: Bool = false
  ) async throws(VaultError) -> VaultList.Found<GenericPassword> {
    try await list.thread.run { () throws(VaultError) in try item(id, hint: hint, secrets: secrets)
    }
  }
}
