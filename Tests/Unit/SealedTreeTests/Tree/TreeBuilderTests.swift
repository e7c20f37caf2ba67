import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("building trees of an owner's records")
struct TreeBuilderTests {
  /// Returns the server of a record; every third one is on the same server, which gets a tree of
  /// its own.
  private static func host(_ number: Int) -> String {
    number.isMultiple(of: 3) ? "heavy.example" : "h\(number).example"
  }

  @Test("the owner gives its records in ascending order, and so opens each of its rows once")
  func order() throws {
    let fixture = try StoreFixture()
    let records = try (0..<1000).map { number in
      let item = Item(
        id: ItemID(),
        key: Item(server: try HostName(Self.host(number)), account: "\(number)").key,
        created: .now(), modified: .now())
      return Record(kind: RecordKind.item, body: ItemRecord(item).encoded).encoded
    }
    var taken: [Int] = []
    let owner = TreeBuilder.Owner(
      look: { records[$0] },
      take: { (number) throws(VaultError) in
        taken.append(number)
        return records[number]
      })
    try fixture.store.locked { (file) throws(VaultError) in
      try file.inTransaction { (now, connection) throws(VaultError) in
        try connection.run(.deleteTrees, .integer(NodeID.firstLargeSecret))
        let builder = TreeBuilder(
          keys: now.keys, nextTree: 1, rows: connection, owner: owner)
        for (number, record) in records.enumerated() {
          builder.add(
            number: number, kind: RecordKind.item, count: record.count,
            host: Array(Self.host(number).utf8))
        }
        let directory = try builder.write { _ in }
        #expect(builder.itemCount == 1000 && builder.nextTree == 2)
        #expect(directory.load == 667)
        return nil
      }
    }
    #expect(taken.sorted() == Array(0..<1000))
    // Once for each of the two trees.
    #expect(zip(taken, taken.dropFirst()).count { $0 > $1 } <= 1)
  }
}
