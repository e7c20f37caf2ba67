import Glibc
import VaultMigrations
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
import VaultReports
@testable import VaultStore

@testable import SealedTree

/// Puts a sealed row of its own into the new table.
private func sealSomething(
  _ keys: EpochKeys, _ connection: Connection, _ head: inout Head
) throws(VaultError) {
  let sealed = keys.seal([7], as: .bucket, id: 1 << 40)
  try connection.run(.insertNode, .integer(1 << 40), .blob(sealed))
}

private func fail(
  _ keys: EpochKeys, _ connection: Connection, _ head: inout Head
) throws(VaultError) {
  try sealSomething(keys, connection, &head)
  throw VaultError(.interrupted, "by the test")
}

/// Writes more than SQLite's cache holds, so that pages reach the file, and ends the process.
private func kill(
  _ keys: EpochKeys, _ connection: Connection, _ head: inout Head
) throws(VaultError) {
  for number in 0..<80 as Range<UInt64> {
    let row = [UInt8](repeating: 1, count: 1 << 16)
    try connection.run(.insertNode, .integer(number), .blob(row))
  }
  _ = raise(SIGKILL)
}

/// This version's vaults, and a later version's program.
@Suite("migrating")
struct MigratingTests {
  private static let table = Migrations.Step(
    number: 2, sql: Array("CREATE TABLE later (id INTEGER PRIMARY KEY, x BLOB) STRICT;\n".utf8))

  private static func chain(
    minor: UInt16 = 1, features: UInt32 = 1, _ reseal: MigrationStep.Reseal? = sealSomething
  ) -> MigrationChain {
    let step = MigrationStep(table, minor: minor, features: features, reseal: reseal)
    return MigrationChain(MigrationChain.current.steps + [step])
  }

  /// Opens the fixture's vault with a program that knows `chain`.
  private func open(
    _ fixture: StoreFixture, _ chain: MigrationChain = Self.chain()
  ) throws -> FileStore {
    let store = try FileStore.open(
      VaultPath(fixture.path), stateFolder: fixture.folder.file("state"),
      lockTimeout: .seconds(1), chain: chain)
    try store.unlock(with: .keyFile(fixture.keyFile()))
    return store
  }

  /// Creates a vault of this version with one item, closed.
  private func old() throws -> StoreFixture {
    let fixture = try StoreFixture()
    _ = try fixture.store.add(item("first"))
    try fixture.store.close()
    return fixture
  }

  private func item(_ account: String) -> Item {
    Item(account: account, secret: Secret("of \(account)"))
  }

  private func accounts(_ store: FileStore) throws -> [String] {
    try store.find(ItemQuery(), withSecrets: true).map(\.account).sorted()
  }

  private let now = FormatVersion(major: 1, minor: 0, schema: 1)
  private let later = FormatVersion(major: 1, minor: 1, schema: 2)

  @Test("an older vault is read without being written")
  func reading() throws {
    let fixture = try old()
    let before = try fixture.folder.bytes(fixture.path)
    let store = try open(fixture)
    #expect(try accounts(store) == ["first"])
    #expect(try store.verify().problems == [])
    #expect(try store.information().ident.minor == 0)
    try store.write { (transaction) throws(VaultError) in
      // A body that changes nothing writes nothing, and so is not a first write.
      _ = try transaction.find(ItemQuery())
    }
    #expect(throws: VaultError(.interrupted, "")) {
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.add(item("none"))
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(try accounts(store) == ["first"])
    try store.close()
    let isSame = try fixture.folder.bytes(fixture.path) == before
    #expect(isSame)
  }

  @Test("the first write runs the missing steps, in its own transaction")
  func firstWrite() throws {
    let fixture = try old()
    let store = try open(fixture)
    let generation = try store.information().generation
    _ = try store.add(item("second"))
    #expect(try store.information().generation == generation + 1)
    try expectMigrated(store, ["first", "second"])
    #expect(try store.migrate() == (later, later))
    _ = try store.add(item("third"))
    try store.close()
    let again = try open(fixture)
    try expectMigrated(again, ["first", "second", "third"])
    try again.close()
  }

