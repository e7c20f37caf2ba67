import Glibc
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel
@testable import VaultStore

@Suite("write transactions")
struct WriteTests {
  private func fixture() throws -> StoreFixture {
    let fixture = try StoreFixture()
    try fixture.store.write { (transaction) throws(VaultError) in
      for index in 0..<10 {
        _ = try transaction.add(
          Item(
            server: try HostName("h\(index).example"), account: "a", secret: Secret("s\(index)")))
      }
    }
    return fixture
  }

  private func item(
    _ fixture: StoreFixture, _ host: String = "h3.example"
  ) throws -> Item {
    var query = ItemQuery()
    query.server = .equals(try HostName(host))
    return try #require(try fixture.store.find(query, withSecrets: true).first)
  }

  @Test("a body that throws leaves the file as it was, byte for byte")
  func throwing() throws {
    let fixture = try fixture()
    let before = try fixture.folder.bytes(fixture.path)
    let item = try item(fixture)
    let large = Secret([UInt8](repeating: 1, count: 5000))
    #expect(throws: VaultError(.interrupted, "")) {
      try fixture.store.write { (transaction) throws(VaultError) in
        _ = try transaction.add(Item(account: "new", secret: large))
        try transaction.remove(item.id, hint: item.key)
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(throws: VaultError(.duplicateItem, "")) {
      try fixture.store.write { (transaction) throws(VaultError) in
        _ = try transaction.add(Item(account: "new", secret: large))
        _ = try transaction.add(Item(account: "new", secret: large))
      }
    }
    let isSame = try fixture.folder.bytes(fixture.path) == before
    #expect(isSame)
    #expect(try fixture.store.find(ItemQuery()).count == 10)
    #expect(try fixture.store.verify().problems == [])
    // The vault can still be written.
    try fixture.store.remove(item.id, hint: item.key)
    #expect(try fixture.store.find(ItemQuery()).count == 9)
  }

  @Test("a large secret and its refresh token change together or apart, within one transaction")
  func refreshToken() throws {
    let fixture = try fixture()
    func large(_ byte: UInt8) -> Secret { Secret([UInt8](repeating: byte, count: 5000)) }
    var new = Item(
      server: try HostName("large.example"), account: "a", secret: large(1))
    new.refreshToken = Secret("first")
    try fixture.store.write { (transaction) throws(VaultError) in
      let added = try transaction.add(new)
      // The row of the large secret is not written yet.
      _ = try transaction.modify(added.id, hint: added.key, [.refreshToken(Secret("second"))])
      _ = try transaction.modify(
        added.id, hint: added.key, [.secret(large(2)), .refreshToken(Secret("third"))])
      _ = try transaction.modify(added.id, hint: added.key, [.refreshToken(Secret("fourth"))])
      let inside = try transaction.find(ItemQuery(key: added.key), withSecrets: true).first
      guard inside?.refreshToken?.array == Array("fourth".utf8) else {
        throw VaultError(.internalError, "the transaction does not see its own change")
      }
    }
    let stored = try item(fixture, "large.example")
    #expect(stored.secret?.array == large(2).array)
    #expect(stored.refreshToken?.array == Array("fourth".utf8))
    #expect(try fixture.store.verify().problems.isEmpty)
    // A secret that was small, and a token that is removed.
    try fixture.store.write { (transaction) throws(VaultError) in
      _ = try transaction.modify(
        stored.id, hint: stored.key, [.secret(Secret("small")), .refreshToken(nil)])
      _ = try transaction.modify(
        stored.id, hint: stored.key, [.secret(large(3)), .refreshToken(Secret("fifth"))])
    }
    let last = try item(fixture, "large.example")
    #expect(last.secret?.array == large(3).array)
    #expect(last.refreshToken?.array == Array("fifth".utf8))
    #expect(try fixture.store.verify().problems.isEmpty)
  }

  @Test("what changes nothing writes nothing")
  func nothing() throws {
    let fixture = try fixture()
    let space = try ProtectionSpace(host: "h3.example")
    try fixture.store.setDefaultUser("a", for: space)
    let generation = try fixture.store.information().generation
    let before = try fixture.folder.bytes(fixture.path)
    let item = try item(fixture)
    let store = fixture.store
    _ = try store.modify(item.id, hint: item.key, [])
    _ = try store.modify(item.id, hint: item.key, [.label(item.label), .port(item.port)])
    _ = try store.modify(item.id, hint: item.key, [.secret(Secret("s3"))])
    _ = try store.modify(item.id, hint: item.key, [.refreshToken(nil), .server(item.server)])
    try store.setDefaultUser("a", for: space)
    try store.setDefaultUser(nil, for: try ProtectionSpace(host: "h4.example"))
    try store.write { (transaction) throws(VaultError) in
      _ = try transaction.find(ItemQuery(), withSecrets: true)
      _ = try transaction.item(item.id, hint: item.key)
    }
    #expect(throws: VaultError(.itemNotFound, "")) {
      try store.remove(ItemID(), hint: Item.Key())
    }
    #expect(throws: VaultError(.duplicateItem, "")) {
      try store.modify(item.id, hint: item.key, [.server(try HostName("h4.example"))])
    }
    let isSame = try fixture.folder.bytes(fixture.path) == before
    #expect(isSame)
    #expect(try store.information().generation == generation)
  }

  @Test("a file that is removed before a change is written is missing, and not read-only")
  func removedFile() throws {
    let fixture = try fixture()
    try fixture.store.locked { (file) throws(VaultError) in
      do throws(VaultError) {
        try file.write { (transaction) throws(VaultError) in
          _ = try transaction.add(Item(account: "new"))
          // The path is a C string for this call.
          #expect(unsafe unlink(fixture.path) == 0)
        }
        Issue.record("it was written")
      } catch {
        #expect(error.code == .vaultNotFound && file.isReplaced)
        #expect(error.context == "the file at \(file.path.path) was removed or replaced")
      }
    }
  }

  @Test("each transaction is one generation, however much it does, and items carry it")
  func generations() throws {
    let fixture = try StoreFixture()
    #expect(try fixture.store.information().generation == 1)
    let items = try (0..<5).map { Item(server: try HostName("h\($0).example")) }
    for (index, item) in items.enumerated() {
      #expect(try fixture.store.add(item).revision == UInt64(index) + 2)
    }
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items {
        _ = try transaction.modify(item.id, hint: item.key, [.comment("c")])
      }
    }
    #expect(try fixture.store.information().generation == 7)
    #expect(try fixture.store.find(ItemQuery()).map(\.revision) == [7, 7, 7, 7, 7])
  }

  @Test("a transaction sees its own changes, and nobody else does before its end")
  func ownChanges() throws {
    let fixture = try fixture()
    let old = try item(fixture)
    let large = Secret([UInt8](repeating: 2, count: 3000))
    try fixture.store.write { (transaction) throws(VaultError) in
      let new = try transaction.add(
        Item(server: old.server, account: "b", secret: large))
      _ = try transaction.modify(old.id, hint: old.key, [.account("c"), .secret(large)])
      var query = ItemQuery()
      query.server = .equals(old.server)
      let found = try transaction.find(query, withSecrets: true)
      #expect(found.map(\.account) == ["b", "c"])
      #expect(found.allSatisfy { $0.secret?.isEqual(to: large) == true })
      try transaction.remove(new.id, hint: new.key, removal: .permanent)
      #expect(try transaction.find(query).map(\.id) == [old.id])
    }
    #expect(try fixture.store.shape().largeSecretCount == 1)
    #expect(try item(fixture).secret?.isEqual(to: large) == true)
  }

  @Test("a large secret's row goes with its item, and with another secret")
  func largeSecrets() throws {
    let fixture = try StoreFixture()
    let host = try HostName("h.example")
    func secret(_ byte: UInt8, _ count: Int) -> Secret {
      Secret([UInt8](repeating: byte, count: count))
    }
    let items = (0..<4).map {
      Item(server: host, account: "\($0)", secret: secret(UInt8($0), 2000))
    }
    try fixture.store.setHistoryLimit(0)
    for item in items { _ = try fixture.store.add(item) }
    #expect(try fixture.store.shape().largeSecretCount == 4)
    try fixture.store.deleteForGood(items[0].id, hint: Item.Key(server: host))
    #expect(try fixture.store.shape().largeSecretCount == 3)
    // Changing another attribute, or the place, leaves the row as it is.
    let rows = try fixture.store.shape().rows
    _ = try fixture.store.modify(
      items[1].id, hint: Item.Key(server: host),
      [.server(try HostName("moved.example"))])
    #expect(try fixture.store.shape().rows == rows)
    _ = try fixture.store.modify(
      items[2].id, hint: Item.Key(server: host), [.secret(secret(9, 1024))])
    #expect(try fixture.store.shape().largeSecretCount == 2)
    _ = try fixture.store.modify(
      items[3].id, hint: Item.Key(server: host), [.secret(secret(9, 4000))])
    let shape = try fixture.store.shape()
    #expect(shape.largeSecretCount == 2)
    // Numbers are not used again.
    #expect(shape.rows.max() == NodeID.firstLargeSecret + 5)
    #expect(try fixture.store.verify().problems == [])
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items.dropFirst() {
        try transaction.remove(
          item.id, hint: Item.Key(server: host), removal: .permanent)
      }
    }
    #expect(try fixture.store.shape().rows.isEmpty)
  }

  @Test("the label that is shown defaults to the server, else the account")
  func labels() throws {
    let fixture = try StoreFixture()
    #expect(try fixture.store.add(Item(account: "a")).label == "a")
    let item = Item(server: try HostName("h.example"), account: "a")
    #expect(try fixture.store.add(item).label == "h.example")
  }
}
