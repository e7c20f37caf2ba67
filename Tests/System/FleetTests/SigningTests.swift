import CredentialVault
import StoreTesting
import TestSupport
import TestTraits
import Testing
import VaultCrypto
import VaultStore
import VaultFleet
import VaultModel

@Suite("machines sign what they write over a server", .waiting)
struct SigningTests {
  private let fleet: Replicas
  private let admin: MachineKey
  private let build: MachineKey

  /// Publishes a vault with two machines, by the first one.
  init() throws {
    fleet = try Replicas(publishes: false)
    let secret = AdminSecret()
    (admin, build) = (MachineKey(joining: secret.key), MachineKey(joining: secret.key))
    _ = try fleet.first.addFirstMachine(admin, name: "admin", signer: secret)
    _ = try fleet.first.admit(
      [NewMachine(build.publicKey, name: "build", isAdmin: false)], with: .machine(admin))
    try fleet.publish(fleet.first, with: .machine(admin))
  }

  @Test("replicas and server have the same rows, and both readers verify every commit")
  func rows() throws {
    let other = try fleet.clone("1", key: .machine(build))
    _ = try other.add(Replicas.item("one"))
    _ = try fleet.first.sync()
    _ = try fleet.first.add(Replicas.item("other"))
    _ = try other.sync()
    #expect(try other.commits(limit: 3).map(\.machine) == ["admin", "build", "admin"])
    #expect(try other.headHash().hash == fleet.first.headHash().hash)
    for store in [fleet.first, other] {
      #expect(try fleet.rows(store) == fleet.serverRows())
      #expect(try store.verify().problems == [])
      #expect(try fleet.commits(store, key: build) == ["admin", "build", "admin", ""])
    }
  }

  @Test("a program without a machine's key reads, and nothing of its write is sent")
  func reader() throws {
    let other = try fleet.clone("1")
    let before = try fleet.serverRows()
    #expect(try Replicas.accounts(other).count == 3)
    #expect(throws: VaultError(.readOnly, "")) { _ = try other.add(Replicas.item("x")) }
    #expect(try fleet.serverRows() == before)
    // The server's lock has ended.
    _ = try fleet.first.add(Replicas.item("y"))
    #expect(try Replicas.accounts(other).count == 4)
  }

  @Test("a rekey reaches the machines that stay, with every commit from before")
  func rekey() throws {
    let other = try fleet.clone("1", key: .machine(build))
    _ = try other.add(Replicas.item("one"))
    _ = try fleet.first.rekey(
      keeping: [.machine(admin), .keyFile(fleet.key)], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    _ = try fleet.first.add(Replicas.item("other"))
    _ = try other.sync()
    let commits = try other.commits()
    #expect(commits.map(\.machine) == ["admin", "admin", "build", "admin", nil])
    #expect(commits.allSatisfy { $0.isValid })
    #expect(try fleet.rows(other) == fleet.serverRows())
    #expect(try fleet.commits(other, key: build).count == 5)
  }

  @Test("a removed machine's replica stays as it was, and those that stay have the server's rows")
  func removal() throws {
    let other = try fleet.clone("1", key: .machine(build))
    _ = try other.add(Replicas.item("one"))
    let before = try fleet.rows(other)
    let slot = try #require(try other.slots().first { $0.name == "build" })
    _ = try fleet.first.rekey(
      keeping: [.machine(admin), .keyFile(fleet.key)], removing: [slot.id], cost: .minimum,
      otherKey: { (_) throws(VaultError) in nil }, progress: { _ in })
    _ = try fleet.first.add(Replicas.item("other"))
    #expect(throws: VaultError(.locked, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
    #expect(try fleet.commits(fleet.first, key: admin).count == 5)
  }
}

extension Replicas {
  /// Publishes a vault that is opened with a key.
  fileprivate func publish(_ store: FileStore, with key: UnlockKey) throws {
    try FleetServer(address, lockTimeout: .seconds(10)).prepare()
    try store.unlock(with: key, keyFile: { () throws(VaultError) in key })
    try store.publish(to: PostgresArbiter(address, vault: store.ident().vaultID))
  }

  /// Makes one more replica, opened with a key.
  fileprivate func clone(_ name: String, key: UnlockKey) throws -> FileStore {
    try Fleet.clone(
      address, vault: nil, to: folder.file("\(name).vault"), lockTimeout: .seconds(10)
    ) { (tryKey) throws(VaultError) in try tryKey(key) }
    let store = try FileStore.open(
      VaultPath(folder.file("\(name).vault")), stateFolder: folder.file("state-\(name)"),
      lockTimeout: .seconds(10))
    try store.unlock(with: key, keyFile: { () throws(VaultError) in key })
    return store
  }

  /// Returns the machines of a replica's commits, as the second reader verifies and lists them.
  fileprivate func commits(_ store: FileStore, key: MachineKey) throws -> [String] {
    let file = try folder.write(key.encoded().array, as: "machine.key")
    return try Golden.read(store.path.path, ["--key-file", file]).list("commits").compactMap {
      guard case .list(let commit) = $0, case .text(let machine)? = commit.last else { return nil }
      return machine
    }
  }
}
