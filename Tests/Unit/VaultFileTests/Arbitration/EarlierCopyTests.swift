import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@Suite("copies from before a vault with machines was published")
struct EarlierCopyTests {
  private let folder: TemporaryFolder
  private let file = KeyFile()
  private let secret = AdminSecret()
  private let admin: MachineKey
  private let build: MachineKey
  private let server = MemoryArbiter()

  init() throws {
    folder = try TemporaryFolder()
    admin = MachineKey(joining: secret.key)
    build = MachineKey(joining: secret.key)
    let made = try FileStore.create(
      VaultPath(folder.file("admin.vault")), key: .keyFile(file), slotName: "file", cost: .minimum,
      stateFolder: nil, lockTimeout: .seconds(5), logDays: 0)
    _ = try made.addFirstMachine(admin, name: "admin", signer: secret)
    _ = try made.admit(
      [NewMachine(build.publicKey, name: "build", isAdmin: false)], with: .machine(admin))
    try made.close()
  }

  private func open(_ name: String, _ key: UnlockKey) throws -> FileStore {
    let store = try FileStore.open(
      VaultPath(folder.file(name)), stateFolder: nil, lockTimeout: .seconds(5))
    try store.unlock(with: key, keyFile: { () throws(VaultError) in key })
    return store
  }

  @Test(
    "one joins whatever was written since, opened by a machine's key or another",
    arguments: [0, 1, 3], [false, true])
  func join(_ count: Int, hasMachine: Bool) throws {
    let first = try open("admin.vault", .machine(admin))
    _ = try folder.copy(first.path.path, as: "copy.vault")
    // Before the publication, nobody signs.
    try first.commit(count)
    try first.publish(to: server)
    try first.commit(2)
    let copy = try open("copy.vault", hasMachine ? .machine(build) : .keyFile(file))
    try copy.join(server)
    #expect(try copy.commits() == first.commits())
    #expect(try copy.verify().problems == [])
    if hasMachine {
      try copy.commit()
      _ = try first.sync()
      #expect(try first.commits(limit: 1).map(\.machine) == ["build"])
    } else {
      #expect(throws: VaultError(.readOnly, "")) { try copy.commit() }
    }
  }

  /// Returns the ids of a file's rows.
  private func rows(of store: FileStore) throws -> Set<[UInt64]> {
    try store.locked { (file) throws(VaultError) in
      Set(try file.connection.allRows().map { [UInt64($0.table.rawValue), $0.id] })
    }
  }

  /// The rows that are removed of a vault before it is published.
  enum Removal: CaseIterable { case slot, rekey, largeSecret, buckets }

