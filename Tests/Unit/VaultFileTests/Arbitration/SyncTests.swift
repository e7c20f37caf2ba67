import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
@testable import VaultStore

@Suite("a write of a replica that is behind")
struct SyncTests {
  private let fleet: MachineFleet
  /// A replica that lacks the server's last three commits.
  private let other: FileStore

  init() throws {
    fleet = try MachineFleet()
    other = try fleet.clone(.machine(fleet.build))
    try fleet.first.commit(3)
  }

  /// Returns the number of commits of a file, as SQLite counts them in its header.
  private func commits(_ store: FileStore) throws -> Int {
    try fleet.folder.bytes(store.path.path)[24..<28].reduce(0) { $0 << 8 | Int($1) }
  }

  private func expectSameRows(sourceLocation: SourceLocation = #_sourceLocation) throws {
    _ = try fleet.first.sync()
    for store in [fleet.first, other] {
      let rows = try store.locked { (file) throws(VaultError) in try file.connection.allRows() }
      let server = fleet.server.now.rows.filter { $0.value.sealed != nil }
      #expect(rows.count == server.count, sourceLocation: sourceLocation)
      for row in rows {
        let key = MemoryArbiter.Key(table: row.table, id: row.id)
        #expect(server[key]?.sealed == row.sealed, sourceLocation: sourceLocation)
      }
      #expect(try store.verify().problems == [], sourceLocation: sourceLocation)
    }
  }

  @Test("it commits its file once, with what others wrote and its own change")
  func once() throws {
    let before = try commits(other)
    try other.commit()
    #expect(try commits(other) == before + 1)
    #expect(try other.generation() == fleet.server.now.generation)
    try expectSameRows()
  }

  @Test("many rows of others go into a transaction of their own")
  func many() throws {
    try fleet.first.write { (transaction) throws(VaultError) in
      for number in 0..<5 {
        let secret = Secret(String(repeating: "x", count: 1 << 20))
        _ = try transaction.add(
          Item(
            server: try HostName("large\(number).example.com"), account: "a", secret: secret))
      }
    }
    let before = try commits(other)
    try other.commit()
    #expect(try commits(other) == before + 2)
    try expectSameRows()
  }

  @Test("if its change fails, or is none, it has what others wrote")
  func noChange() throws {
    let generation = fleet.server.now.generation
    #expect(throws: VaultError(.itemNotFound, "")) {
      try other.write { (_) throws(VaultError) in throw VaultError(.itemNotFound, "no such item") }
    }
    #expect(try other.generation() == generation)
    try fleet.first.commit()
    try other.write { _ in }
    #expect(try other.generation() == generation + 1)
    #expect(fleet.server.now.generation == generation + 1)
    try expectSameRows()
  }

  @Test(
    "whatever becomes of the server's commit, it goes on", arguments: MemoryArbiter.Fault.allCases)
  func fault(_ fault: MemoryArbiter.Fault) throws {
    let generation = fleet.server.now.generation
    fleet.server.change { $0.fault = fault }
    switch fault {
    case .refused: #expect(throws: VaultError(.busy, "")) { try other.commit() }
    case .lost: #expect(throws: VaultError(.unavailable, "")) { try other.commit() }
    case .unanswered: try other.commit()
    }
    let isStored = fault == .unanswered
    #expect(fleet.server.now.generation == generation + (isStored ? 1 : 0))
    try other.commit()
    try expectSameRows()
  }

  @Test("what a server adds to others' commits is refused before anything is written")
  func lie() throws {
    let before = try fleet.folder.bytes(other.path.path)
    let sent = fleet.server.now.commitCount
    fleet.server.change { state in
      let stray = MemoryArbiter.Key(table: .node, id: 77)
      state.rows[stray] = ([UInt8](repeating: 7, count: 512), state.generation)
    }
    #expect(throws: VaultError(.damaged, "")) { try other.commit() }
    #expect(try fleet.folder.bytes(other.path.path) == before)
    #expect(fleet.server.now.commitCount == sent)
  }

  @Test("a new replica of a vault that is rekeyed meanwhile is not made")
  func rekeyed() throws {
    let opening = try fleet.server.opening()
    try fleet.rekey()
    try expectNoReplica(from: opening, .machine(fleet.build))
  }

  @Test("nor one of a vault in which the slot that opened it is changed meanwhile")
  func otherSlot() throws {
    let opening = try fleet.server.opening()
    let slots = try fleet.first.locked { (file) throws(VaultError) in try file.slots() }
    let slot = try #require(slots.first { $0.kind == .keyFile })
    _ = try fleet.first.renameSlot(slot.id, to: "renamed")
    try expectNoReplica(from: opening, .keyFile(fleet.file))
  }

  private func expectNoReplica(from opening: RowDelta, _ key: UnlockKey) throws {
    let path = try VaultPath(fleet.folder.file("new.vault"))
    #expect(throws: VaultError(.busy, "")) {
      try VaultFile.create(
        path, copying: fleet.server, from: opening, of: fleet.first.ident().vaultID,
        key: key)
    }
    #expect(try Posix.information(path.path) == nil)
    let names = try Posix.names(in: path.folder).filter { $0.contains("new.vault") }
    #expect(names == [])
  }
}
