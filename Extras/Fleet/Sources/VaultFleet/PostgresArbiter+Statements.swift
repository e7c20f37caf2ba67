import VaultStore
import VaultModel

/// The statements, and the meaning of their answers.
///
/// Functions are named with their schema: anyone who may create functions in another one could make
/// a role run them.
extension PostgresArbiter {
  /// Returns the query for newer rows as one statement, so that all is of one moment; removed rows
  /// have no bytes.
  func pull(after generation: UInt64) -> Query {
    Query(
      """
      SELECT 0::int2, generation, ident, head FROM credential_vault.vault WHERE id = $1
      UNION ALL
      SELECT kind, id, sealed, NULL FROM credential_vault.sealed_row
      WHERE vault = $1 AND generation > $2
      """, .bytes(vault.bytes), .integer(Int64(clamping: generation)))
  }

  /// The head and the slots.
  var slots: Query {
    Query(
      """
      SELECT 0::int2, generation, ident, head FROM credential_vault.vault WHERE id = $1
      UNION ALL
      SELECT kind, id, sealed, NULL FROM credential_vault.sealed_row
      WHERE vault = $1 AND kind = 1 AND sealed IS NOT NULL
      """, .bytes(vault.bytes))
  }

  /// The statements that return a whole vault, head first, all of one moment.
  var whole: [Query] {
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

  /// Runs statements, the last of which is a pull, and returns its rows.
  func delta(
    of queries: [Query], over connection: PostgresConnection
  ) throws(VaultError) -> RowDelta {
    var head: RowDelta?
    var rows: [RowDelta.Entry] = []
    var byteCount = 0
    try connection.run(queries) { (statement, row) throws(VaultError) in
      byteCount += row.memory
      guard byteCount <= byteLimit else {
        throw VaultError(.damaged, "the fleet's server sends more rows than a vault has")
      }
      guard statement == queries.count - 1 else { return }
      if head == nil, row.integer(0) == 0 {
        head = Self.head(row)
      } else {
        rows.append(try Self.entry(row))
      }
    }
    guard var delta = head else { throw Self.noVault }
    delta.rows = rows
    return delta
  }

  static func head(_ row: AnswerRow) -> RowDelta {
    RowDelta(
      generation: UInt64(clamping: row.integer(1) ?? 0), ident: row.bytes(2), head: row.bytes(3),
      rows: [])
  }

  static func entry(_ row: AnswerRow) throws(VaultError) -> RowDelta.Entry {
    guard let kind = row.integer(0), let table = RowDelta.Table(rawValue: Int16(clamping: kind)),
      let id = row.integer(1)
    else { throw VaultError(.tooNew, "the fleet's server has rows of an unknown kind") }
    return RowDelta.Entry(table, UInt64(bitPattern: id), row.value(2))
  }

  static var noVault: VaultError {
    VaultError(
      .configuration,
      "the fleet's server does not have this vault, or does not show it to this role"
    ).aboutArbiter
  }

  /// Returns the statements that write rows, each with a few MiB at most.
  ///
  /// `unnest` of several arrays is a form of its own, which is always PostgreSQL's; others could
  /// replace a function that is not named with its schema.
  func upserts(_ delta: RowDelta) -> [Query] {
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

  var begin: [Query] {
    [
      Query("BEGIN ISOLATION LEVEL READ COMMITTED"),
      // For this transaction alone, as a pool of connections wants it. The last
      // four end the lock of a machine that vanished in the middle of a statement.
      Query(
        """
        SELECT pg_catalog.set_config('lock_timeout', $1, true),
          pg_catalog.set_config('idle_in_transaction_session_timeout', $2, true),
          pg_catalog.set_config('tcp_user_timeout', '10000', true),
          pg_catalog.set_config('tcp_keepalives_idle', '5', true),
          pg_catalog.set_config('tcp_keepalives_interval', '5', true),
          pg_catalog.set_config('tcp_keepalives_count', '2', true)
        """, .milliseconds(lockTimeout), .milliseconds(idleLimit)),
    ]
  }

  var notification: Query {
    // Everybody who may connect can listen: it says nothing but that somebody committed.
    Query("NOTIFY credential_vault")
  }
}
