package import CredentialVault
import VaultAdministration
import VaultStore
package import VaultModel

/// The replicas of vaults, on this machine.
package enum Fleet {
  /// Answers the questions of the program that started this one, which has the vault at a path.
  ///
  /// - Parameters:
  ///   - vault: The vault's id.
  ///   - path: The replica, beside which its server's address is.
  ///   - lockTimeout: The limit of waiting for other writers.
  ///   - input: The socket to that program.
  ///   - output: The same one.
  /// - Throws: As ``ArbiterService/serve(input:output:_:)``.
  package static func order(
    _ vault: VaultID, at path: String, lockTimeout: Duration, input: Int32, output: Int32
  ) throws(VaultError) {
    try ArbiterService.serve(input: input, output: output) { () throws(VaultError) in
      PostgresArbiter(
        try FleetFile(besides: path).read(), vault: vault, lockTimeout: lockTimeout)
    }
  }

  /// Makes a vault the first replica of a fleet.
  ///
  /// If the server has the vault already, the file becomes one more replica, provided that the
  /// server's state continues the file's, so that a publication that was interrupted can be
  /// repeated; or that the file's continues the server's, which was set back and gets what it lost.
  ///
  /// - Throws: ``VaultError/Code/forked`` if the server's state does not continue it; as
  ///   ``PostgresArbiter``.
  package static func publish(
    _ vault: Vault, to address: ServerAddress, lockTimeout: Duration
  ) throws(VaultError) {
    let replica = try VaultReplica(vault)
    // One publication after the other: each takes back the address of its own alone.
    try replica.inTurn(timeout: lockTimeout) { () throws(VaultError) in
      let id = try replica.id()
      var isThere = try prepare(address, for: id, lockTimeout)
      let arbiter = PostgresArbiter(address, vault: id, lockTimeout: lockTimeout)
      // First, so that a replica always knows its server.
      try FleetFile(besides: replica.path).write(address, of: id) { () throws(VaultError) in
        try publish(replica, to: arbiter, &isThere)
      } keptAfter: { error in
        // Of a publication that may have taken place, the next try needs it.
        error.code == .outcomeUnknown || isThere && [.unavailable, .busy].contains(error.code)
      }
    }
  }

  /// Makes the tables on a server if they are missing, and returns whether it has the vault.
  private static func prepare(
    _ address: ServerAddress, for id: VaultID, _ lockTimeout: Duration
  ) throws(VaultError) -> Bool {
    let server = try FleetServer(address, lockTimeout: lockTimeout)
    try server.prepare()
    return try server.state(of: id) != nil
  }

  /// Publishes the file, or joins the vault that the server has already, which sets `isThere`.
  ///
  /// To join, no machine's key is needed: nothing is written for others.
  private static func publish(
    _ replica: VaultReplica, to arbiter: PostgresArbiter, _ isThere: inout Bool
  ) throws(VaultError) {
    if !isThere {
      do throws(VaultError) {
        return try replica.publish(to: arbiter)
      } catch {
        // Another machine was faster, or this one was interrupted.
        guard error.code == .vaultExists else { throw error }
        isThere = true
      }
    }
    do throws(VaultError) {
      try replica.join(arbiter)
    } catch {
      guard error.code == .rolledBack, error.isAboutArbiter else { throw error }
      try replica.restore(arbiter)
    }
  }

  /// Makes a replica at a path where there is no vault.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - id: The vault; nil for the only one that the server shows.
  ///   - path: The path; its folder is made if it is missing.
  ///   - lockTimeout: The limit of waiting for the server.
  ///   - isAccepted: Whether an older or other state than the one that was seen at the path is
  ///     taken on purpose.
  ///   - fingerprint: The only admin key that a machine's key believes for this; nil for all that
  ///     it was joined to.
  ///   - open: Calls its closure with keys, until one opens the vault.
  /// - Throws: The errors of making a ``VaultReplica``; ``VaultError/Code/invalidArgument`` if the
  ///   server shows several vaults, or none with this id.
  package static func clone(
    _ address: ServerAddress, vault id: VaultID?, to path: String, lockTimeout: Duration,
    accepted isAccepted: Bool = false, admin fingerprint: String? = nil,
    open: (_ tryKey: (KeySource) throws(VaultError) -> Void) throws(VaultError) -> Void
  ) throws(VaultError) {
    // Not with `??`, whose closure throws any error.
    let arbiter =
      if let id {
        PostgresArbiter(address, vault: id, lockTimeout: lockTimeout)
      } else {
        try FleetServer(address, lockTimeout: lockTimeout).arbiterOfOnlyVault()
      }
    try VaultReplica.create(
      at: path, copying: arbiter, of: arbiter.vault, acceptingAnotherState: isAccepted,
      admin: fingerprint, opening: open
    ) { (path, name) throws(VaultError) in
      // Before the replica has its name, so that it always knows its server.
      try FleetFile(besides: path).write(address, of: arbiter.vault, for: name)
    }
  }
}

/// The questions of programs for fleets about a replica.
extension Fleet {
  /// Connects to a replica's server.
  package static func server(
    of vault: Vault, lockTimeout: Duration
  ) throws(VaultError) -> FleetServer {
    try FleetServer(address(of: VaultReplica(vault)), lockTimeout: lockTimeout)
  }

  private static func address(of replica: VaultReplica) throws(VaultError) -> ServerAddress {
    try FleetFile(besides: replica.path).read()
  }

  /// Compares a replica with its server, and changes nothing.
  ///
  /// - Returns: The replica's generation, and what the server says of the vault.
  /// - Throws: ``VaultError/Code/configuration`` if it does not show it; as getting what is new.
  package static func compare(
    _ vault: Vault, lockTimeout: Duration
  ) throws(VaultError) -> (generation: UInt64, server: ServerState) {
    let replica = try VaultReplica(vault)
    let (id, address) = (try replica.id(), try address(of: replica))
    guard let state = try FleetServer(address, lockTimeout: lockTimeout).state(of: id) else {
      throw PostgresArbiter.noVault
    }
    let arbiter = PostgresArbiter(address, vault: id, lockTimeout: lockTimeout)
    return (try replica.compare(with: arbiter), state)
  }

  /// Returns a connection that notices commits from now on.
  package static func watch(
    _ vault: Vault, lockTimeout: Duration
  ) throws(VaultError) -> FleetServer {
    let server = try server(of: vault, lockTimeout: lockTimeout)
    try server.listen()
    return server
  }
}

/// The state of a vault on its server, as the server says it.
package struct ServerState: Sendable {
  package let generation: UInt64
  /// The seconds since the last commit.
  package let age: Int
}
