import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import CredentialVault
@testable import VaultCrypto
@testable import VaultStorage

/// Previous secrets and removed items, as a later version will leave them.
@Suite("Policy: what is kept of items as they were")
struct PastTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
    for user in ["ann", "bob"] {
      for host in ["a.example.com", "b.example.org"] {
        try vault.set(credential(user, "one"), for: space(host))
      }
    }
    let items = try vault.find(ItemQuery())
    try vault.requireFile().write { (transaction) throws(VaultError) in
      for item in items {
        let keys = transaction.keys
        let sealed = keys.seal(Secret("before"), use: .previousSecret, item: item.id)
        var writer = FieldWriter()
        writer.put(FieldTag.created, item.created)
        writer.put(FieldTag.modified, item.created)
        writer.put(FieldTag.sealedSecret, sealed)
        let body = ItemRecord.keyPrefix(item.key) + FieldWriter.field(item.id) + writer.finish()
        try transaction.editor.insert(
          Record(kind: RecordKind.previousSecret, body: body), at: .item(item.key))
        // Removed: bob's.
        guard item.account == "bob" else { continue }
        let removed = ItemRecord(try transaction.take(item.id, hint: item.key).withoutSecrets)
        try transaction.editor.insert(
          Record(kind: RecordKind.removedItem, body: removed.encoded), at: .item(item.key))
      }
    }
  }

  /// Kind, user and host of everything of the past.
  private func past() throws -> [String] {
    try vault.requireFile().content().past.map {
      "\($0.kind) \($0.key.account) \($0.key.server)"
    }.sorted()
  }

  private static let other = [
    "previousSecret ann b.example.org", "previousSecret bob b.example.org",
    "removedItem bob b.example.org",
  ]

  @Test("goes where the policy came to keep nothing, and stays elsewhere")
  func applied() throws {
    #expect(try past().count == 6)
    var rule = PersistencePolicy.Rule(name: "session")
    rule.host = try HostPattern("*.example.com")
    rule.maximumPersistence = .session
    try vault.updatePolicy { [rule] in $0 = [rule] }
    let listed = try vault.checkPolicy().map { "\($0.kind.rawValue) \($0.key.account)" }.sorted()
    #expect(
      listed == ["item ann", "previous-secret ann", "previous-secret bob", "removed-item bob"])
    try vault.applyPolicy()
    #expect(try past() == Self.other)
    #expect(try vault.checkPolicy().isEmpty)
  }

  @Test("goes when its own secret has become too old")
  func old() throws {
    var rule = PersistencePolicy.Rule(name: "an hour")
    rule.host = try HostPattern("*.example.com")
    rule.lifetime = .seconds(3600)
    try vault.updatePolicy { [rule] in $0 = [rule] }
    clock.pass(.seconds(1800))
    try vault.applyPolicy()
    #expect(try past().count == 6)
    try vault.set(credential("ann", "two"), for: space("a.example.com"))
    clock.pass(.seconds(1800))
    try vault.applyPolicy()
    #expect(try past() == Self.other)
    #expect(try vault.known(space("a.example.com")) == [Known("ann", "two")])
  }

  @Test("goes with the item that a purge removes")
  func purged() throws {
    let item = try #require(
      vault.find(ItemQuery()).first { $0.account == "ann" && $0.server.name == "a.example.com" })
    try vault.modify(item, [.expires(clock.now)])
    try vault.purge()
    #expect(try past().filter { $0.contains("ann") } == ["previousSecret ann b.example.org"])
    #expect(try past().count == 5)
  }
}
