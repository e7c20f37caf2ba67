import VaultStore
public import VaultModel

extension Vault {
  /// The vault at one moment: everything that it finds is from the same state of the file.
  ///
  /// The session's credentials are those of each call. Valid only within the body of
  /// ``Vault/read(_:)``.
  public struct Reader: ~Copyable, VaultReading {
    let session: LayeredSession
    /// The file; nil for a vault in memory.
    let file: (any FileReading)?

    /// The time by which expiry is judged.
    public var now: Timestamp { session.time.now() }
  }

  /// Runs `body` with one moment of the vault.
  ///
  /// Nobody writes the file until `body` has returned: other threads and processes wait for it. The
  /// vault itself must not be called within it. If the vault's file was replaced by another one
  /// meanwhile, and `body` throws, it runs a second time, on that one.
  ///
  /// ```swift
  /// let counts = try vault.read { reader in
  ///   try reader.findAll(query).map { item in try reader.history(of: item).count }
  /// }
  /// ```
  ///
  /// - Throws: Any error of `body`; ``VaultError/Code/locked``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/busy``.
  public func read<R, E: Error>(_ body: (borrowing Reader) throws(E) -> R) throws -> R {
    try UserClosure.within { (closure) throws(VaultError) in
      try requireUnlocked()
      guard let file else {
        return try closure.call { try body(Reader(session: session, file: nil)) }
      }
      return try file.read(isHeld: true) { (moment) throws(VaultError) in
        try closure.call { try body(Reader(session: session, file: moment)) }
      }
    }
  }

  /// Calls ``read(_:)`` without blocking; the closure is called on the vault's own thread.
  public func read<R: Sendable>(
    _ body: @Sendable (borrowing Reader) throws -> R
  ) async throws -> R {
    try await perform { vault in try vault.read(body) }
  }

  /// Answers each call from the file as it is then.
  func reader() throws(VaultError) -> Reader {
    try requireUnlocked()
    return Reader(session: session, file: file)
  }
}

// Not Sendable: a moment belongs to the thread that holds the file's lock.
@available(*, unavailable)
extension Vault.Reader: Sendable {}
