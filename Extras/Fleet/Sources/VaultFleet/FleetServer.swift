package import VaultModel

/// The tables of fleets on a server, beside what replicas ask.
package final class FleetServer {
  /// The SQL that makes the tables.
  package static var schema: String {
    FleetMigrations.steps.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
  }

  private let connection: PostgresConnection
  private let address: ServerAddress
  private let lockTimeout: Duration

  /// Connects to a server.
  ///
  /// - Throws: ``VaultError/Code/unavailable``.
  package init(_ address: ServerAddress, lockTimeout: Duration) throws(VaultError) {
    (self.address, self.lockTimeout) = (address, lockTimeout)
    connection = try PostgresConnection(address, lockTimeout: lockTimeout)
  }

  /// Makes the tables if they are missing; only their owner can.
  ///
  /// - Throws: ``VaultError/Code/tooNew`` if a newer program made them; ``VaultError/Code/busy`` if
  ///   another one is making them; ``VaultError/Code/configuration`` if this role may not.
  package func prepare() throws(VaultError) { try prepare(FleetMigrations.steps) }

  /// Runs those steps that a server lacks, all or none.
  func prepare(_ steps: [[UInt8]]) throws(VaultError) {
    do throws(VaultError) {
      let rows = try connection.run([
        // Each statement sees what was committed before it.
        Query("BEGIN ISOLATION LEVEL READ COMMITTED"),
        Query("SELECT pg_catalog.set_config('lock_timeout', $1, true)", .milliseconds(lockTimeout)),
        // One program at a time. In a pool of connections, a lock of the session would stay. The
        // number is that of the format.
        Query("SELECT pg_catalog.pg_advisory_xact_lock(1447842865)"),
        Query(
          """
          SELECT pg_catalog.obj_description(
            pg_catalog.to_regnamespace('credential_vault')::oid, 'pg_namespace')
          """),
      ])[3]
      let made = rows.first?.text(0) ?? ""
      guard let number = Self.number(ofStep: made), number <= steps.count else {
        throw VaultError(.tooNew, "the fleet's server has tables of a newer version: \(made)")
      }
      for step in steps.dropFirst(number) { try connection.execute(script: step) }
      _ = try connection.run([Query("COMMIT")])
    } catch {
      connection.endTransaction()
      throw error
    }
  }

  /// Returns the number in the schema's comment, 0 without one; nil for an unknown comment.
  private static func number(ofStep comment: String) -> Int? {
    guard !comment.isEmpty else { return 0 }
    return comment.hasPrefix("step ") ? Int(comment.dropFirst("step ".count)) : nil
  }

  /// Returns the ids of the vaults that the server shows to this role.
  package func vaults() throws(VaultError) -> [VaultID] {
    let rows = try connection.run([
      Query("SELECT id FROM credential_vault.vault ORDER BY id")
    ])[0]
    return rows.compactMap { VaultID($0.bytes(0)[...]) }
  }

  /// Returns the arbiter of the only vault that the server shows, which alone uses the connection
  /// from then on.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if there are several, with their ids;
  ///   ``VaultError/Code/configuration`` if there is none.
  func arbiterOfOnlyVault() throws(VaultError) -> PostgresArbiter {
    let vaults = try vaults()
    guard let only = vaults.first else {
      throw VaultError(.configuration, "the fleet's server shows no vault to this role")
    }
    guard vaults.count == 1 else {
      throw VaultError(
        .invalidArgument,
        "the fleet's server has several vaults: \(vaults.map(\.hex).joined(separator: ", "))")
    }
    return PostgresArbiter(address, vault: only, lockTimeout: lockTimeout, over: connection)
  }

  /// Lets a role of the server read and write a vault.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if there is no such role, or this one may not;
  ///   ``VaultError/Code/invalidArgument`` for the role of everybody.
  package func grant(_ role: String, _ vault: VaultID) throws(VaultError) {
    guard role != "public" else {
      throw VaultError(.invalidArgument, "public is every role of the server: name one")
    }
    _ = try connection.run([
      Query(
        "SELECT credential_vault.grant_vault($1, $2::name)", .bytes(vault.bytes), .text(role))
    ])
  }

  /// Ends the access of a role to a vault.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it had none.
  package func revoke(_ role: String, _ vault: VaultID) throws(VaultError) {
    let rows = try connection.run([
      Query(
        "SELECT 1 WHERE credential_vault.revoke_vault($1, $2::name)",
        .bytes(vault.bytes), .text(role))
    ])[0]
    guard !rows.isEmpty else {
      throw VaultError(.itemNotFound, "the role \(role) has no access to this vault")
    }
  }

  /// Asks for notifications of commits.
  func listen() throws(VaultError) {
    _ = try connection.run([Query("LISTEN credential_vault")])
  }

  /// Waits until somebody commits.
  ///
  /// - Returns: Whether a notification came in that time; it may be of another vault.
  /// - Throws: ``VaultError/Code/unavailable``.
  package func awaitCommit(for time: Duration) throws(VaultError) -> Bool {
    try connection.awaitNotification(for: time)
  }

  /// Returns what the server says of a vault; nil if it does not show it.
  package func state(of vault: VaultID) throws(VaultError) -> ServerState? {
    let rows = try connection.run([
      Query(
        """
        SELECT generation, extract(epoch FROM pg_catalog.now() - changed)::int8
        FROM credential_vault.vault WHERE id = $1
        """, .bytes(vault.bytes))
    ])[0]
    return rows.first.map {
      ServerState(
        generation: UInt64(clamping: $0.integer(0) ?? 0), age: Int(clamping: $0.integer(1) ?? 0))
    }
  }
}