  @Test("migrate runs them without another change, once")
  func migrate() throws {
    let fixture = try old()
    let store = try open(fixture)
    let generation = try store.information().generation
    #expect(try store.migrate() == (now, later))
    #expect(try store.information().generation == generation + 1)
    #expect(try store.migrate() == (later, later))
    #expect(try store.information().generation == generation + 1)
    try expectMigrated(store, ["first"])
    try store.close()
    let again = try open(fixture)
    try expectMigrated(again, ["first"])
    try again.close()
  }

  private func expectMigrated(_ store: FileStore, _ expected: [String]) throws {
    #expect(try accounts(store) == expected)
    let ident = try store.information().ident
    #expect(ident.minor == 1 && ident.features == 1 && ident.epoch == 1)
    // The one row that the step's function sealed belongs to nothing that is verified.
    #expect(try store.verify().problems.map(\.kind) == [.row])
  }

  @Test("a new vault of the longer chain is as a migrated one")
  func creating() throws {
    let fixture = try StoreFixture()
    let path = fixture.folder.file("new.vault")
    let store = try FileStore.create(
      VaultPath(path), key: .keyFile(fixture.keyFile()), slotName: "", cost: .minimum,
      stateFolder: nil, lockTimeout: .seconds(1), chain: Self.chain())
    #expect(try store.migrate() == (later, later))
    _ = try store.add(item("first"))
    try expectMigrated(store, ["first"])
    try store.close()
  }

  @Test("a step that fails leaves the vault as it was, and usable")
  func failing() throws {
    let fixture = try old()
    let before = try fixture.folder.bytes(fixture.path)
    let broken = MigrationStep(
      Migrations.Step(
        number: 2, sql: Array("CREATE TABLE later (x); CREATE TABLE later (x);".utf8)),
      minor: 1, features: 0)
    let chains = [
      Self.chain(fail),
      MigrationChain(Self.chain().steps + [broken]),
    ]
    for chain in chains {
      let store = try open(fixture, chain)
      #expect(throws: VaultError.self) { try store.migrate() }
      #expect(throws: VaultError.self) { try store.add(item("none")) }
      #expect(try accounts(store) == ["first"])
      #expect(try store.verify().problems == [])
      try store.close()
      let isSame = try fixture.folder.bytes(fixture.path) == before
      #expect(isSame)
    }
  }

