import VaultAdministration
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault: credentials that a server has yet to accept")
struct PendingTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func pending(
    _ user: String, _ secret: String, _ persistence: Persistence = .permanent
  ) throws -> PendingCredential {
    try #require(vault.pending.set(credential(user, secret, persistence), for: space()).pending)
  }

  private func permanent() throws -> [CredentialValues] {
    try vault.write { (transaction) throws(VaultError) in
      try transaction.findAll(ItemQuery(), withSecrets: true).map {
        CredentialValues($0.credential)
      }
    }
  }

  @Test("can be used at once, and are in no file")
  func usable() throws {
    let generation = try vault.generation()
    _ = try pending("ann", "try")
    #expect(try vault.known(space()) == [CredentialValues("ann", "try", .session)])
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "try", .session))
    #expect(try vault.generation() == generation)
    #expect(try permanent().isEmpty)
  }

  @Test("are written when they are confirmed")
  func confirm() throws {
    let attempt = try pending("ann", "try")
    let stored = try vault.pending.confirm(attempt)
    #expect(stored.item.persistence == .permanent && stored.pending == nil)
    #expect(try permanent() == [CredentialValues("ann", "try")])
    #expect(try vault.findAll(ItemQuery()).count == 1)
    expect(.itemNotFound) { try vault.pending.confirm(attempt) }
    expect(.itemNotFound) { try vault.pending.reject(attempt) }
  }

  @Test("are kept for the session if that was asked for")
  func session() throws {
    try vault.pending.confirm(pending("ann", "try", .session))
    #expect(try vault.known(space()) == [CredentialValues("ann", "try", .session)])
    #expect(try permanent().isEmpty)
  }

  @Test("for one use are not held")
  func none() throws {
    let stored = try vault.pending.set(credential("ann", "try", .none), for: space())
    #expect(stored.pending == nil && stored.item.persistence == .none)
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("hide what is stored until they are rejected, the newest first")
  func reject() throws {
    try vault.set(credential("ann", "file"), for: space())
    try vault.set(credential("ann", "session", .session), for: space())
    let first = try pending("ann", "first")
    let second = try pending("ann", "second")
    #expect(try vault.known(space()) == [CredentialValues("ann", "second", .session)])
    try vault.pending.reject(second)
    #expect(try vault.known(space()) == [CredentialValues("ann", "first", .session)])
    try vault.pending.reject(first)
    #expect(try vault.known(space()) == [CredentialValues("ann", "session", .session)])
    #expect(try permanent() == [CredentialValues("ann", "file")])
  }

  @Test("change the secret of what is stored, and keep what else is known of it")
  func metadata() throws {
    var old = try item("ann", "old")
    old.comment = "rotated in May"
    old.path = "/team"
    old.expires = Timestamp(milliseconds: 1)
    let id = try vault.add(old).item.id
    try vault.pending.confirm(pending("ann", "new"))
    let now = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(now.id == id && now.comment == "rotated in May" && now.path == "/team")
    #expect(now.secret?.isEqual(to: Secret("new")) == true && now.expires == nil)
  }

  @Test("that fail to be written stay pending")
  func failure() throws {
    let held = try HeldVault { vault in try vault.set(credential("ann", "old"), for: space()) }
    let stored = try held.vault.pending.set(credential("ann", "try"), for: space())
    let attempt = try #require(stored.pending)
    expect(.busy) { try held.vault.pending.confirm(attempt) }
    #expect(try held.vault.known(space()) == [CredentialValues("ann", "try", .session)])
    try held.holder.unlock()
    try held.vault.pending.confirm(attempt)
    #expect(try held.vault.known(space()) == [CredentialValues("ann", "try")])
  }

  @Test("that fail to be written stay behind newer ones")
  func failureBesideNewer() throws {
    let held = try HeldVault { _ in }
    let first = try held.vault.pending.set(credential("ann", "first"), for: space())
    let attempt = try #require(first.pending)
    _ = try held.vault.pending.set(credential("ann", "second"), for: space())
    expect(.busy) { try held.vault.pending.confirm(attempt) }
    #expect(try held.vault.known(space()) == [CredentialValues("ann", "second", .session)])
    try held.holder.unlock()
  }

  @Test("that the policy refuses are refused even if they are gone meanwhile")
  func goneAndRefused() throws {
    let copy = fixture.folder.file("copy.vault")
    var rule = PersistencePolicy.Rule(name: "nothing")
    rule.refuse = true
    try vault.policy.update { [rule] in $0 = [rule] }
    try vault.maintenance.backup(to: copy)
    try vault.policy.update { $0 = [] }
    let attempt = try pending("ann", "try", .session)
    let vault = vault
    // Called when the restored policy is found, between the lookup of the credential and the
    // decision.
    let observation = vault.events.observe { event in
      guard event == .changedElsewhere else { return }
      do {
        try vault.lock()
      } catch {
        Issue.record(error)
      }
    }
    try VaultMaintenance.restore(from: copy, to: fixture.path, key: fixture.key)
    expect(.policyRefused) { try vault.pending.confirm(attempt) }
    #expect(try vault.state() == .locked)
    observation.cancel()
  }

  @Test("are gone with a lock")
  func lock() throws {
    let attempt = try pending("ann", "try")
    try vault.lock()
    expect(.locked) { try vault.pending.confirm(attempt) }
    try vault.unlock(with: fixture.key)
    expect(.itemNotFound) { try vault.pending.confirm(attempt) }
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("are judged by the policy that holds when they are confirmed, and dropped if it refuses")
  func policy() throws {
    let attempt = try pending("ann", "try")
    var rule = PersistencePolicy.Rule(name: "nothing")
    rule.refuse = true
    try vault.policy.update { [rule] in $0 = [rule] }
    expect(.policyRefused) { try vault.pending.confirm(attempt) }
    #expect(try vault.findAll(ItemQuery()).isEmpty)
    expect(.policyRefused) { _ = try pending("ann", "again") }
  }

  @Test("are what a store becomes where a rule asks for acceptance")
  func acceptance() throws {
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    let set = try vault.set(credential("ann", "set"), for: space())
    let added = try vault.add(item("bob", "added"))
    #expect(set.decision.onlyAfterAcceptance && set.item.persistence == .session)
    #expect(try permanent().isEmpty && vault.known(space()).count == 2)
    try vault.pending.confirm(#require(set.pending))
    let accepted = try vault.add(item("eve", "accepted"), afterAcceptance: true)
    #expect(accepted.pending == nil)
    #expect(try permanent().map(\.user) == ["ann", "eve"])
    try vault.pending.reject(#require(added.pending))
    // Session credentials need no acceptance.
    #expect(try vault.set(credential("bob", "s", .session), for: space()).pending == nil)
  }

  @Test("changes beside the secret need no acceptance; a new secret hides the old until then")
  func modify() throws {
    try vault.set(credential("ann", "old"), for: space())
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    let kept = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(try vault.modify(kept, [.comment("c")]).pending == nil)
    let changed = try vault.modify(kept, [.secret(Secret("new")), .comment("d")])
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    #expect(try permanent() == [CredentialValues("ann", "old")])
    try vault.pending.confirm(#require(changed.pending))
    #expect(try permanent() == [CredentialValues("ann", "new")])
    let now = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(now.id == kept.id && now.comment == "d")
  }

  @Test("that are accepted renew what the session hides the file's with")
  func hidden() throws {
    try vault.set(credential("ann", "file"), for: space())
    try vault.set(credential("ann", "session", .session), for: space())
    try vault.pending.confirm(pending("ann", "new"))
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", .session)])
    #expect(try permanent() == [CredentialValues("ann", "new")])
  }

  @Test("stand before what they may replace, whatever its path")
  func path() throws {
    var old = try item("ann", "old")
    old.path = "/team"
    try vault.add(old)
    let attempt = try pending("ann", "new")
    #expect(
      try vault.findUnique(ItemQuery(space()), withSecrets: true).secret?.isEqual(to: Secret("new"))
        == true)
    try vault.pending.confirm(attempt)
    #expect(try permanent() == [CredentialValues("ann", "new")])
  }

  @Test("are no way around a duplicate")
  func duplicate() throws {
    try vault.add(item("ann", "old"))
    var rule = PersistencePolicy.Rule(name: "accepted")
    rule.persistOnlyAfterAcceptance = true
    try vault.policy.update { [rule] in $0 = [rule] }
    expect(.duplicateItem) { try vault.add(item("ann", "new")) }
  }

  @Test("do not renew in the session what may not be kept there")
  func hiddenRefused() throws {
    let attempt = try vault.pending.set(credential("ann", "new"), for: space(method: .digest))
    try vault.set(credential("ann", "session", .session), for: space(method: .default))
    var rule = PersistencePolicy.Rule(name: "any method")
    rule.authenticationMethod = .default
    rule.maximumPersistence = .none
    try vault.policy.update { [rule] in $0 = [rule] }
    try vault.pending.confirm(#require(attempt.pending))
    #expect(try vault.findAll(ItemQuery()).map(\.persistence) == [.permanent])
  }

  @Test("are dropped where the policy came to keep nothing")
  func applied() throws {
    let attempt = try pending("ann", "try")
    var rule = PersistencePolicy.Rule(name: "nothing")
    rule.maximumPersistence = .none
    try vault.policy.update { [rule] in $0 = [rule] }
    #expect(try vault.policy.excesses().map(\.remedy) == [.remove])
    try vault.policy.apply()
    expect(.itemNotFound) { try vault.pending.reject(attempt) }
    #expect(try vault.findAll(ItemQuery()).isEmpty && vault.policy.excesses().isEmpty)
  }

  @Test("take the default that was chosen for them into the file")
  func defaultUser() throws {
    let attempt = try pending("ann", "try")
    try vault.setDefaultUser("ann", for: space())
    try vault.pending.confirm(attempt)
    try vault.removeAll(.session)
    #expect(try vault.defaultUser(for: space()) == "ann")
  }
}

extension Item {
  var credential: Credential {
    Credential(user: account, secret: secret ?? Secret(""), persistence: persistence)
  }
}
