import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: deleting what matches")
struct DeletingTests {
  let clocked: ClockedVault
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
  }

  private func query(_ account: String) -> ItemQuery {
    var query = ItemQuery()
    query.account = .equals(account)
    return query
  }

  /// Returns the accounts in the file, including those that the session hides.
  private func inFile() throws -> [String] {
    try vault.write { (transaction) throws(VaultError) in
      try transaction.findAll(ItemQuery()).map(\.account)
    }
  }

  @Test("one: the one item that matches best, or none if there is no such one")
  func one() throws {
    expect(.itemNotFound) { try vault.removeUnique(ItemQuery()) }
    for account in ["ann", "bob"] { try vault.add(item(account)) }
    let error = #expect(throws: VaultError.self) { try vault.removeUnique(ItemQuery()) }
    #expect(error?.code == .ambiguous && error?.candidates.map(\.account) == ["ann", "bob"])
    var limited = ItemQuery()
    limited.limit = 1
    expect(.ambiguous) { try vault.removeUnique(limited) }
    #expect(try inFile() == ["ann", "bob"])
    let deleted = try vault.removeUnique(query("bob"))
    #expect(deleted.account == "bob" && deleted.secret == nil)
    #expect(try inFile() == ["ann"])
  }

  @Test("one of the session goes alone, and the file's that it hid is next")
  func hidden() throws {
    let permanent = try vault.add(item("ann", "file")).item
    try vault.add(item("ann", "session"), persistence: .session)
    let generation = try vault.generation()
    #expect(try vault.removeUnique(query("ann")).persistence == .session)
    #expect(try vault.generation() == generation && inFile() == ["ann"])
    #expect(try vault.removeUnique(query("ann")).id == permanent.id)
    expect(.itemNotFound) { try vault.removeUnique(query("ann")) }
  }

  @Test("an expired one is passed over, and a pending one is dropped")
  func special() throws {
    var old = try item("ann")
    old.expires = clocked.clock.now
    try vault.add(old)
    expect(.expired) { try vault.removeUnique(query("ann")) }
    let pending = try #require(
      vault.pending.set(credential("bob", "new"), for: space()).pending)
    #expect(try vault.removeUnique(query("bob")).account == "bob")
    expect(.itemNotFound) { try vault.pending.confirm(pending) }
    #expect(try vault.count(ItemQuery()) == 1)
  }

  @Test("all: everything that matches, wherever it is and hidden or not, and how much that was")
  func all() throws {
    #expect(try vault.removeAll(ItemQuery()) == 0)
    for account in ["ann", "bob", "carl"] { try vault.add(item(account)) }
    try vault.add(item("ann", "session"), persistence: .session)
    try vault.add(item("dora"), persistence: .session)
    _ = try vault.pending.set(credential("ann", "pending"), for: space())
    #expect(try vault.removeAll(query("nobody")) == 0)
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    let generation = try vault.generation()
    #expect(try vault.removeAll(query("ann")) == 3)
    #expect(try vault.generation() == generation + 1)
    // Observers never got events of the pending ones.
    #expect(recorder.take().count { if case .removed = $0 { true } else { false } } == 2)
    #expect(try vault.findAll(ItemQuery()).map(\.account) == ["bob", "carl", "dora"])
    #expect(try vault.removeAll(query("dora")) == 1)
    #expect(try vault.generation() == generation + 1, "the file had none")
    #expect(try vault.removeAll(ItemQuery()) == 2)
    #expect(try vault.count(ItemQuery()) == 0)
    observation.cancel()
  }

  @Test("a limit takes the best, from both places", arguments: [0, 1, 2, 3, 9])
  func limited(_ limit: Int) throws {
    for account in ["ann", "carl"] { try vault.add(item(account)) }
    for account in ["bob", "dora"] { try vault.add(item(account), persistence: .session) }
    var query = ItemQuery()
    query.limit = limit
    #expect(try vault.removeAll(query) == min(limit, 4))
    #expect(
      try vault.findAll(ItemQuery()).map(\.account)
        == Array(["ann", "bob", "carl", "dora"].dropFirst(limit)))
  }

  @Test("expired ones are deleted too, unless they are not wanted")
  func expired() throws {
    for persistence in [Persistence.session, .permanent] {
      var old = try item("ann")
      old.expires = clocked.clock.now
      try vault.add(old, persistence: persistence)
    }
    var valid = ItemQuery()
    valid.includesExpired = false
    #expect(try vault.removeAll(valid) == 0)
    #expect(try vault.removeAll(ItemQuery()) == 2)
  }

  @Test("a transaction deletes from the file, and nothing if it fails")
  func transactional() throws {
    for account in ["ann", "bob", "carl"] { try vault.add(item(account)) }
    try vault.add(item("dora"), persistence: .session)
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        guard try transaction.removeAll(ItemQuery()) == 3 else { return }
        throw VaultError(.conflict, "no")
      }
    }
    #expect(try inFile() == ["ann", "bob", "carl"])
    let ann = query("ann")
    try vault.write { (transaction) throws(VaultError) in
      guard try transaction.removeUnique(ann).account == "ann" else { return }
      var limited = ItemQuery()
      limited.limit = 1
      try transaction.removeAll(limited)
    }
    #expect(try inFile() == ["carl"])
  }

  @Test(
    "of many threads that delete one item, one does", arguments: [Persistence.session, .permanent])
  func threads(_ place: Persistence) throws {
    let vault = vault
    for _ in 0..<10 {
      try vault.add(item("ann"), persistence: place)
      let outcomes = Lock<[VaultError.Code?]>([])
      inThreads(4) { _ in
        let outcome = Result { () throws(VaultError) in try vault.removeUnique(ItemQuery()) }
        let code: VaultError.Code? =
          if case .failure(let error) = outcome { error.code } else { nil }
        outcomes.withLock { $0.append(code) }
      }
      let codes = outcomes.withLock { $0 }
      #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .itemNotFound } == 3)
    }
  }
}
