import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: references and revisions")
struct ItemReferenceTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  static let places = [Persistence.session, .permanent]

  @Test(
    "an id finds the item whatever it is called now, and nothing when it is gone", arguments: places
  )
  func renamed(_ place: Persistence) throws {
    let old = try vault.add(item("ann", "one"), persistence: place).item
    try vault.add(item("bob", "two"), persistence: place)
    let renames: [[ItemChange]] = [
      [.comment("x")], [.account("anna")],
      [.server(HostName(canonical: "other.example")), .port(1)],
    ]
    for changes in renames {
      // The reference is never renewed.
      try vault.modify(old, changes)
      for hint in [nil, old.key] {
        let found = try vault.item(old.id, hint: hint, withSecrets: true)
        #expect(found.id == old.id && found.secret?.count == 3 && found.persistence == place)
        #expect(try vault.item(old.id, hint: hint, withSecrets: false).secret == nil)
      }
    }
    let now = try vault.item(old.id, withSecrets: true)
    #expect(now.account == "anna" && now.server.name == "other.example" && now.port == 1)
    try vault.remove(old)
    for hint in [nil, old.key, now.key] {
      expect(.itemNotFound) { _ = try vault.item(old.id, hint: hint, withSecrets: true) }
    }
    #expect(try vault.count(ItemQuery()) == 1)
  }

  @Test("a transaction finds an item by its id as it is within it")
  func inside() throws {
    let old = try vault.add(item("ann", "one")).item
    try vault.write { (transaction) throws(VaultError) in
      try transaction.modify(old, [.account("anna")])
      let found = try transaction.item(old.id, hint: old.key, withSecrets: true)
      guard found.account == "anna", found.secret?.count == 3 else {
        throw VaultError(.internalError, "another item")
      }
      try transaction.remove(old)
      do throws(VaultError) {
        _ = try transaction.item(old.id, withSecrets: true)
        throw VaultError(.internalError, "still there")
      } catch {
        guard error.code == .itemNotFound else { throw error }
      }
    }
    #expect(try vault.count(ItemQuery()) == 0)
  }

  @Test("a count is that of the list, with its limit")
  func counts() throws {
    for account in ["ann", "bob", "carl"] { try vault.add(item(account)) }
    try vault.add(item("ann"), persistence: .session)
    var query = ItemQuery()
    #expect(try vault.count(query) == 3)
    query.limit = 2
    #expect(try vault.count(query) == 2)
    query.account = .equals("nobody")
    #expect(try vault.count(query) == 0)
    #expect(
      try vault.write { (transaction) throws(VaultError) in
        try transaction.count(ItemQuery())
      } == 3)
  }

  @Test("a change and a deletion are made only if nobody changed the item since", arguments: places)
  func revisions(_ place: Persistence) throws {
    let first = try vault.add(item("ann", "one"), persistence: place).item
    let second = try vault.modify(first, [.comment("two")], ifRevision: first.revision).item
    #expect(second.revision > first.revision)
    let generation = try vault.generation()
    // The same holds for a change that would change nothing.
    for changes in [[.comment("three")], [.comment("two")], [.secret(Secret("three"))]]
      as [[ItemChange]]
    {
      let error = #expect(throws: VaultError.self) {
        try vault.modify(first, changes, ifRevision: first.revision)
      }
      #expect(error?.code == .conflict && error?.candidates.map(\.comment) == ["two"])
      #expect(error?.candidates.first?.revision == second.revision)
    }
    let error = #expect(throws: VaultError.self) {
      try vault.remove(first, ifRevision: first.revision)
    }
    #expect(error?.code == .conflict && error?.candidates.map(\.id) == [first.id])
    #expect(
      try vault.generation() == generation
        && vault.find(ItemQuery(), withSecrets: true).comment == "two")
    // A change of nothing keeps the revision.
    let same = try vault.modify(second, [.comment("two")], ifRevision: second.revision).item
    #expect(same.revision == second.revision)
    try vault.remove(first, ifRevision: second.revision)
    #expect(try vault.count(ItemQuery()) == 0)
    expect(.itemNotFound) {
      try vault.modify(first, [.comment("x")], ifRevision: second.revision)
    }
    expect(.itemNotFound) { try vault.remove(first, ifRevision: second.revision) }
  }

  @Test("within a transaction, too, and a conflict there leaves nothing behind")
  func transactional() throws {
    let first = try vault.add(item("ann", "one")).item
    let second = try vault.modify(first, [.comment("two")]).item
    for isDeletion in [false, true] {
      expect(.conflict) {
        try vault.write { (transaction) throws(VaultError) in
          try transaction.add(Item(server: HostName(canonical: "h"), account: "bob"))
          if isDeletion { return try transaction.remove(first, ifRevision: first.revision) }
          try transaction.modify(first, [.comment("x")], ifRevision: first.revision)
        }
      }
    }
    #expect(try vault.findAll(ItemQuery()).map(\.comment) == ["two"])
    try vault.write { (transaction) throws(VaultError) in
      let third = try transaction.modify(first, [.comment("3")], ifRevision: second.revision).item
      try transaction.modify(first, [.comment("4")], ifRevision: third.revision)
    }
    #expect(try vault.findAll(ItemQuery()).map(\.comment) == ["4"])
  }

  @Test(
    "a key that another item has is refused with both, and nothing is left behind",
    arguments: places)
  func collision(_ place: Persistence) throws {
    let ann = try vault.add(item("ann", "one"), persistence: place).item
    let bob = try vault.add(item("bob", "two"), persistence: place).item
    let generation = try vault.generation()
    let error = #expect(throws: VaultError.self) {
      try vault.modify(bob, [.comment("x"), .account("ann"), .secret(Secret("x"))])
    }
    #expect(error?.code == .duplicateItem && error?.candidates.map(\.id) == [ann.id, bob.id])
    #expect(error?.candidates.map(\.account) == ["ann", "bob"])
    #expect(try vault.generation() == generation)
    #expect(try vault.item(bob.id, withSecrets: true).secret?.array == Array("two".utf8))
    // The reference still works.
    try vault.modify(bob, [.account("carl")])
    #expect(
      try vault.item(bob.id, withSecrets: true).comment == ""
        && vault.item(bob.id, withSecrets: true).account == "carl")
    #expect(try vault.history.entries(of: bob).isEmpty)
  }

  @Test("a pending item that has the key of another is refused with that one")
  func pendingDuplicate() throws {
    let ann = try vault.add(item("ann")).item
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "accepted")
      rule.persistOnlyAfterAcceptance = true
      rules = [rule]
    }
    let error = #expect(throws: VaultError.self) { try vault.add(item("ann", "new")) }
    #expect(error?.code == .duplicateItem && error?.candidates.map(\.id) == [ann.id])
  }
}
