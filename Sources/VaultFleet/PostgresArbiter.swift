import SecureMemory
package import VaultCrypto
package import VaultFile
package import VaultModel

/// A PostgreSQL server as the arbiter of a vault's replicas.
///
/// The lock is that of the vault's row. Optimistic tries were measured to be slower and unfair.
/// Nothing that the server says is believed: its generations only choose the rows to send.
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
    /// When it was taken.
    let time: ContinuousClock.Instant
  }

  private let address: ServerAddress
  let vault: VaultID
  private let lockTimeout: Duration
  private let idleLimit: Duration
  // Its state is the only one that several threads may reach.
  private let state: Lock<State>

  /// Creates an arbiter, which connects when it is needed.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - vault: The vault.
  ///   - lockTimeout: The limit of waiting for other writers.
  ///   - idleLimit: How long a writer may compute under the lock, less than others wait by default.
  package convenience init(
    _ address: ServerAddress, vault: VaultID, lockTimeout: Duration = .seconds(10),
    idleLimit: Duration = .seconds(8)
  ) {
    self.init(address, vault: vault, lockTimeout, idleLimit, nil)
  }

  /// Creates an arbiter with a connection that nobody else uses from now on.
  convenience init(
    _ address: ServerAddress, vault: VaultID, lockTimeout: Duration,
    over connection: PostgresConnection
  ) {
    self.init(address, vault: vault, lockTimeout, .seconds(8), connection)
  }

  private init(
    _ address: ServerAddress, vault: VaultID, _ lockTimeout: Duration, _ idleLimit: Duration,
    _ connection: PostgresConnection?
  ) {
    (self.address, self.vault, self.lockTimeout) = (address, vault, lockTimeout)
    self.idleLimit = idleLimit
    // The connection is the state's alone.
    state = Lock(State(connection: connection))
  }

  // MARK: Statements

  /// One statement, so that all is of one moment; removed rows have no bytes.
  private func pull(after generation: UInt64) -> Query {
    Query(
      """
      SELECT 0::int2, generation, ident, head FROM credential_vault.vault WHERE id = $1
      UNION ALL
      SELECT kind, id, sealed, NULL FROM credential_vault.sealed_row
      WHERE vault = $1 AND generation > $2
      """, .bytes(vault.bytes), .integer(Int64(clamping: generation)))
  }

  /// The head and the slots.
  private var slots: Query {
    Query(
      """
      SELECT 0::int2, generation, ident, head FROM credential_vault.vault WHERE id = $1
      UNION ALL
      SELECT kind, id, sealed, NULL FROM credential_vault.sealed_row
      WHERE vault = $1 AND kind = 1 AND sealed IS NOT NULL
      """, .bytes(vault.bytes))
  }

  /// The statements that return a whole vault, head first, all of one moment.
  private var whole: [Query] {
    [
      Query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
      Query(
        "SELECT 0::int2, generation, ident, head FROM credential_vault.vault WHERE id = $1",
        .bytes(vault.bytes)),
      Query(
        """
        SELECT kind, id, sealed FROM credential_vault.sealed_row
        WHERE vault = $1 AND sealed IS NOT NULL ORDER BY kind, id
        """, .bytes(vault.bytes)),
      Query("COMMIT"),
    ]
  }

  private func delta(_ rows: [AnswerRow]) throws(VaultError) -> RowDelta {
    guard let first = rows.firstIndex(where: { $0.integer(0) == 0 }) else { throw Self.noVault }
    var delta = Self.head(rows[first])
    delta.rows.reserveCapacity(rows.count - 1)
    for (index, row) in rows.enumerated() where index != first {
      delta.rows.append(try Self.entry(row))
    }
    return delta
  }

  private static func head(_ row: AnswerRow) -> RowDelta {
    RowDelta(
      generation: UInt64(clamping: row.integer(1) ?? 0), ident: row.bytes(2), head: row.bytes(3),
      rows: [])
  }

  private static func entry(_ row: AnswerRow) throws(VaultError) -> RowDelta.Entry {
    guard let kind = row.integer(0), let table = RowDelta.Table(rawValue: Int16(clamping: kind)),
      let id = row.integer(1)
    else { throw VaultError(.tooNew, "the fleet's server has rows of an unknown kind") }
    return RowDelta.Entry(table, UInt64(bitPattern: id), row.value(2))
  }

  private static var noVault: VaultError {
    VaultError(
      .configuration,
      "the fleet's server does not have this vault, or does not show it to this role")
  }

  /// Returns the statements that write rows, each with a few MiB at most.
  private func upserts(_ delta: RowDelta) -> [Query] {
    var queries: [Query] = []
    var (kinds, ids, bodies, count) = ([Int16](), [Int64](), [[UInt8]?](), 0)
    func flush() {
      guard !ids.isEmpty else { return }
      queries.append(
        Query(
          """
          INSERT INTO credential_vault.sealed_row AS old (vault, kind, id, sealed, generation)
          SELECT $1, row.kind, row.id, row.sealed, $2
          FROM unnest($3::int2[], $4::int8[], $5::bytea[]) AS row (kind, id, sealed)
          ON CONFLICT (vault, kind, id) DO UPDATE
          SET sealed = excluded.sealed, generation = excluded.generation
          """, .bytes(vault.bytes), .integer(Int64(clamping: delta.generation)),
          .smallIntegers(kinds), .integers(ids), .byteStrings(bodies)))
      (kinds, ids, bodies, count) = ([], [], [], 0)
    }
    for row in delta.rows {
      kinds.append(row.table.rawValue)
      ids.append(Int64(bitPattern: row.id))
      bodies.append(row.sealed)
      count += row.sealed?.count ?? 0
      if count > 4 << 20 { flush() }
    }
    flush()
    return queries
  }

  private var begin: [Query] {
    // 0 would be no limit.
    func milliseconds(_ time: Duration) -> Parameter {
      .text("\(max(1, Int64(time / .milliseconds(1))))")
    }
    return [
      Query("BEGIN ISOLATION LEVEL READ COMMITTED"),
      // For this transaction alone, as a pool of connections wants it. The last
      // four end the lock of a machine that vanished in the middle of a statement.
      Query(
        """
        SELECT set_config('lock_timeout', $1, true),
          set_config('idle_in_transaction_session_timeout', $2, true),
          set_config('tcp_user_timeout', '10000', true),
          set_config('tcp_keepalives_idle', '5', true),
          set_config('tcp_keepalives_interval', '5', true),
          set_config('tcp_keepalives_count', '2', true)
        """, milliseconds(lockTimeout), milliseconds(idleLimit)),
    ]
  }

  private var notification: Query {
    // Everybody who may connect can listen: it says nothing but that somebody committed.
    Query("NOTIFY credential_vault")
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
      let isBroken = state.withLock { state in unsafe state.connection?.isBroken == true }
      guard isKnown, isBroken, !isBegun() else { throw error }
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
        unsafe state.connection = try PostgresConnection(
          address, limit: lockTimeout + .seconds(10))
      }
      guard let connection = unsafe state.connection else {
        throw VaultError(.internalError, "there is no connection")
      }
      return try body(connection, &state.locked)
    }
  }

  private func endTransaction(_ connection: PostgresConnection) {
    do throws(VaultError) {
      _ = try connection.run([Query("ROLLBACK")])
    } catch {
      // It is broken now, and with it the server ends the transaction.
    }
  }

  // MARK: Arbiter

  package func rows(after generation: UInt64) throws(VaultError) -> RowDelta {
    try connectedAgain { (connection, _) throws(VaultError) in
      try delta(connection.run([pull(after: generation)])[0])
    }
  }

  package func opening() throws(VaultError) -> RowDelta {
    var vault = try connectedAgain { (connection, _) throws(VaultError) in
      try delta(connection.run([slots])[0])
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
        if !connection.isBroken { endTransaction(connection) }
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
        let answers = try connection.run(begin + [lock, pull(after: generation)])
        let delta = try delta(answers[3])
        locked = HeldLock(generation: delta.generation, time: .now)
        return delta
      } catch {
        if !connection.isBroken { endTransaction(connection) }
        throw error
      }
    }
  }

  package func commit(_ new: RowDelta) throws(VaultError) {
    try connected { (connection, locked) throws(VaultError) in
      guard let old = locked else {
        throw VaultError(.unavailable, "the fleet's server ended the lock before the commit")
      }
      locked = nil
      let isLate = ContinuousClock.now - old.time > idleLimit
      var (queries, isComplete) = (upserts(new), false)
      // Under the lock it is always one row: if not, the division fails, and with it the COMMIT.
      queries.append(
        Query(
          """
          WITH changed AS (
            UPDATE credential_vault.vault
            SET ident = $2, head = $3, generation = $4, changed = now()
            WHERE id = $1 AND generation = $5 RETURNING 1)
          SELECT 1 / count(*) FROM changed
          """, .bytes(vault.bytes), .bytes(new.ident), .bytes(new.head),
          .integer(Int64(clamping: new.generation)), .integer(Int64(clamping: old.generation))))
      queries += [notification, Query("COMMIT")]
      do throws(VaultError) {
        // The rows of a rekey would otherwise all be in memory twice.
        while queries.count > 4 { _ = try connection.run([queries.removeFirst()]) }
        isComplete = true
        _ = try connection.run(queries)
      } catch {
        if !connection.isBroken { endTransaction(connection) }
        let isUnknown = connection.isBroken && isComplete
        guard isUnknown || isLate else { throw error }
        throw VaultError(
          isUnknown ? .outcomeUnknown : error.code,
          isLate ? "\(lateness): \(error.context)" : error.context)
      }
    }
  }

  /// Why the server may have ended the lock before a commit.
  private var lateness: String {
    "the change took longer under the server's lock than the \(idleLimit / .seconds(1)) s for which"
      + " one machine may keep others waiting"
  }

  package func abandon() {
    state.withLock { state in
      guard state.locked != nil else { return }
      state.locked = nil
      // The connection is touched under the lock alone.
      if let connection = unsafe state.connection, !connection.isBroken {
        endTransaction(connection)
      }
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
        if !connection.isBroken { endTransaction(connection) }
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
