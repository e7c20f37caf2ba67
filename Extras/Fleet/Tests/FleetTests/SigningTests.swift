import CredentialVault
import TestSupport
import TestTraits
import Testing
import VaultAdministration
import VaultModel

@Suite("machines sign what they write over a server", .waiting)
struct SigningTests {
  private let fleet: Replicas
  private let admin: KeySource
  private let build: KeySource

  /// Publishes a vault with two machines, by the first one.
  init() throws {
    fleet = try Replicas(publishes: false)
    let machines = fleet.first.vault.keys.machines
    let (first, second) = (fleet.folder.file("admin.key"), fleet.folder.file("build.key"))
    try machines.begin(keyFile: first, name: "admin")
    let request = try MachineKeyFile.create(
      at: second, name: "build", adminKey: machines.adminKey())
    (admin, build) = (.keyFile(first), .keyFile(second))
    try machines.admit(request, with: admin)
    try fleet.first.vault.unlock(with: admin)
    try fleet.publish(fleet.first)
  }

  @Test("replicas and server have the same rows, and both readers verify every commit")
  func rows() throws {
    let other = try fleet.clone("1", key: build)
    _ = try other.add(Replicas.item("one"))
    _ = try fleet.first.sync()
    _ = try fleet.first.add(Replicas.item("other"))
    _ = try other.sync()
    for store in [fleet.first, other] {
      #expect(try fleet.rows(store) == fleet.serverRows())
      #expect(try store.problems() == [])
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
    let other = try fleet.clone("1", key: build)
    _ = try other.add(Replicas.item("one"))
    _ = try fleet.first.rekey(keeping: [admin, fleet.key])
    _ = try fleet.first.add(Replicas.item("other"))
    _ = try other.sync()
    #expect(try fleet.rows(other) == fleet.serverRows())
    #expect(
      try fleet.commits(other, key: build) == ["admin", "admin", "build", "admin", ""])
  }

  @Test("a removed machine's replica stays as it was, and those that stay have the server's rows")
  func removal() throws {
    let other = try fleet.clone("1", key: build)
    _ = try other.add(Replicas.item("one"))
    let before = try fleet.rows(other)
    let slot = try #require(try other.vault.keys.slots().first { $0.name == "build" })
    _ = try fleet.first.rekey(keeping: [admin, fleet.key], removing: [slot.id])
    _ = try fleet.first.add(Replicas.item("other"))
    #expect(throws: VaultError(.locked, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
    #expect(try fleet.commits(fleet.first, key: admin).count == 5)
  }
}

extension Replicas {
  /// Returns the machines of a replica's commits, as the second reader verifies and lists them.
  fileprivate func commits(_ store: Replica, key: KeySource) throws -> [String] {
    guard case .keyFile(let file) = key else { return [] }
    return try Golden.read(store.path, ["--key-file", file]).list("commits").compactMap {
      guard case .list(let commit) = $0, case .text(let machine)? = commit.last else { return nil }
      return machine
    }
  }
}
