import CVault
import CredentialVault
import Testing
import TestSupport
import VaultC
import VaultModel

@Suite("storing through the C interface")
struct StoringTests {
  private let ann: CAttributes

  init() throws {
    ann = try CAttributes(
      [VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"], secret: "old")
  }

  @Test("an item of the same key is a duplicate, and the one that is there stays")
  func duplicate() throws {
    let vault = try CVaultObject.inMemory()
    _ = try vault.add(ann)
    try ann.set(secret: "new")
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) { try vault.add(ann) }
    #expect(try vault.find(nil).secret() == "old")
  }

  @Test("the default port and an unset one are one place, and a second item of it is told")
  func places() throws {
    let vault = try CVaultObject.inMemory()
    let new = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"], secret: "one")
    try new.set(url: "https://example.com:443")
    #expect(try vault.add(new).number(VAULT_HAS_PORT_VARIANT) == 0)
    let other = try CAttributes([VAULT_ACCOUNT.rawValue: "ann"], secret: "two")
    try other.set(url: "https://example.com")
    let changed = try vault.upsert(other)
    #expect(try changed.number(VAULT_PORT) == 443 && changed.number(VAULT_HAS_PORT_VARIANT) == 0)
    #expect(try vault.find(nil).secret() == "two")
    let second = try vault.add(other)
    #expect(try second.number(VAULT_PORT) == 0 && second.number(VAULT_HAS_PORT_VARIANT) == 1)
    try changed.modify(CAttributes([VAULT_COMMENT.rawValue: "c"]))
    #expect(try changed.number(VAULT_HAS_PORT_VARIANT) == 1)
  }

  @Test(
    "a change keeps what is not named, removes what is named as empty, and the handle says what is now"
  )
  func modify() throws {
    let vault = try CVaultObject.inMemory()
    try ann.set(VAULT_COMMENT, "first")
    try ann.set(VAULT_KIND, "web")
    try ann.set(custom: "c", "1")
    let item = try vault.add(ann)
    let id = try item.text(VAULT_ID)
    let changes = try CAttributes(
      [VAULT_ACCOUNT.rawValue: "bob", VAULT_COMMENT.rawValue: ""], secret: "new")
    try changes.set(custom: "c", "")
    try item.modify(changes)
    for item in [item, try vault.find(nil)] {
      #expect(try item.text(VAULT_ID) == id)
      #expect(try item.text(VAULT_ACCOUNT) == "bob")
      #expect(try item.text(VAULT_COMMENT) == "")
      #expect(try item.text(VAULT_KIND) == "web")
      #expect(try item.custom("c") == "")
      #expect(try item.secret() == "new")
    }
  }

  @Test("a change of an item that was renamed meanwhile finds it")
  func renamed() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(ann)
    try vault.find(nil).modify(CAttributes([VAULT_SERVER.rawValue: "other.example"]))
    try item.modify(CAttributes([VAULT_COMMENT.rawValue: "found"]))
    #expect(try item.text(VAULT_SERVER) == "other.example")
    #expect(try vault.find(nil).text(VAULT_COMMENT) == "found")
  }

