public import CredentialVault
package import VaultCrypto
import VaultStore
public import VaultModel

/// The replicas of vaults, on this machine.
public enum Fleet: Sendable {
  /// Lets this program write every replica that has its server's address beside it.
  ///
  /// Call it once, before a vault is opened. Without it, a write to a replica fails with
  /// ``VaultError/Code/unavailable``, and reading works all the same. Nothing is connected before
  /// the first write.
  public static func use() {
    Arbiters.use { (path, vault, lockTimeout) throws(VaultError) in
      PostgresArbiter(
        try FleetFile(besides: path.path).read(), vault: vault, lockTimeout: lockTimeout)
    }
  }

  /// Makes a vault the first replica of a fleet.
  ///
  /// If the server has the vault already, the file becomes one more replica, provided that the
  /// server's state continues the file's. So a publication that was interrupted can be repeated.
  ///
  /// - Throws: ``VaultError/Code/forked`` if the server's state does not continue it; as
  ///   ``PostgresArbiter``.
  package static func publish(
    _ vault: Vault, to address: ServerAddress, lockTimeout: Duration
  ) throws(VaultError) {
    let file = try vault.requireFile()
    let place = FleetFile(besides: file.path.path)
    // One publication after the other: each takes back the address of its own alone.
    try FolderLock.with(file.path.folder, timeout: lockTimeout) { () throws(VaultError) in
      let id = try file.ident().vaultID
      var isThere = try prepare(address, for: id, lockTimeout)
      let arbiter = PostgresArbiter(address, vault: id, lockTimeout: lockTimeout)
      // First, so that a replica always knows its server.
      try place.write(address) { () throws(VaultError) in
        let time = Timestamp.now()
        try publish(file, to: arbiter, &isThere)
        place.noteContact(at: time)
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
    _ file: FileStore, to arbiter: PostgresArbiter, _ isThere: inout Bool
  ) throws(VaultError) {
    if !isThere {
      do throws(VaultError) {
        return try file.publish(to: arbiter)
      } catch {
        // Another machine was faster, or this one was interrupted.
        guard error.code == .vaultExists else { throw error }
        isThere = true
      }
    }
    try file.join(arbiter)
  }

  /// Makes a replica at a path where there is no vault.
  ///
  /// - Parameters:
  ///   - address: The server.
  ///   - id: The vault; nil for the only one that the server shows.
  ///   - path: The path; its folder is made if it is missing.
  ///   - lockTimeout: The limit of waiting for the server.
  ///   - open: Calls its closure with keys, until one opens the vault.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/authenticationFailed``; ``VaultError/Code/invalidArgument`` if the server
  ///   shows several vaults, or none with this id.
  package static func clone(
    _ address: ServerAddress, vault id: VaultID?, to path: String, lockTimeout: Duration,
    open: (_ tryKey: (UnlockKey) throws(VaultError) -> Void) throws(VaultError) -> Void
  ) throws(VaultError) {
    // Not with `??`, whose closure throws any error.
    let arbiter =
      if let id {
        PostgresArbiter(address, vault: id, lockTimeout: lockTimeout)
      } else {
        try FleetServer(address, lockTimeout: lockTimeout).arbiterOfOnlyVault()
      }
    let time = Timestamp.now()
    let opening = try arbiter.opening()
    try VaultPath.makeFolder(of: path)
    let place = try VaultPath(path)
    let file = FleetFile(besides: place.path)
    func create(_ key: UnlockKey) throws(VaultError) {
      try VaultFile.create(
        place, copying: arbiter, from: opening, of: arbiter.vault, key: key
      ) { (name) throws(VaultError) in
        // A publication holds it for as long as it sends, and the whole copy is there.
        try FolderLock.with(place.folder, timeout: .seconds(600)) { () throws(VaultError) in
          // Before the replica has its name, so that it always knows its server.
          try file.write(address, for: name)
        }
      }
    }
    try open(create)
    file.noteContact(at: time)
  }

  /// Brings an unlocked replica up to the server's state, as each write to it does by itself.
  ///
  /// The connection stays open until the vault is closed, and other threads look up while the
  /// server is asked. The data is verified before it is written, so after an error the replica is
  /// as it was. A task calls it in `Vault.perform { … }`, and not on the vault's own thread, where
  /// lookups would wait for the server.
  ///
  /// - Parameter vault: The replica.
  /// - Returns: The generation of the vault before and after; they are the same if nothing was new.
  /// - Throws: ``VaultError/Code/unavailable`` if the server cannot be reached;
  ///   ``VaultError/Code/configuration`` if it does not show the vault to this machine's role;
  ///   ``VaultError/Code/damaged``, ``VaultError/Code/rolledBack`` or ``VaultError/Code/forked`` if
  ///   what it has does not continue this replica; ``VaultError/Code/invalidArgument`` for a vault
  ///   that is not a replica; ``VaultError/Code/locked``.
  @discardableResult
  public static func sync(
    _ vault: Vault
  ) throws(VaultError) -> (before: UInt64, after: UInt64) {
    let file = try vault.requireFile()
    let time = Timestamp.now()
    let generations = try file.sync()
    FleetFile(besides: file.path.path).noteContact(at: time)
    return generations
  }
}

/// The questions of programs for fleets about a replica.
extension Fleet {
  package static func id(of vault: Vault) throws(VaultError) -> VaultID {
    try vault.requireFile().ident().vaultID
  }

  /// Returns the generation that a vault has here.
  package static func generation(of vault: Vault) throws(VaultError) -> UInt64 {
    try vault.requireFile().information().generation
  }

  /// Connects to a replica's server.
  package static func server(
    of vault: Vault, lockTimeout: Duration
  ) throws(VaultError) -> FleetServer {
    let address = try FleetFile(besides: vault.requireFile().path.path).read()
    return try FleetServer(address, lockTimeout: lockTimeout)
  }

  /// Returns what a replica's server says of the vault.
  ///
  /// - Throws: ``VaultError/Code/configuration`` if it does not show it.
  package static func serverState(
    of vault: Vault, lockTimeout: Duration
  ) throws(VaultError) -> ServerState {
    let server = try server(of: vault, lockTimeout: lockTimeout)
    guard let state = try server.state(of: id(of: vault)) else {
      throw VaultError(.configuration, "the fleet's server does not show this vault")
    }
    return state
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
