import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: its policy")
struct PolicyTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func rule(
    _ name: String, _ change: (inout PersistencePolicy.Rule) throws -> Void = { _ in }
  ) throws -> PersistencePolicy.Rule {
    var rule = PersistencePolicy.Rule(name: name)
    try change(&rule)
    return rule
  }

  @Test("a new vault has no rules, and grants what is asked for")
  func empty() throws {
    #expect(try vault.policy.current() == .empty)
    let explained = try vault.policy.explain(space())
    #expect(explained.decision.granted == .permanent && explained.decision.rule == nil)
    #expect(explained.tried.isEmpty)
  }

  @Test("rules lie in the file, in their order, and are found by whoever opens it")
  func stored() throws {
    let first = try rule("first") { $0.host = try HostPattern("*.example.com") }
    let second = try rule("second") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [second] }
    let policy = try vault.policy.update { $0.insert(first, at: 0) }
    #expect(policy.rules == [first, second])
    try vault.close()
    #expect(try fixture.open().policy.current().rules == [first, second])
  }

  @Test("a change that leaves no policy stores nothing")
  func invalid() throws {
    let one = try rule("one")
    try vault.policy.update { $0 = [one] }
    let generation = try vault.generation()
    let bad = try rule("bad") { $0.lifetime = .seconds(-1) }
    expect(.invalidArgument) { try vault.policy.update { $0.append(bad) } }
    expect(.invalidArgument) { try vault.policy.update { $0.append(one) } }
    expect(.itemNotFound) {
      try vault.policy.update { (_) throws(VaultError) in throw VaultError(.itemNotFound, "") }
    }
    try vault.policy.update { _ in }
    #expect(try vault.policy.current().rules == [one] && vault.generation() == generation)
  }

  @Test("while the vault is locked nothing can be stored, for the session neither")
  func locked() throws {
    let waiting = try #require(vault.pending.set(credential("ann", "1"), for: space()).pending)
    try vault.lock()
    for persistence in [Persistence.session, .permanent] {
      expect(.locked) { try vault.add(item(), persistence: persistence) }
      expect(.locked) { try vault.set(credential("ann", "1", persistence), for: space()) }
      expect(.locked) {
        _ = try vault.pending.set(credential("ann", "1", persistence), for: space())
      }
      expect(.locked) { try vault.move(user: "ann", for: space(), to: persistence) }
    }
    expect(.locked) { try vault.pending.confirm(waiting) }
    expect(.locked) { try vault.setDefaultUser("ann", for: space()) }
    expect(.locked) { _ = try vault.policy.current() }
    expect(.locked) { try vault.policy.update { _ in } }
    expect(.locked) { try vault.policy.apply() }
    expect(.locked) { try vault.maintenance.purge() }
    try vault.unlock(with: fixture.key)
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("a vault in memory has the policy that it was made with")
  func inMemory() throws {
    let session = try rule("session") { $0.maximumPersistence = .session }
    let other = try rule("other") {
      $0.host = try HostPattern("*.other.example")
      $0.refuse = true
    }
    let memory = Vault.inMemory(policy: try PersistencePolicy(rules: [other, session]))
    let stored = try memory.set(credential("ann", "1"), for: space())
    #expect(stored.item.persistence == .session && stored.decision.rule?.name == "session")
    expect(.policyRefused) {
      try memory.set(credential("ann", "1", .session), for: space("a.other.example"))
    }
    expect(.unsupported) { try memory.policy.update { _ in } }
    expect(.unsupported) { try Vault.inMemory().set(credential("ann", "1"), for: space()) }
    #expect(try memory.policy.excesses().isEmpty && memory.policy.apply().isEmpty)
  }

  @Test("an item without a server is under the rules that ask for no host")
  func withoutServer() throws {
    let host = try rule("a host") {
      $0.host = try HostPattern("*.example.com")
      $0.refuse = true
    }
    let all = try rule("all") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [host, all] }
    let stored = try vault.add(Item(account: "ann", secret: Secret("1")))
    #expect(stored.item.persistence == .session && stored.decision.rule?.name == "all")
  }

  @Test("a permanent credential that is capped later is shadowed, not removed, by a new one")
  func shadowed() throws {
    try vault.set(credential("ann", "old"), for: space())
    let session = try rule("session") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [session] }
    let stored = try vault.set(credential("ann", "new"), for: space())
    #expect(stored.item.persistence == .session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    // The second one replaces the first one.
    let kept = try vault.write { (transaction) throws(VaultError) in
      try transaction.findUnique(ItemQuery(), withSecrets: true)
    }
    try vault.modify(kept, [.secret(Secret("newer"))])
    #expect(try vault.known(space()) == [CredentialValues("ann", "newer", .session)])
    try vault.removeAll(.session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "old")])
  }

  @Test("observers hear nothing of what a failed transaction had put into the session")
  func failedEvents() throws {
    let session = try rule("session") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [session] }
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    defer { observation.cancel() }
    let ann = try item("ann")
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.add(ann)
        throw VaultError(.conflict, "")
      }
    }
    #expect(recorder.take() == [])
    let stored = try vault.add(ann).item
    #expect(recorder.take() == [.added(VaultEvent.Subject(stored))])
  }

  @Test(
    "a transaction chooses a default among those who are there, and for who is pending in memory only"
  )
  func transactionDefault() throws {
    let accepted = try rule("accepted") { $0.persistOnlyAfterAcceptance = true }
    try vault.policy.update { $0 = [accepted] }
    let (place, ann) = (try space(), try item("ann"))
    try vault.write { (transaction) throws(VaultError) in
      #expect(throws: VaultError(.itemNotFound, "")) {
        try transaction.setDefaultUser("ann", for: place)
      }
      #expect(try transaction.add(ann).pending != nil)
      #expect(try transaction.setDefaultUser("ann", for: place).granted == .session)
      #expect(try transaction.defaultUser(for: place) == nil)
    }
    #expect(try vault.defaultUser(for: place) == "ann")
    try vault.write { (transaction) throws(VaultError) in
      _ = try transaction.setDefaultUser(nil, for: place)
    }
    #expect(try vault.defaultUser(for: place) == nil)
  }

  @Test("the answer names what was asked for, and a rule also where nothing changes")
  func answers() throws {
    let session = try rule("session") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [session] }
    for secret in ["1", "1", "2"] {
      let stored = try vault.set(credential("ann", secret), for: space())
      #expect(stored.decision.requested == .permanent && stored.decision.granted == .session)
      #expect(stored.decision.rule?.name == "session")
    }
    let kept = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(try vault.modify(kept, [.comment("")]).decision.rule?.name == "session")
  }

  @Test("what a failed transaction had put into the session is gone with it")
  func failedTransaction() throws {
    let session = try rule("session") { $0.maximumPersistence = .session }
    try vault.policy.update { $0 = [session] }
    try vault.set(credential("eve", "before", .session), for: space())
    let (ann, eve) = (try item("ann"), try item("eve", "during"))
    let before = try vault.findAll(ItemQuery()).first
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.add(ann)
        let known = try transaction.findAll(ItemQuery())
        guard known.isEmpty else { throw VaultError(.internalError, "") }
        #expect(throws: VaultError(.duplicateItem, "")) { try transaction.add(eve) }
        throw VaultError(.conflict, "")
      }
    }
    #expect(try vault.known(space()) == [CredentialValues("eve", "before", .session)])
    #expect(try vault.findAll(ItemQuery()).first?.id == before?.id)
  }
}
