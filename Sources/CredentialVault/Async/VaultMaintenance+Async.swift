public import VaultModel

extension VaultMaintenance {
  /// Calls the synchronous ``information()`` without blocking the calling thread.
  public func information() async throws(VaultError) -> VaultInformation {
    try await vault.thread.run { () throws(VaultError) in try information() }
  }

  /// Calls the synchronous ``backup(to:keeping:)`` without blocking the calling thread.
  @discardableResult
  public func backup(
    to path: String, keeping count: Int? = nil
  ) async throws(VaultError) -> BackupReport {
    try await vault.thread.run { () throws(VaultError) in try backup(to: path, keeping: count) }
  }

  /// Calls the synchronous ``restore(from:to:key:removesSlots:lockTimeout:)`` without blocking the
  /// calling thread.
  @discardableResult
  public static func restore(
    from source: String, to path: String? = nil, key: KeySource? = nil, removesSlots: Bool = false,
    lockTimeout: Duration = .seconds(10)
  ) async throws(VaultError) -> RestoreReport {
    try await VaultThread().run { () throws(VaultError) in
      try restore(
        from: source, to: path, key: key, removesSlots: removesSlots, lockTimeout: lockTimeout)
    }
  }

  /// Calls the synchronous ``check(backup:against:key:lockTimeout:)`` without blocking the calling
  /// thread.
  public static func check(
    backup source: String, against path: String? = nil, key: KeySource? = nil,
    lockTimeout: Duration = .seconds(10)
  ) async throws(VaultError) -> BackupInformation {
    try await VaultThread().run { () throws(VaultError) in
      try check(backup: source, against: path, key: key, lockTimeout: lockTimeout)
    }
  }

  /// Calls the synchronous ``merge(_:into:key:otherKey:preferring:isDryRun:lockTimeout:)`` without
  /// blocking the calling thread.
  @discardableResult
  public static func merge(
    _ source: String, into path: String? = nil, key: KeySource? = nil, otherKey: KeySource? = nil,
    preferring preference: MergePreference? = nil, isDryRun: Bool = false,
    lockTimeout: Duration = .seconds(10)
  ) async throws(VaultError) -> MergeReport {
    try await VaultThread().run { () throws(VaultError) in
      try merge(
        source, into: path, key: key, otherKey: otherKey, preferring: preference,
        isDryRun: isDryRun, lockTimeout: lockTimeout)
    }
  }

  /// Calls the synchronous ``restoreItem(_:from:key:)`` without blocking the calling thread.
  @discardableResult
  public func restoreItem(
    _ id: ItemID, from source: String, key: KeySource? = nil
  ) async throws(VaultError) -> StoreResult {
    try await vault.thread.run { () throws(VaultError) in
      try restoreItem(id, from: source, key: key)
    }
  }

  /// Calls the synchronous ``diagnose(path:key:)`` without blocking the calling thread.
  public static func diagnose(
    path: String? = nil, key: KeySource? = nil
  ) async throws(VaultError) -> Diagnosis {
    try await VaultThread().run { () throws(VaultError) in try diagnose(path: path, key: key) }
  }

  /// Calls the synchronous ``expired()`` without blocking the calling thread.
  public func expired() async throws(VaultError) -> [InternetPassword] {
    try await vault.thread.run { () throws(VaultError) in try expired() }
  }

  /// Calls the synchronous ``purge()`` without blocking the calling thread.
  @discardableResult
  public func purge() async throws(VaultError) -> [InternetPassword] {
    try await vault.thread.run { () throws(VaultError) in try purge() }
  }

  /// Calls the synchronous ``verify(backup:)`` without blocking the calling thread.
  public func verify(backup: String? = nil) async throws(VaultError) -> VerificationReport {
    try await vault.thread.run { () throws(VaultError) in try verify(backup: backup) }
  }

  /// Calls the synchronous ``compact()`` without blocking the calling thread.
  @discardableResult
  public func compact() async throws(VaultError) -> (before: Int, after: Int) {
    try await vault.thread.run { () throws(VaultError) in try compact() }
  }

  /// Calls the synchronous ``migrate()`` without blocking the calling thread.
  @discardableResult
  public func migrate() async throws(VaultError) -> (before: FormatVersion, after: FormatVersion) {
    try await vault.thread.run { () throws(VaultError) in try migrate() }
  }

  /// Calls the synchronous ``salvage(path:to:key:cost:acceptsAnother:)`` without blocking the
  /// calling thread.
  public static func salvage(
    path: String? = nil, to target: String, key: KeySource, cost: PassphraseCost? = nil,
    acceptsAnother: Bool = false
  ) async throws(VaultError) -> SalvageReport {
    try await VaultThread().run { () throws(VaultError) in
      try salvage(path: path, to: target, key: key, cost: cost, acceptsAnother: acceptsAnother)
    }
  }

  /// Calls the synchronous ``restoreItem(from:key:select:)`` without blocking the calling thread.
  ///
  /// The closure is called on the vault's own thread.
  @discardableResult
  public func restoreItem(
    from source: String, key: KeySource? = nil,
    select:
      @Sendable (
        _ find: @escaping (ItemQuery) throws(VaultError) -> [InternetPassword]
      ) throws -> InternetPassword
  ) async throws -> StoreResult {
    try await vault.thread.runUserClosure {
      try restoreItem(from: source, key: key, select: select)
    }
  }
}
