import SealedTree
import VaultCrypto
package import VaultModel

/// The first copy, from a file to an arbiter.
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
      try connection.requireStructure()
      // Every replica would refuse anything that is damaged here.
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
}

extension VaultPath {
  /// Requires that no server's address is where a vault is to be created: the remains of an
  /// interrupted clone would keep the new vault from being written.
  ///
  /// - Throws: ``VaultError/Code/cannotCreate``.
  func requireNoAddress() throws(VaultError) {
    let address = ReplicaFile.path(besides: path)
    guard try Posix.information(address) != nil else { return }
    throw VaultError(
      .cannotCreate,
      "\(address) is left of a replica: make the replica again, or remove the file")
  }

  /// Requires that no server's address is beside a vault that is not a replica.
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
      "\(address) says that a fleet's server may have this vault: publish it there again")
  }
}
