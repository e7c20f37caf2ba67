import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: adding or changing in one step")
struct UpsertTests {
  let clocked: ClockedVault
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
  }

  static let places = [Persistence.session, .permanent]

  @Test("what is not there is added as add does", arguments: places)
  func adds(_ place: Persistence) throws {
    let stored = try vault.upsert(item("ann", "one"), persistence: place)
    #expect(stored.item.persistence == place && stored.item.label == "git.example.com")
    #expect(try vault.known(space()) == [CredentialValues("ann", "one", place)])
    // Another key is another item.
    var other = try item("ann", "two")
    other.path = "p"
    try vault.upsert(other, persistence: place)
    #expect(try vault.count(ItemQuery()) == 2)
  }

  @Test("what is there gets what the given item has, and keeps the rest", arguments: places)
  func changes(_ place: Persistence) throws {
    var old = try item("ann", "one")
    old.label = "Label"
    old.comment = "old"
    old.custom = ["a": "1", "b": "2"]
    old.isNegative = true
    old.refreshToken = Secret("refresh")
    old = try vault.add(old, persistence: place).item
    clocked.clock.pass(.seconds(1))
    var new = try item("ann", "two")
    new.comment = "new"
    new.origin = "git"
    new.custom = ["b": "3"]
    new.isInvisible = true
    new.secretKind = .token
    let stored = try vault.upsert(new, persistence: place)
    #expect(stored.item.id == old.id && stored.item.revision > old.revision)
    let now = try vault.item(old.id, withSecrets: true)
    #expect(now.label == "Label" && now.comment == "new" && now.origin == "git")
    #expect(now.custom == ["a": "1", "b": "3"] && now.isNegative && now.isInvisible)
    #expect(now.secret?.array == Array("two".utf8) && now.secretKind == .token)
    #expect(now.refreshToken?.array == Array("refresh".utf8))
    #expect(now.created == old.created && now.secretChanged == clocked.clock.now)
    #expect(try vault.count(ItemQuery()) == 1)
  }

  @Test("without a secret the old one stays, and an empty one replaces it", arguments: places)
  func secrets(_ place: Persistence) throws {
    var old = try item("ann", "one")
    old.secretKind = .token
    try vault.add(old, persistence: place)
    var new = try item("ann")
    new.secret = nil
    new.comment = "no secret"
    try vault.upsert(new, persistence: place)
    let kept = try vault.find(ItemQuery(), withSecrets: true)
    #expect(kept.secret?.count == 3 && kept.secretKind == .token && kept.comment == "no secret")
    try vault.upsert(item("ann", ""), persistence: place)
    #expect(try vault.find(ItemQuery(), withSecrets: true).secret?.count == 0)
  }

  @Test("what has nothing new changes nothing and tells nobody", arguments: places)
  func nothing(_ place: Persistence) throws {
    let old = try vault.add(item("ann", "one"), persistence: place).item
    let generation = try vault.generation()
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    let same = try vault.upsert(item("ann", "one"), persistence: place)
    #expect(same.item.revision == old.revision)
    #expect(try vault.generation() == generation && recorder.take().isEmpty)
    observation.cancel()
  }

  @Test("a new secret ends the expiry of the old one, unless that is still to come")
  func expiry() throws {
    let clock = clocked.clock
    var old = try item("ann", "one")
    old.expires = clock.now.adding(.seconds(60))
    let id = try vault.add(old).item.id
    try vault.upsert(item("ann", "two"))
    #expect(try vault.item(id, withSecrets: true).expires == old.expires)
    clock.pass(.seconds(60))
    var comment = try item("ann")
    comment.secret = nil
    comment.comment = "still expired"
    try vault.upsert(comment)
    expect(.expired) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    try vault.upsert(item("ann", "three"))
    #expect(try vault.find(ItemQuery(), withSecrets: true).expires == nil)
  }

  @Test("the session's item is changed in the session, and hides the file's")
  func shadow() throws {
    try vault.add(item("ann", "file"))
    try vault.upsert(item("ann", "first"), persistence: .session)
    try vault.upsert(item("ann", "second"), persistence: .session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "second", .session)])
    try vault.upsert(item("ann", "changed"))
    try vault.removeAll(.session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "changed")])
  }

  @Test("a secret that has to be accepted is pending, and the rest is changed at once")
  func pending() throws {
    try vault.add(item("ann", "old"))
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "accepted")
      rule.persistOnlyAfterAcceptance = true
      rules = [rule]
    }
    var new = try item("ann", "new")
    new.comment = "changed"
    let stored = try vault.upsert(new)
    #expect(stored.pending != nil)
    let inFile = try vault.write { (transaction) throws(VaultError) in
      try transaction.find(ItemQuery(), withSecrets: true)
    }
    #expect(inFile.comment == "changed" && inFile.secret?.array == Array("old".utf8))
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    try vault.upsert(item("bob", "new"))
    #expect(try vault.count(ItemQuery()) == 2)
    #expect(
      try vault.write { (transaction) throws(VaultError) in
        try transaction.count(ItemQuery())
      } == 1)
  }

  @Test("where the policy came to allow less, the session's item has what the file's had, too")
  func demoted() throws {
    var old = try item("ann", "old")
    old.comment = "kept"
    try vault.add(old)
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "session")
      rule.maximumPersistence = .session
      rules = [rule]
    }
    for secret in ["new", "newer"] {
      let stored = try vault.upsert(item("ann", secret))
      #expect(stored.item.persistence == .session && stored.decision.requested == .permanent)
      #expect(try vault.known(space()) == [CredentialValues("ann", secret, .session)])
      #expect(try vault.find(ItemQuery(), withSecrets: true).comment == "kept")
    }
  }

  @Test("in a transaction it sees what that did, and is undone with it")
  func transactional() throws {
    try vault.write { (transaction) throws(VaultError) in
      let ann = Item(
        server: HostName(canonical: "h"), account: "ann", secret: Secret("1"))
      let first = try transaction.upsert(ann)
      var second = ann
      second.comment = "second"
      let changed = try transaction.upsert(second)
      guard first.item.id == changed.item.id else { throw VaultError(.internalError, "two items") }
    }
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.upsert(
          Item(server: HostName(canonical: "h"), account: "ann", secret: Secret("2")))
        throw VaultError(.conflict, "no")
      }
    }
    let left = try vault.find(ItemQuery(), withSecrets: true)
    #expect(left.comment == "second" && left.secret?.array == Array("1".utf8))
  }

  @Test("many threads that store and delete one item never collide", arguments: places)
  func threads(_ place: Persistence) throws {
    let failures = Lock<[String]>([])
    let vault = vault
    let rounds = place == .session ? 1000 : 25
    inThreads(4) { thread in
      do {
        for number in 0..<rounds {
          try vault.upsert(item("ann", "\(thread)-\(number)"), persistence: place)
          if number % 2 == 0 { try vault.removeAll(ItemQuery()) }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try vault.count(ItemQuery()) <= 1)
  }
}
