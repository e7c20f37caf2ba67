import StoreTesting
import TestSupport
import Testing
import VaultModel

@testable import SealedTree
@testable import VaultCrypto
@testable import VaultFile

/// A fleet of three machines, and one key file, over a server in memory.
final class MachineFleet {
  let folder: TemporaryFolder
  let server = MemoryArbiter()
  let file = KeyFile()
  let adminSecret = AdminSecret()
  let admin: MachineKey
  let build: MachineKey
  let web: MachineKey
  /// The replica of the admin's machine.
  let first: FileStore
  private var count = 0

  init(hasMachines: Bool = true, time: TimeSource = .system) throws {
    folder = try TemporaryFolder()
    admin = MachineKey(joining: adminSecret.key)
    (build, web) = (MachineKey(joining: admin.admin), MachineKey(joining: admin.admin))
    let path = try VaultPath(folder.file("admin.vault"))
    let made = try FileStore.create(
      path, key: .keyFile(file), slotName: "file", cost: .minimum, stateFolder: nil,
      lockTimeout: .seconds(5), logDays: 0)
    if hasMachines {
      _ = try made.addFirstMachine(admin, name: "admin", signer: adminSecret)
      for (machine, name) in [(build, "build"), (web, "web")] {
        _ = try made.admit(
          machine.publicKey, name: name, isAdmin: false, with: .machine(admin))
      }
    }
    try made.close()
    first = try Self.open(path, hasMachines ? .machine(admin) : .keyFile(file), time)
    try first.publish(to: server)
  }

  private static func open(
    _ path: VaultPath, _ key: UnlockKey, _ time: TimeSource = .system
  ) throws -> FileStore {
    let store = try FileStore.open(path, stateFolder: nil, lockTimeout: .seconds(5), time: time)
    try store.unlock(with: key, keyFile: { () throws(VaultError) in key })
    // Thousands of commits need not survive a power failure.
    try store.locked { (file) throws(VaultError) in
      try file.connection.execute("PRAGMA synchronous = OFF")
    }
    return store
  }

  /// Makes one more replica.
  func clone(
    _ key: UnlockKey, from other: MemoryArbiter? = nil, time: TimeSource = .system
  ) throws -> FileStore {
    let server = other ?? server
    count += 1
    let path = try VaultPath(folder.file("\(count).vault"))
    try VaultFile.create(
      path, copying: server, from: server.opening(), of: first.ident().vaultID, key: key)
    let store = try Self.open(path, key, time)
    try store.join(server)
    return store
  }

  /// Makes a copy of a replica's file, which another server writes from now on.
  func copy(_ store: FileStore, _ key: UnlockKey, writing server: MemoryArbiter) throws -> FileStore
  {
    count += 1
    let path = folder.file("\(count).vault")
    _ = try folder.write(folder.bytes(store.path.path), as: "\(count).vault")
    let copy = try Self.open(VaultPath(path), key)
    try copy.join(server)
    return copy
  }

  /// Requires that a replica refuses what a server has, and does not change.
  func expect(
    _ code: VaultError.Code, _ store: FileStore, from server: MemoryArbiter,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try folder.bytes(store.path.path)
    #expect(throws: VaultError(code, ""), sourceLocation: sourceLocation) {
      try store.join(server)
    }
    #expect(try folder.bytes(store.path.path) == before, sourceLocation: sourceLocation)
  }

  /// Rekeys as the admin.
  func rekey(removing ids: Set<UInt32> = []) throws {
    _ = try first.rotate(
      keeping: [.machine(admin), .keyFile(file)], removing: ids, cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
  }
}

extension FileStore {
  /// Commits so often, with as little work as possible.
  func commit(_ count: Int = 1) throws {
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
  func forge(
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
  func forgePublication(to server: MemoryArbiter) throws {
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

  func generation() throws -> UInt64 {
    try locked { (file) throws(VaultError) in try file.generation() }
  }
}
