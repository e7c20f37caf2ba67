public import SecureMemory
public import VaultModel

extension VaultIdentities {
  /// Calls the synchronous ``findAll(for:)`` without blocking the calling thread.
  public func findAll(
    for space: ProtectionSpace? = nil
  ) async throws(VaultError) -> [StoredIdentity] {
    try await vault.waiting { () throws(VaultError) in try findAll(for: space) }
  }

  /// Calls the synchronous ``item(_:)`` without blocking the calling thread.
  public func item(_ id: ItemID) async throws(VaultError) -> StoredIdentity {
    try await vault.waiting { () throws(VaultError) in try item(id) }
  }

  /// Calls the synchronous ``open(_:pin:)`` without blocking the calling thread.
  public func open(
    _ stored: StoredIdentity, pin: Secret? = nil
  ) async throws(VaultError) -> Identity {
    try await vault.waiting { () throws(VaultError) in try open(stored, pin: pin) }
  }

  /// Calls the synchronous ``choose(for:_:at:suffixes:)`` without blocking the calling thread.
  public func choose(
    for url: String, _ request: IdentityRequest = IdentityRequest(), at time: Timestamp? = nil,
    suffixes: PublicSuffixes = .system
  ) async throws(VaultError) -> StoredIdentity {
    try await vault.waiting { () throws(VaultError) in
      try choose(for: url, request, at: time, suffixes: suffixes)
    }
  }

  /// Calls the synchronous ``add(_:for:name:persistence:isAccepted:)`` without blocking the calling
  /// thread.
  @discardableResult
  public func add(
    _ identity: Identity, for space: ProtectionSpace? = nil, name: String = "",
    persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> IdentityStoreResult {
    try await vault.waiting { () throws(VaultError) in
      try add(
        identity, for: space, name: name, persistence: persistence, isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``replace(_:with:)`` without blocking the calling thread.
  @discardableResult
  public func replace(
    _ stored: StoredIdentity, with identity: Identity
  ) async throws(VaultError) -> IdentityStoreResult {
    try await vault.waiting { () throws(VaultError) in try replace(stored, with: identity) }
  }

  /// Calls the synchronous ``renew(_:certificate:chain:)`` without blocking the calling thread.
  @discardableResult
  public func renew(
    _ stored: StoredIdentity, certificate: Certificate, chain: [Certificate] = []
  ) async throws(VaultError) -> IdentityStoreResult {
    try await vault.waiting { () throws(VaultError) in
      try renew(stored, certificate: certificate, chain: chain)
    }
  }

  /// Calls the synchronous ``remove(_:isForGood:)`` without blocking the calling thread.
  public func remove(_ stored: StoredIdentity, isForGood: Bool = false) async throws(VaultError) {
    try await vault.waiting { () throws(VaultError) in try remove(stored, isForGood: isForGood) }
  }

  /// Calls the synchronous ``setPreferred(_:for:suffixes:)`` without blocking the calling thread.
  public func setPreferred(
    _ identity: StoredIdentity?, for name: String, suffixes: PublicSuffixes = .system
  ) async throws(VaultError) {
    try await vault.waiting { () throws(VaultError) in
      try setPreferred(identity, for: name, suffixes: suffixes)
    }
  }

  /// Calls the synchronous ``preferred(for:suffixes:)`` without blocking the calling thread.
  public func preferred(
    for name: String, suffixes: PublicSuffixes = .system
  ) async throws(VaultError) -> StoredIdentity {
    try await vault.waiting { () throws(VaultError) in try preferred(for: name, suffixes: suffixes)
    }
  }

  /// Calls the synchronous ``preferences()`` without blocking the calling thread.
  public func preferences() async throws(VaultError) -> [IdentityPreference] {
    try await vault.waiting { () throws(VaultError) in try preferences() }
  }

  /// Calls the synchronous ``add(_:key:for:name:persistence:isAccepted:)`` without blocking the
  /// calling thread.
  @discardableResult
  public func add(
    _ certificates: [Certificate], key: KeyReference, for space: ProtectionSpace? = nil,
    name: String = "", persistence: Persistence = .permanent, isAccepted: Bool = false
  ) async throws(VaultError) -> IdentityStoreResult {
    try await vault.waiting { () throws(VaultError) in
      try add(
        certificates, key: key, for: space, name: name, persistence: persistence,
        isAccepted: isAccepted)
    }
  }

  /// Calls the synchronous ``replace(_:with:key:)`` without blocking the calling thread.
  @discardableResult
  public func replace(
    _ stored: StoredIdentity, with certificates: [Certificate], key: KeyReference
  ) async throws(VaultError) -> IdentityStoreResult {
    try await vault.waiting { () throws(VaultError) in
      try replace(stored, with: certificates, key: key)
    }
  }

  /// Calls the synchronous ``openReference(_:pin:)`` without blocking the calling thread.
  public func openReference(
    _ stored: StoredIdentity, pin: Secret? = nil
  ) async throws(VaultError) -> KeyReference {
    try await vault.waiting { () throws(VaultError) in try openReference(stored, pin: pin) }
  }
}