  @Test("one that joins keeps no row that was removed before", arguments: Removal.allCases)
  func removed(_ removal: Removal) throws {
    let first = try open("admin.vault", .machine(admin))
    _ = try first.addSlot(.keyFile(KeyFile()), name: "second", cost: .minimum)
    let space = try ProtectionSpace(host: "host.example.com")
    let large = try first.add(
      Item(
        space: space, account: "large", secret: Secret(String(repeating: "x", count: 5000))))
    try first.write { (transaction) throws(VaultError) in
      for number in 0..<300 {
        _ = try transaction.add(
          Item(space: space, account: "\(number)", secret: Secret("x")))
      }
    }
    _ = try folder.copy(first.path.path, as: "copy.vault")
    switch removal {
    case .slot: try first.removeSlot(2)
    case .rekey:
      _ = try first.rekey(
        keeping: [.machine(admin), .keyFile(file)], removing: [2], cost: .minimum,
        otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    case .largeSecret: try first.deleteForGood(large.id, hint: large.key)
    case .buckets:
      let items = try first.find(ItemQuery(), withSecrets: false)
      try first.write { (transaction) throws(VaultError) in
        for item in items where item.id != large.id {
          try transaction.remove(item.id, hint: item.key, removal: .permanent)
        }
      }
    }
    try first.publish(to: server)
    let copy = try open("copy.vault", .machine(build))
    try copy.join(server)
    for _ in 0..<2 {
      #expect(try copy.verify().problems == [])
      #expect(try rows(of: copy) == rows(of: first))
      try copy.commit()
      _ = try first.sync()
    }
  }

  @Test("one refuses a commit that nobody signed since, before a signed one or at the end")
  func unsigned() throws {
    let first = try open("admin.vault", .machine(admin))
    for name in ["one.vault", "two.vault"] { _ = try folder.copy(first.path.path, as: name) }
    try first.commit()
    try first.publish(to: server)
    try first.commit()
    try first.forge(signedBy: nil)
    let heads: [(String, CommitSigner?)] = [
      ("one.vault", nil), ("two.vault", CommitSigner(admin, name: "admin")),
    ]
    for (name, signer) in heads {
      if let signer { try first.forge(signedBy: signer) }
      let copy = try open(name, .machine(build))
      let before = try folder.bytes(copy.path.path)
      #expect(throws: VaultError(.damaged, "")) { try copy.join(server) }
      #expect(try folder.bytes(copy.path.path) == before)
    }
  }

  @Test("one refuses what a member published and wrote without a machine's key")
  func publishedByNobody() throws {
    let first = try open("admin.vault", .machine(admin))
    _ = try folder.copy(first.path.path, as: "copy.vault")
    try first.forgePublication(to: server)
    try first.forge(signedBy: CommitSigner(build, name: "build"))
    let copy = try open("copy.vault", .machine(build))
    #expect(throws: VaultError(.damaged, "")) { try copy.join(server) }
  }

  /// Makes a replica that somebody with the vault's key wrote apart.
  private func fork(of first: FileStore, signedBy signer: CommitSigner?) throws {
    _ = try folder.copy(first.path.path, as: "fork.vault")
    let fork = try open("fork.vault", .keyFile(file))
    try fork.join(server.copied())
    try fork.forge(signedBy: signer)
    try fork.close()
  }

  @Test("a merge refuses a replica that nobody signed, or a stranger", arguments: [false, true])
  func merging(isSigned: Bool) throws {
    let first = try open("admin.vault", .machine(admin))
    try first.publish(to: server)
    let stranger = CommitSigner(MachineKey(joining: secret.key), name: "build")
    try fork(of: first, signedBy: isSigned ? stranger : nil)
    try first.commit()
    #expect(throws: VaultError(.damaged, "")) { try merge("fork.vault", into: first) }
    #expect(try first.verify().problems == [])
  }

  @Test("a merge takes what a machine of the vault signed apart")
  func mergingSigned() throws {
    let first = try open("admin.vault", .machine(admin))
    try first.publish(to: server)
    try fork(of: first, signedBy: CommitSigner(build, name: "build"))
    try first.commit()
    try merge("fork.vault", into: first)
    #expect(try first.commits(limit: 1).map(\.machine) == ["admin"])
  }

  private func merge(_ name: String, into store: FileStore) throws {
    _ = try store.merge(
      folder.file(name), key: .machine(admin), keyFile: nil, lockTimeout: .seconds(5),
      otherKey: { (failure) throws(VaultError) in
        if let failure { throw failure }
        return .keyFile(file)
      },
      decisions: MergeDecisions(isDryRun: false, preference: .theirs) {
        (_) throws(VaultError) in nil
      })
  }

  @Test(
    "one that was changed since is no replica, and its changes are merged into one",
    arguments: [0, 1, 3])
  func changed(_ count: Int) throws {
    let first = try open("admin.vault", .machine(admin))
    _ = try folder.copy(first.path.path, as: "copy.vault")
    // Of these, no commits are kept.
    try first.commit(count)
    try first.publish(to: server)
    let copy = try open("copy.vault", .keyFile(file))
    _ = try copy.add(
      Item(server: HostName("lost.example.com"), account: "ann", secret: Secret("one")))
    #expect(throws: VaultError(.forked, "")) { try copy.join(server) }
    try copy.close()
    try merge("copy.vault", into: first)
    #expect(try first.find(ItemQuery(), withSecrets: false).map(\.account) == ["ann"])
    #expect(try first.commits().map(\.machine) == ["admin", "admin", nil])
    #expect(try first.verify().problems == [])
  }
}
