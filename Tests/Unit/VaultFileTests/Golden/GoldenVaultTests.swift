import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@testable import SealedTree

@Suite("golden vaults")
struct GoldenVaultTests {
  private func passphrase(_ name: String) throws -> Secret {
    guard case .text(let text)? = try Golden.listing(name)["passphrase"] else {
      throw Golden.Refusal(description: "no passphrase")
    }
    return Secret(text)
  }

  @Test("the golden files are what their generator makes, and its reader agrees with all of them")
  func generator() {
    #expect(throws: Never.self) { try Golden.run("golden.py", ["--check"]) }
  }

  @Test("there are the golden vaults that there were")
  func corpus() throws {
    let names = [
      "small", "chunked", "heavy", "crowded", "policy", "history", "trash", "log", "ancestors",
      "machines", "fleet",
    ]
    #expect(try Set(Golden.names()).isSuperset(of: names))
  }

  @Test(
    "a golden vault opens with its key file and its passphrase, and holds what its listing says",
    arguments: try Golden.names())
  func contents(_ name: String) throws {
    let listing = try Golden.listing(name)
    let fixture = try StoreFixture(golden: name)
    #expect(throws: VaultError(.locked, "")) { try fixture.items() }
    for key in [UnlockKey.keyFile(try fixture.keyFile()), .passphrase(try passphrase(name))] {
      try fixture.store.unlock(with: key, minimumCost: .minimum)
      let found = try fixture.items()
      #expect(found.count == listing.list("items").count)
      let isSame = Set(found) == listing.items
      #expect(isSame)
      let defaults = try fixture.store.defaults().map { Listing.json($0, user: $1) }
      #expect(defaults.count == listing.list("defaults").count)
      #expect(try Listing.json(fixture.store.policy()) == Set(listing.list("rules")))
      let information = try fixture.store.information()
      #expect(JSON.text(information.ident.vaultID.hex) == listing["vaultID"])
      #expect(JSON.number(Int64(information.generation)) == listing["generation"])
      #expect(information.itemCount == found.count)
      #expect(try fixture.store.verify().problems == [])
      #expect(try Set(fixture.unknownFields().values) == unknownFields(listing))
      let limit = listing["historyLimit"] ?? .number(10)
      #expect(try JSON.number(Int64(fixture.store.historyLimit)) == limit)
      let days = listing["trashDays"] ?? .number(30)
      #expect(try JSON.number(Int64(fixture.store.trashDays)) == days)
      let logged = listing["logDays"] ?? .number(90)
      #expect(try JSON.number(Int64(fixture.store.logDays)) == logged)
      let changes = try fixture.store.log(since: nil, limit: nil) { _ in true }
      #expect(changes.count == listing.list("changes").count)
      #expect(try fixture.store.trash(ItemQuery()).count == listing.list("removed").count)
      let kept = try fixture.store.shape().records.filter { $0.kind > RecordKind.defaultUser }
      let lists = ["rules", "previous", "removed", "changes", "unknown"]
      #expect(kept.count == lists.map { listing.list($0).count }.reduce(0, +))
      try fixture.store.lockUp()
    }
    #expect(throws: VaultError(.authenticationFailed, "")) {
      try fixture.store.unlock(with: .passphrase(Secret("another")))
    }
  }

  private func unknownFields(_ listing: JSON) -> Set<JSON> {
    Set(listing.list("items").compactMap { $0["unknown"] })
  }

  @Test("the histories of a golden vault are as its listing says, but for what has expired")
  func histories() throws {
    let fixture = try StoreFixture(golden: "history")
    try fixture.store.unlock(with: .keyFile(try fixture.keyFile()))
    var expected = try Golden.listing("history").histories
    // Both previous secrets of the only item without a secret expired long ago.
    let expired = try #require(fixture.items().first { $0["account"] == .text("bob") }?["id"])
    for item in try fixture.store.find(ItemQuery()) {
      let history = try fixture.store.history(of: item.id, hint: item.key, withSecrets: true)
      let listed = expected.removeValue(forKey: item.id.bytes.hex) ?? []
      guard .text(item.id.bytes.hex) != expired else {
        #expect(history.count == 2 && history.allSatisfy { $0.secret == nil })
        continue
      }
      let isSame = history.map { $0.secret?.array.hex } == listed
      #expect(isSame)
    }
    #expect(expected.isEmpty)
  }

  // MARK: Writing

  @Test(
    "a golden vault that was written to keeps all that this version does not know",
    arguments: try Golden.namesWithoutServer())
  func writing(_ name: String) throws {
    let fixture = try StoreFixture(golden: name)
    let store = fixture.store
    try store.unlock(with: .keyFile(try fixture.keyFile()))
    let before = try store.shape()
    let known: Set = [
      RecordKind.item, RecordKind.defaultUser, RecordKind.previousSecret, RecordKind.logEntry,
    ]
    let kept = Set(before.records.filter { !known.contains($0.kind) }.map(KeptRecord.init))
    let unknown = try fixture.unknownFields()
    var expected = try Dictionary(
      uniqueKeysWithValues: store.find(ItemQuery()).map { ($0.id, $0.key) })

    var histories = try Golden.listing(name).histories

    // One by one: every item with an unknown field, and then the first ones.
    let all = try store.find(ItemQuery())
    let changed = all.filter { unknown[$0.id] != nil } + all.prefix(5)
    for item in changed {
      _ = try store.modify(item.id, hint: item.key, [.label("changed"), .comment("changed")])
      let old = try store.find(ItemQuery(key: item.key), withSecrets: true).first {
        $0.id == item.id
      }
      if let secret = old?.secret?.array, !secret.isEmpty {
        let history = [secret.hex] + (histories[item.id.bytes.hex] ?? [])
        histories[item.id.bytes.hex] = Array(history.prefix(try store.historyLimit))
      }
      _ = try store.modify(item.id, hint: item.key, [.secret(Secret("new secret"))])
      let moved = try HostName("moved-\(item.id).example")
      let now = try store.modify(item.id, hint: item.key, [.server(moved)])
      expected[item.id] = now.key
    }
    for item in all.suffix(3) where unknown[item.id] == nil {
      try store.deleteForGood(item.id, hint: item.key)
      expected[item.id] = nil
      histories[item.id.bytes.hex] = nil
    }
    // Several at once, on existing hosts and new ones.
    try store.write { (transaction) throws(VaultError) in
      for index in 0..<40 {
        let item = Item(
          server: index.isMultiple(of: 2) ? all[index % all.count].server : .unset,
          account: "new\(index)", secret: Secret("of \(index)"))
        expected[item.id] = try transaction.add(item).key
      }
    }
    for (space, user) in try store.defaults() {
      try store.setDefaultUser("\(user)2", for: space)
    }

    #expect(try store.verify().problems == [])
    let found = try store.find(ItemQuery())
    #expect(Dictionary(uniqueKeysWithValues: found.map { ($0.id, $0.key) }) == expected)
    #expect(try store.information().itemCount == expected.count)
    let after = try store.shape()
    let others = Set(after.records.filter { !known.contains($0.kind) }.map(KeptRecord.init))
    #expect(others == kept)
    #expect(try fixture.unknownFields() == unknown)
    let listing = try Golden.read(fixture)
    let isSame = try listing.items == Set(fixture.items())
    #expect(isSame)
    let original = try Golden.listing(name)
    let isHistorySame = listing.histories == histories
    #expect(isHistorySame)
    // The vault "log" has more entries than a bucket keeps once it is written.
    let isLogged = Set(listing.list("changes")).isSuperset(of: original.list("changes"))
    #expect(isLogged == (name != "log"))
    for kind in ["rules", "removed", "unknown"] {
      let isSame = Set(listing.list(kind)) == Set(original.list(kind))
      #expect(isSame, "\(kind)")
    }
    let removed = [listing, original].map { listing in
      Set(listing.list("previous").filter { $0["removed"] != nil })
    }
    #expect(removed[0] == removed[1])
    // A default's unknown field stays beside its new user.
    let kinds = [listing, original].map { Set($0.list("defaults").compactMap { $0["unknown"] }) }
    #expect(kinds[0] == kinds[1])
    #expect(listing.list("defaults").count == original.list("defaults").count)
  }

  @Test("records that another writer left crowded can each be changed and removed")
  func crowded() throws {
    let fixture = try StoreFixture(golden: "crowded")
    let store = fixture.store
    try store.unlock(with: .keyFile(try fixture.keyFile()))
    let all = try store.find(ItemQuery())
    var item = Item(
      server: try HostName("crowded.example.com"), account: "build", protocol: .https)
    item.path = "/one/more"
    _ = try store.add(item)
    #expect(try store.shape().trees(level: 2).count == 1)
    try store.write { (transaction) throws(VaultError) in
      for item in all {
        _ = try transaction.modify(item.id, hint: item.key, [.label("changed")])
      }
    }
    #expect(try store.verify().problems == [])
    let isListed = try Set(fixture.items()) == Golden.read(fixture).items
    #expect(isListed)
    #expect(throws: VaultError(.duplicateItem, "")) {
      try store.add(
        Item(
          server: item.server, account: "build", protocol: .https, path: "/job/150",
          authenticationMethod: .unset))
    }
    try store.write { (transaction) throws(VaultError) in
      for item in all { try transaction.remove(item.id, hint: item.key, removal: .permanent) }
    }
    #expect(try store.find(ItemQuery()).map(\.id) == [item.id])
    #expect(try store.shape().trees.count == 1)
  }
}

