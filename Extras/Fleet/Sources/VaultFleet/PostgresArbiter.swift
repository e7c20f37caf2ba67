import Synchronization
package import VaultStore
package import VaultModel

/// A PostgreSQL server as the arbiter of a vault's replicas.
///
/// The lock is that of the vault's row. Optimistic tries were measured to be slower and unfair.
/// The server is not trusted: its generations only choose the rows to send.
package final class PostgresArbiter: Arbiter {
  private struct State: Sendable {
    /// Used under the lock alone.
    nonisolated(unsafe) var connection: PostgresConnection?
    /// The row lock; nil without it.
    var locked: HeldLock?
  }

  private struct HeldLock: Sendable {
    /// The generation under it.
    let generation: UInt64
    /// The time at which the server last heard from its holder.
    var contact = ContinuousClock.now
  }

  private let address: ServerAddress
  let vault: VaultID
  let lockTimeout: Duration
  let idleLimit: Duration
  let byteLimit: Int
  // Its state is the only one that several threads may reach.
  private let state: Mutex<State>

  /// Creates an arbiter, which connects when it is needed.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - vault: The vault.
  ///   - lockTimeout: The limit of waiting for other writers.
  ///   - idleLimit: How long a writer may compute under the lock without a sign of progress, less
  ///     than others wait by default.
  ///   - byteLimit: How much of the rows that are new is taken into memory. A rekey sends all rows
  ///     of a vault, of a million items 190 MB.
  package convenience init(
    _ address: ServerAddress, vault: VaultID, lockTimeout: Duration = .seconds(10),
    idleLimit: Duration = .seconds(8), byteLimit: Int = 1 << 30
  ) {
    self.init(
      address, vault: vault, lockTimeout: lockTimeout, idleLimit: idleLimit, byteLimit: byteLimit,
      connection: nil)
  }

  /// Creates an arbiter with a connection that nobody else uses from now on.
  convenience init(
    _ address: ServerAddress, vault: VaultID, lockTimeout: Duration,
    over connection: PostgresConnection
  ) {
    self.init(
      address, vault: vault, lockTimeout: lockTimeout, idleLimit: .seconds(8), byteLimit: 1 << 30,
      connection: connection)
  }

  private init(
    _ address: ServerAddress, vault: VaultID, lockTimeout: Duration, idleLimit: Duration,
    byteLimit: Int, connection: PostgresConnection?
  ) {
    (self.address, self.vault, self.lockTimeout) = (address, vault, lockTimeout)
    (self.idleLimit, self.byteLimit) = (idleLimit, byteLimit)
    // The connection is the state's alone.
    state = Mutex(State(connection: connection))
  }

  // MARK: Connection

  /// Runs `body`, which stores nothing, with the connection; with a new one if it turns out that
  /// it was lost since its last use, unless that would repeat what cannot be taken back.
  private func connectedAgain<R: Sendable>(
    unless isBegun: () -> Bool = { false },
    _ body: (PostgresConnection, inout HeldLock?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    // The connection is touched under the lock alone.
    let isKnown = state.withLock { state in unsafe state.connection?.isBroken == false }
    do throws(VaultError) {
      return try connected(body)
    } catch {
      let isLost = state.withLock { state in unsafe state.connection == nil }
      guard isKnown, isLost, error.code == .unavailable, !isBegun() else { throw error }
      return try connected(body)
    }
  }

  /// Runs `body` with the connection; a new one if there is none, or it was lost.
  private func connected<R: Sendable>(
    _ body: (PostgresConnection, inout HeldLock?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try state.withLock { (state) throws(VaultError) in
      // The connection is touched under the lock alone.
      if unsafe state.connection?.isBroken ?? true {
        state.locked = nil
        unsafe state.connection = try PostgresConnection(address, lockTimeout: lockTimeout)
      }
      guard let connection = unsafe state.connection else {
        throw VaultError(.internalError, "there is no connection")
      }
      do throws(VaultError) {
        return try body(connection, &state.locked)
      } catch {
        // So that the server learns of it, and ends the lock.
        if connection.isBroken { unsafe state.connection = nil }
        throw error
      }
    }
  }

  // MARK: Arbiter

  package func rows(after generation: UInt64) throws(VaultError) -> RowDelta {
    try connectedAgain { (connection, _) throws(VaultError) in
      try delta(of: [pull(after: generation)], over: connection)
    }
  }

  package func opening() throws(VaultError) -> RowDelta {
    var vault = try connectedAgain { (connection, _) throws(VaultError) in
      try delta(of: [slots], over: connection)
    }
    vault.rows.sort { $0.id < $1.id }
    return vault
  }

  package func copy(
    head: (RowDelta) throws(VaultError) -> Void, row: (RowDelta.Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    var isBegun = false
    try connectedAgain(unless: { isBegun }) { (connection, _) throws(VaultError) in
      do throws(VaultError) {
        try connection.run(whole) { (statement, values) throws(VaultError) in
          if statement == 1, !isBegun {
            isBegun = true
            try head(Self.head(values))
          } else {
            try row(Self.entry(values))
          }
        }
      } catch {
        connection.endTransaction()
        throw error
      }
    }
    guard isBegun else { throw Self.noVault }
  }

  package func begin(after generation: UInt64) throws(VaultError) -> RowDelta {
    try connectedAgain { (connection, locked) throws(VaultError) in
      do throws(VaultError) {
        let lock = Query(
          "SELECT generation FROM credential_vault.vault WHERE id = $1 FOR UPDATE",
          .bytes(vault.bytes))
        let delta = try delta(of: begin + [lock, pull(after: generation)], over: connection)
        locked = HeldLock(generation: delta.generation)
        return delta
      } catch {
        connection.endTransaction()
        throw error
      }
    }
  }

  package func commit(_ new: RowDelta) throws(VaultError) {
    try connected { (connection, locked) throws(VaultError) in
      guard let old = locked else { throw Self.ended }
      locked = nil
      let isLate = ContinuousClock.now - old.contact > idleLimit
      var (queries, isComplete) = (upserts(new), false)
      // Under the lock it is always one row: if not, the division fails, and with it the COMMIT.
      queries.append(
        Query(
          """
          WITH changed AS (
            UPDATE credential_vault.vault
            SET ident = $2, head = $3, generation = $4, changed = pg_catalog.now()
            WHERE id = $1 AND generation = $5 RETURNING 1)
          SELECT 1 / pg_catalog.count(*) FROM changed
          """, .bytes(vault.bytes), .bytes(new.ident), .bytes(new.head),
          .integer(Int64(clamping: new.generation)), .integer(Int64(clamping: old.generation))))
      queries += [notification, Query("COMMIT")]
      do throws(VaultError) {
        // The rows of a rekey would otherwise all be in memory twice.
        while queries.count > 4 { _ = try connection.run([queries.removeFirst()]) }
        isComplete = true
        _ = try connection.run(queries)
      } catch {
        let isUnknown = connection.isBroken && isComplete
        connection.endTransaction()
        let context = isLate ? lateness(error) : error.context
        throw VaultError(isUnknown ? .outcomeUnknown : error.code, context)
      }
    }
  }

  private static var ended: VaultError {
    VaultError(.unavailable, "the fleet's server ended the lock before the commit")
  }

  /// Returns the context of an error after the server may have ended the lock.
  private func lateness(_ error: VaultError) -> String {
    "the change took longer under the server's lock than the \(idleLimit / .seconds(1)) s for which"
      + " one machine may keep others waiting: \(error.context)"
  }

  package func keepLock() throws(VaultError) {
    try state.withLock { (state) throws(VaultError) in
      // The connection is touched under the lock alone.
      guard let held = state.locked else { return }
      let silence = ContinuousClock.now - held.contact
      guard silence > idleLimit / 4 else { return }
      do throws(VaultError) {
        guard let connection = unsafe state.connection else { throw Self.ended }
        _ = try connection.run([Query("SELECT 1")])
        state.locked?.contact = .now
      } catch {
        throw VaultError(error.code, silence > idleLimit ? lateness(error) : error.context)
      }
    }
  }

  package func abandon() {
    state.withLock { state in
      guard state.locked != nil else { return }
      state.locked = nil
      // The connection is touched under the lock alone.
      unsafe state.connection?.endTransaction()
    }
  }

  package func publish(_ new: RowDelta) throws(VaultError) {
    try connected { (connection, _) throws(VaultError) in
      do throws(VaultError) {
        let create = Query(
          """
          INSERT INTO credential_vault.vault (id, ident, head, generation) VALUES ($1, $2, $3, $4)
          """, .bytes(vault.bytes), .bytes(new.ident), .bytes(new.head),
          .integer(Int64(clamping: new.generation)))
        _ = try connection.run(begin + [create])
        for query in upserts(new) { _ = try connection.run([query]) }
      } catch {
        connection.endTransaction()
        throw error
      }
      do throws(VaultError) {
        _ = try connection.run([notification, Query("COMMIT")])
      } catch {
        guard connection.isBroken else { throw error }
        throw VaultError(.outcomeUnknown, error.context)
      }
    }
  }
}
