import SealedTree
package import VaultCrypto
package import VaultModel

/// The first copy: from a file to an arbiter, and from there to another file.
extension VaultFile {
  /// Gives the whole vault to an arbiter, which decides about its writes from then on.
  ///
  /// - Throws: ``VaultError/Code/damaged``; ``VaultError/Code/readOnly`` if the vault has machines,
  ///   and none of them opened it; as ``write(_:)`` and ``Arbiter/publish(_:)``. The file
  ///   is then unchanged.
  func publish(to new: any Arbiter) throws(VaultError) {
    _ = try requireUnlocked()
    try requireWritable()
    try checkName()
    try inTransaction(with: .newArbiter(new)) { (now, connection) throws(VaultError) in
      try requireSigner(signer, of: now)
      // Whatever is damaged here would be refused by every replica.
      try now.reader.check(connection.allRows(), of: now.head, since: nil)
      var ident = now.keys.ident
      ident.features |= Ident.arbitrated
      let keys = EpochKeys(now.keys, ident: ident)
      var head = now.head
      head.ident = ident.encoded
      try head.succeed(now.headTag, at: clock.now(), sealing: keys, to: connection)
      try head.complete(after: now.head, signedBy: signer, sealing: keys, to: connection)
      let sealed = keys.seal(head.encoded, as: .head, id: 0)
      try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
      return (newlyUnlocked(keys, now.keyFile), head, sealed)
    }
    arbiter = new
  }

  /// Makes a replica of rows; a kill at any moment leaves the whole replica or none.
  ///
  /// - Parameters:
  ///   - path: Its path; the folder exists.
  ///   - vault: All rows of a vault.
  ///   - id: The vault that they have to be of.
  ///   - key: Opens it, so that every row is verified before the file has its name.
  ///   - chain: Creates the schema.
  ///   - prepare: Called before the file gets its name.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/authenticationFailed``, ``VaultError/Code/tooNew``.
  package static func create(
    _ path: VaultPath, replicating vault: RowDelta, of id: VaultID, key: UnlockKey,
    chain: MigrationChain = .current,
    preparing prepare: () throws(VaultError) -> Void = {}
  ) throws(VaultError) {
    try make(path) { (temporary) throws(VaultError) in
      try write(vault, to: temporary, chain)
      let file = try VaultFile(
        path: VaultPath(temporary), stateFolder: nil, lockTimeout: .zero, chain: chain)
      guard file.ident.vaultID == id, file.ident.isArbitrated else {
        throw VaultError(.damaged, "the fleet's server sent the rows of another vault")
      }
      try file.unlock(with: key)
      try file.read { (_) throws(VaultError) in try file.checkCommits() }
      guard try file.generation() == vault.generation else {
        throw VaultError(.damaged, "the fleet's server names another generation than its head")
      }
      try file.read { (reader) throws(VaultError) in
        try reader.check(vault.rows, of: file.requireUnlocked().head, since: nil)
      }
      try prepare()
    }
  }

  private static func write(
    _ vault: RowDelta, to path: String, _ chain: MigrationChain
  ) throws(VaultError) {
    let connection = try Connection(path: path, busyWait: BusyWait(timeout: .zero), chain: nil)
    try connection.configure()
    try connection.execute("PRAGMA page_size = 4096")
    try connection.execute("PRAGMA journal_mode = DELETE")
    try connection.withLargeCache { () throws(VaultError) in
      try connection.run(.beginImmediate)
      try chain.makeSchema(on: connection)
      try connection.execute("PRAGMA application_id = 0x564C5431")
      try connection.put(vault.rows.filter { $0.sealed != nil })
      try connection.run(.insertVault, .blob(vault.ident), .blob(vault.head))
      try connection.run(.commit)
    }
  }
}

extension VaultPath {
  /// Requires that no server's address is where a vault is to be created: what is left of a clone
  /// that was interrupted would keep the new vault from being written.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  func requireNoAddress() throws(VaultError) {
    let address = ReplicaFile.path(besides: path)
    guard try Posix.information(address) != nil else { return }
    throw VaultError(
      .cannotCreate,
      "\(address) is left of a replica: repeat vaultctl fleet clone, or remove the file")
  }

  /// Requires that no server's address is beside a vault that is no replica.
  ///
  /// Its publication has not ended: the arbiter may have the vault already, and a change of the
  /// file alone would make another history.
  ///
  /// - Throws: ``VaultError/Code/unavailable``.
  package func requireNotPublished() throws(VaultError) {
    let address = ReplicaFile.path(besides: path)
    guard try Posix.information(address) != nil else { return }
    throw VaultError(
      .unavailable,
      "\(address) says that a fleet's server may have this vault: repeat vaultctl fleet init")
  }
}