  @Test("a change into the key of another item is a duplicate, and the handle is as it was")
  func collision() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(ann)
    _ = try vault.add(
      CAttributes([VAULT_ACCOUNT.rawValue: "bob", VAULT_SERVER.rawValue: "example.com"]))
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try item.modify(CAttributes([VAULT_ACCOUNT.rawValue: "bob"]))
    }
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
    #expect(try item.secret() == "old")
  }

  @Test("a change or deletion of another revision is a conflict")
  func revision() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(ann)
    let revision = try item.number(VAULT_REVISION)
    #expect(revision > 0)
    try vault.find(nil).modify(CAttributes([VAULT_COMMENT.rawValue: "other"]))
    let changes = try CAttributes([VAULT_COMMENT.rawValue: "mine"])
    #expect(throws: Failure(VAULT_CONFLICT)) { try item.modify(changes, ifRevision: revision) }
    #expect(throws: Failure(VAULT_CONFLICT)) { try item.remove(ifRevision: revision) }
    #expect(try vault.find(nil).text(VAULT_COMMENT) == "other")
    let fresh = try vault.find(nil)
    try fresh.modify(changes, ifRevision: fresh.number(VAULT_REVISION))
    try fresh.remove(ifRevision: fresh.number(VAULT_REVISION))
    #expect(try vault.count(nil) == 0)
  }

  @Test("a deleted item is not found, its handle can be read, and not deleted again")
  func remove() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(ann)
    try item.remove()
    #expect(try vault.count(nil) == 0)
    #expect(try item.text(VAULT_ACCOUNT) == "ann")
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.remove() }
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.secret() }
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.modify(ann) }
  }

  @Test("upsert adds, and then gives the item of the same key what is set, and keeps the rest")
  func upsert() throws {
    let vault = try CVaultObject.inMemory()
    try ann.set(VAULT_COMMENT, "first")
    let added = try vault.upsert(ann)
    let again = try CAttributes(
      [
        VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com",
        VAULT_COMMENT.rawValue: "", VAULT_KIND.rawValue: "web",
      ])
    let changed = try vault.upsert(again)
    #expect(try changed.text(VAULT_ID) == added.text(VAULT_ID))
    #expect(try changed.text(VAULT_COMMENT) == "first")
    #expect(try changed.text(VAULT_KIND) == "web")
    #expect(try changed.secret() == "old")
    try again.set(secret: "new")
    #expect(try vault.upsert(again).secret() == "new")
    #expect(try vault.count(nil) == 1)
  }

  @Test("all that match are deleted and counted, and a query that names nothing deletes nothing")
  func removeAll() throws {
    let vault = try CVaultObject.inMemory()
    for account in ["ann", "bob"] {
      _ = try vault.add(CAttributes([VAULT_ACCOUNT.rawValue: account]))
    }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeAll(nil) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeAll(CAttributes()) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
      try vault.removeAll(CAttributes([:], secret: "old"))
    }
    #expect(try vault.count(nil) == 2)
    #expect(try vault.removeAll(CAttributes([VAULT_ACCOUNT.rawValue: "eve"])) == 0)
    #expect(try vault.removeAll(CAttributes([VAULT_ACCOUNT.rawValue: "ann"])) == 1)
    #expect(try vault.removeAll(CAttributes([VAULT_PATH.rawValue: ""])) == 1)
  }

  @Test("what is stored for no time has a handle, and its secret is nowhere")
  func none() throws {
    let vault = try CVaultObject.inMemory()
    let item = try vault.add(ann, VAULT_PERSISTENCE_NONE)
    #expect(try item.number(VAULT_PERSISTENCE) == UInt64(VAULT_PERSISTENCE_NONE.rawValue))
    #expect(try vault.count(nil) == 0)
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.secret() }
    #expect(throws: Failure(VAULT_UNSUPPORTED)) { try vault.add(ann, VAULT_PERSISTENCE_PERMANENT) }
  }

  @Test("a pending item is found until it is rejected, and kept once it is confirmed")
  func pending() throws {
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let swift = try Vault.create(path: folder.file("vault"), key: .keyFile(folder.file("key")))
    try swift.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "accepted")
      rule.persistOnlyAfterAcceptance = true
      rules = [rule]
    }
    let vault = try unsafe CVaultObject { place in
      unsafe vault_open_locked(folder.file("vault"), place)
    }
    let rejected = try vault.add(ann, VAULT_PERSISTENCE_PERMANENT)
    #expect(try rejected.number(VAULT_IS_PENDING) == 1)
    #expect(try vault.find(nil).secret() == "old")
    #expect(try rejected.secret() == "old")
    try check(unsafe vault_reject(rejected.handle))
    #expect(try rejected.number(VAULT_IS_PENDING) == 0)
    #expect(try vault.count(nil) == 0)
    #expect(unsafe vault_reject(rejected.handle) == VAULT_ITEM_NOT_FOUND)
    #expect(unsafe vault_confirm(rejected.handle) == VAULT_ITEM_NOT_FOUND)

    let confirmed = try vault.add(ann, VAULT_PERSISTENCE_PERMANENT)
    try check(unsafe vault_confirm(confirmed.handle))
    #expect(try confirmed.number(VAULT_IS_PENDING) == 0)
    #expect(
      try confirmed.number(VAULT_PERSISTENCE) == UInt64(VAULT_PERSISTENCE_PERMANENT.rawValue))
    #expect(unsafe vault_confirm(confirmed.handle) == VAULT_ITEM_NOT_FOUND)
    try ann.set(VAULT_ACCOUNT, "bob")
    let accepted = try vault.add(ann, VAULT_PERSISTENCE_PERMANENT, VAULT_ACCEPTED)
    #expect(try accepted.number(VAULT_IS_PENDING) == 0)
    #expect(try vault.findAll(nil) == ["ann", "bob"])
  }

  @Test("after a change was rejected or forbidden, a handle stands for what it was")
  func rejectedChange() throws {
    let folder = try TemporaryFolder()
    try KeyFile.create(at: folder.file("key"))
    let swift = try Vault.create(path: folder.file("vault"), key: .keyFile(folder.file("key")))
    let vault = try unsafe CVaultObject { place in
      unsafe vault_open_locked(folder.file("vault"), place)
    }
    let item = try vault.add(ann, VAULT_PERSISTENCE_PERMANENT)
    var rule = PersistencePolicy.Rule(name: "rule")
    rule.persistOnlyAfterAcceptance = true
    try swift.policy.update { rules in rules = [rule] }
    let changes = try CAttributes([:])
    for secret in ["first try", "second try"] {
      try changes.set(secret: secret)
      try item.modify(changes)
      #expect(try item.number(VAULT_IS_PENDING) == 1)
      #expect(try vault.find(nil).secret() == secret)
      try check(unsafe vault_reject(item.handle))
      #expect(try item.number(VAULT_PERSISTENCE) == UInt64(VAULT_PERSISTENCE_PERMANENT.rawValue))
      #expect(try vault.find(nil).secret() == "old")
    }
    rule.persistOnlyAfterAcceptance = false
    rule.maximumPersistence = .none
    try swift.policy.update { rules in rules = [rule] }
    #expect(throws: Failure(VAULT_POLICY_REFUSED)) { try item.modify(changes) }
    #expect(try item.secret() == "old")
    try item.remove()
    #expect(try vault.count(nil) == 0)
  }

  @Test("a space's default is the user that was chosen, else the only one")
  func defaults() throws {
    let vault = try CVaultObject.inMemory()
    let space = try CAttributes([
      VAULT_SERVER.rawValue: "example.com", VAULT_PROTOCOL.rawValue: "https",
    ])
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.defaultCredential(space) }
    try ann.set(VAULT_PROTOCOL, "https")
    _ = try vault.add(ann)
    #expect(try vault.defaultCredential(space).text(VAULT_ACCOUNT) == "ann")
    try ann.set(VAULT_ACCOUNT, "bob")
    try ann.set(secret: "bob's")
    _ = try vault.add(ann)
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.defaultCredential(space) }
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.setDefaultUser("eve", space) }
    try vault.setDefaultUser("bob", space)
    #expect(try vault.defaultCredential(space).text(VAULT_ACCOUNT) == "bob")
    #expect(try vault.defaultCredential(space).secret() == "bob's")
    try vault.setDefaultUser("", space)
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.defaultCredential(space) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.defaultCredential(CAttributes()) }
  }
}
