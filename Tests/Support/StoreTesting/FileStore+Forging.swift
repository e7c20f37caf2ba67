package import SealedTree
package import VaultCrypto
import VaultModel

@testable package import VaultStore

extension FileStore {
  /// Commits so often, with as little work as possible.
  package func commit(_ count: Int = 1) throws {
    let space = try ProtectionSpace(host: "host.example.com")
    for _ in 0..<count {
      try write { (transaction) throws(VaultError) in
        try transaction.setDefaultUser("user \(UInt64.random(in: 0 ... .max))", for: space)
      }
    }
  }

  /// Commits as somebody who has the vault's key and does not keep to the rules.
  ///
  /// - Parameters:
  ///   - signer: Who signs; nil for nobody.
  ///   - prepare: Changes the head before it is signed.
  ///   - change: Changes it after that.
  /// - Throws: As a write.
  package func forge(
    signedBy signer: CommitSigner?, preparing prepare: (inout Head) -> Void = { _ in },
    changing change: (inout Head) -> Void = { _ in }
  ) throws {
    try locked { (file) throws(VaultError) in
      let arbiter = try file.requireArbiter()
      try file.inTransaction(with: .arbiter(arbiter, newer: nil)) {
        (now, connection) throws(VaultError) in
        var head = now.head
        try head.succeed(now.headTag, at: .now(), sealing: now.keys, to: connection)
        prepare(&head)
        try head.complete(after: now.head, signedBy: signer, sealing: now.keys, to: connection)
        change(&head)
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateHead, .blob(sealed))
        return (now, head, sealed)
      }
    }
  }

  /// Publishes the vault without a signature.
  package func forgePublication(to server: MemoryArbiter) throws {
    try locked { (file) throws(VaultError) in
      try file.inTransaction(with: .newArbiter(server)) { (now, connection) throws(VaultError) in
        var ident = now.keys.ident
        ident.features |= Ident.arbitrated
        let keys = EpochKeys(now.keys, ident: ident)
        var head = now.head
        head.ident = ident.encoded
        try head.succeed(now.headTag, at: .now(), sealing: keys, to: connection)
        try head.complete(after: now.head, signedBy: nil, sealing: keys, to: connection)
        let sealed = keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
        return (file.newlyUnlocked(keys, now.keyFile), head, sealed)
      }
      file.arbiter = server
    }
  }

  /// Rekeys as somebody who has the vault's key and an admin key.
  ///
  /// - Parameters:
  ///   - machines: Who gets the new key, as `machine 0` and so on.
  ///   - holder: The index of a machine that gets a share of the admin key; nil for none.
  ///   - file: A key file that gets it too.
  ///   - admin: Signs the machines.
  ///   - admins: The admin keys that the roster names.
  ///   - committer: Signs the commit.
  /// - Throws: As a rekey.
  package func forgeRekey(
    for machines: [MachineKey], sharingWith holder: Int? = nil, and file: KeyFile,
    by admin: AdminSecret, as admins: AdminChain,
    signedBy committer: CommitSigner
  ) throws {
    let keys = EpochKeys(VaultKey(), ident: try ident().successor())
    let derived = try DerivedKey(.keyFile(file), cost: .minimum)
    let slot = try Slot(wrapping: keys, with: derived, id: 1, name: "file")
    var slots: [VaultFile.SlotRow] = [(1, slot.encoded)]
    for (index, machine) in machines.enumerated() {
      let id = SlotLimits.firstMachine + UInt32(index)
      let slot = try Slot(
        forMachine: machine.publicKey,
        share: index == holder ? admin.share(for: machine.publicKey) : nil, to: keys, id: id,
        name: "machine \(index)", created: .now())
      slots.append((id, slot.encoded))
    }
    let roster = Roster(
      signing: Array(slots.dropFirst()), of: keys.ident, by: admin, as: admins)
    try locked { (file) throws(VaultError) in
      try file.inTransaction(isRekey: true) { (now, connection) throws(VaultError) in
        var head = try file.reseal(now, with: keys, slots: slots, roster: roster) { _ in }
        try head.succeed(now.headTag, at: .now(), sealing: keys, to: connection)
        try head.complete(after: now.head, signedBy: committer, sealing: keys, to: connection)
        let sealed = keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
        return (file.newlyUnlocked(keys, now.keyFile), head, sealed)
      }
    }
  }

  /// Asks another server from now on, as if the file with its address was changed; the one before
  /// again, if it is refused.
  package func follow(_ server: any Arbiter) throws {
    let before = try locked { file in file.arbiter }
    try locked { file in file.arbiter = server }
    do {
      _ = try sync()
    } catch {
      try locked { file in file.arbiter = before }
      throw error
    }
  }

  package func generation() throws -> UInt64 {
    try locked { (file) throws(VaultError) in try file.generation() }
  }
}