extension JSON {
  /// The previous secrets in a listing, by their items' ids, the newest of each first; none of
  /// removed items.
  fileprivate var histories: [String: [String]] {
    var histories: [String: [String]] = [:]
    for previous in list("previous") where previous["removed"] == nil {
      guard case .text(let id)? = previous["id"], case .text(let secret)? = previous["secret"]
      else { continue }
      histories[id, default: []].append(secret)
    }
    return histories
  }
}

/// A record of a kind that is only kept.
private struct KeptRecord: Hashable {
  let kind: UInt8
  let body: [UInt8]

  init(_ record: Record) {
    kind = record.kind
    body = record.body
  }
}

extension StoreFixture {
  /// Returns the fields of items that this version does not know, as in the listings.
  fileprivate func unknownFields() throws -> [ItemID: JSON] {
    var found: [ItemID: JSON] = [:]
    for body in try store.shape().bodies(RecordKind.item) {
      var reader = FieldReader(body, 0..<body.count)
      var unknown: [String: JSON] = [:]
      while let field = try reader.next() {
        guard FieldTag(rawValue: field.tag) == nil, Attribute(rawValue: field.tag) == nil else {
          continue
        }
        unknown["\(field.tag)"] = .text(body[field.range].hex)
      }
      guard !unknown.isEmpty else { continue }
      found[try ItemRecord(decoding: body, 0..<body.count).item.id] = .object(unknown)
    }
    return found
  }
}
