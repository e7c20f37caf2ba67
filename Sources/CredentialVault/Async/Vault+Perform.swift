package import VaultModel

/// The door for tasks: the asynchronous form of every function that may wait.
extension Vault {
  /// Calls `body` with the vault, without blocking the calling thread.
  ///
  /// ```swift
  /// let slot = try await vault.perform { vault in try vault.keys.add(key, name: "backup") }
  /// ```
  ///
  /// - Parameter body: Called on the vault's own thread, after the calls that came before; it may
  ///   block, and a wait within it ends when the task is cancelled.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`; ``VaultError/Code/interrupted`` if the task is cancelled before
  ///   it begins.
  public func perform<R: Sendable>(_ body: @Sendable (Vault) throws -> R) async throws -> R {
    try await waiting { () throws(VaultError) in Result { try body(self) } }.get()
  }

  /// Calls `body` without blocking the calling thread, as `perform` of a vault does, on a thread
  /// of its own, where it holds up no call of a vault.
  ///
  /// ```swift
  /// let vault = try await Vault.perform { try Vault.create(key: .keyFile(path)) }
  /// ```
  public static func perform<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
    try await waitingAlone { () throws(VaultError) in Result { try body() } }.get()
  }

  /// Calls `body` as `perform` of a vault does, if it throws only ``VaultError``.
  package func waiting<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await thread.run(body)
  }

  /// Calls `body` on a thread of its own, if it throws only ``VaultError``.
  package static func waitingAlone<R: Sendable>(
    _ body: @Sendable () throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    try await VaultThread().run(body)
  }

  /// Runs a clean-up on a thread of its own: at once, whatever runs or waits on the vault's thread,
  /// and even if the task is cancelled.
  @concurrent
  package static func cleanUp(
    _ body: @Sendable () throws(VaultError) -> Void
  ) async throws(VaultError) {
    try await withTaskExecutorPreference(VaultThread()) { () async throws(VaultError) in
      try body()
    }
  }
}