  @Test("a kill in the middle leaves the vault as it was, even if pages of it were written")
  func killed() async throws {
    let fixture = try old()
    let before = try fixture.folder.bytes(fixture.path)
    let (path, key) = (fixture.path, try fixture.folder.bytes(fixture.keyPath))
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [path = path as String, key = key as [UInt8]] in
      let file = try key.withSpan { (bytes) throws(VaultError) in try KeyFile(decoding: bytes) }
      let store = try FileStore.open(
        VaultPath(path), stateFolder: nil, lockTimeout: .seconds(1), chain: Self.chain(kill))
      try store.unlock(with: .keyFile(file))
      _ = try store.migrate()
    }
    let journal = try fixture.folder.bytes(fixture.path + "-journal")
    #expect(journal.first == 0xD9)
    let wasTouched = try fixture.folder.bytes(fixture.path) != before
    #expect(wasTouched)
    let store = try open(fixture, .current)
    #expect(try accounts(store) == ["first"])
    #expect(try store.verify().problems == [])
    #expect(try store.migrate() == (now, now))
    try store.close()
    let later = try open(fixture)
    #expect(try later.migrate().after == self.later)
    try later.close()
  }

  @Test("this version refuses a vault of a later one as too new where a feature says so")
  func tooNew() throws {
    let fixture = try old()
    let store = try open(fixture)
    _ = try store.migrate()
    try store.close()
    #expect(throws: VaultError(.tooNew, "")) { try open(fixture, .current) }
  }

  @Test("a later minor version with the same schema is read and written, and stays what it is")
  func minor() throws {
    let fixture = try old()
    var step = MigrationChain.current.steps[0]
    step = MigrationStep(step.sql, minor: 3, features: 0)
    // The change that a later version without a new table makes to the ident.
    let ident = try rewriteIdent(of: fixture, minor: 3)
    #expect(ident.minor == 3)
    let store = try open(fixture, .current)
    #expect(try store.migrate().after == FormatVersion(major: 1, minor: 3, schema: 1))
    _ = try store.add(item("second"))
    #expect(try store.information().ident.minor == 3)
    try store.close()
    let again = try open(fixture, MigrationChain([step]))
    #expect(try accounts(again) == ["first", "second"])
    try again.close()
  }

  /// Writes ident and head as another version of the program does.
  private func rewriteIdent(of fixture: StoreFixture, minor: UInt16) throws -> Ident {
    let store = try open(fixture, .current)
    var ident = try store.information().ident
    ident.minor = minor
    try store.locked { (file) throws(VaultError) in
      try file.inTransaction { (now, connection) throws(VaultError) in
        var head = now.head
        head.ident = ident.encoded
        try head.succeed(now.headTag, at: .now())
        let sealed = now.keys.seal(head.encoded, as: .head, id: 0)
        try connection.run(.updateIdent, .blob(head.ident), .blob(sealed))
        let keys = EpochKeys(now.keys, ident: ident)
        return (file.newlyUnlocked(keys, nil), head, sealed)
      }
    }
    #expect(try accounts(store) == ["first"])
    try store.close()
    return ident
  }

  @Test("an ident or a schema version that the head does not vouch for is damage")
  func forged() throws {
    for (minor, version) in [(UInt16(0), UInt32(2)), (1, 1), (2, 1)] {
      let fixture = try old()
      let store = try open(fixture)
      if version == 2 { _ = try store.migrate() }
      try store.locked { (file) throws(VaultError) in
        var row: (ident: [UInt8], head: [UInt8]) = ([], [])
        try file.connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
        var ident = try Ident(decoding: row.ident, knowing: 1)
        ident.minor = minor
        try file.connection.run(.updateIdent, .blob(ident.encoded), .blob(row.head))
      }
      // The same holds for a program that has it open.
      #expect(throws: VaultError(.damaged, "")) { try store.find(ItemQuery()) }
      try store.close()
      #expect(throws: VaultError(.damaged, "")) { try open(fixture) }
    }
  }

  @Test("a schema version put back to an earlier one is damage, also where the tables are the same")
  func putBack() throws {
    let step = MigrationStep(
      Migrations.Step(number: 2, sql: Array("DELETE FROM node WHERE id = -1;".utf8)), minor: 1,
      features: 0)
    let chain = MigrationChain(MigrationChain.current.steps + [step])
    let fixture = try old()
    let store = try open(fixture, chain)
    #expect(try store.migrate().after == later)
    try store.locked { (file) throws(VaultError) in
      try file.connection.execute(migration: Array("PRAGMA user_version = 1".utf8))
    }
    #expect(throws: VaultError(.damaged, "")) { try store.find(ItemQuery()) }
    try store.close()
    #expect(throws: VaultError(.damaged, "")) { try open(fixture, chain) }
  }

  @Test("another program that has the vault open goes on after it was migrated")
  func others() throws {
    let fixture = try old()
    let store = try open(fixture)
    #expect(try accounts(store) == ["first"])
    // A connection of its own, like another process's.
    let other = try VaultFile(
      path: VaultPath(fixture.path), stateFolder: nil, lockTimeout: .seconds(1),
      chain: Self.chain())
    try other.unlock(with: .keyFile(fixture.keyFile()), keyFile: nil)
    _ = try other.migrate()
    #expect(try accounts(store) == ["first"])
    _ = try store.add(item("second"))
    try expectMigrated(store, ["first", "second"])
    try store.close()
  }

  @Test("a rekey brings the present format too")
  func rekeying() throws {
    let fixture = try old()
    let store = try open(fixture)
    _ = try store.rekey(
      keeping: [.keyFile(fixture.keyFile())], cost: .minimum, otherKey: { _ in nil },
      progress: { _ in })
    let ident = try store.information().ident
    #expect(ident.minor == 1 && ident.features == 1 && ident.epoch == 2)
    #expect(try accounts(store) == ["first"])
    try store.close()
  }
}
