@testable import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultStore
import VaultModel

@Suite("Vault: the session's items in a transaction")
struct FailedTransactionTests {
  let fixture: Fixture
  let recorder = EventRecorder()
  let old: Item
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    let ann = try fixture.vault.add(item("ann", "first"), persistence: .session).item
    try fixture.vault.modify(ann, [.secret(Secret("second"))])
    old = try fixture.vault.findUnique(ItemQuery(), withSecrets: true)
  }

  private func change(_ transaction: borrowing Vault.Writer) throws(VaultError) {
    try transaction.modify(old, [.secret(Secret("third")), .comment("changed")])
    try transaction.revert(old)
    try transaction.modify(old, [.account("bob")])
  }

  private func expectOld() throws {
    let now = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(now.id == old.id && now.revision == old.revision && now.key == old.key)
    #expect(now.comment.isEmpty)
    #expect(now.secret?.array == Array("second".utf8))
    let history = try vault.history.entries(of: now, withSecrets: true)
    #expect(history.map { $0.secret?.array } == [Array("first".utf8)])
    #expect(history.map(\.keptUntil) == [nil])
  }

  @Test("are as they were if it fails, and nobody is told of the changes")
  func failure() throws {
    let observation = vault.events.observe(recorder)
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try change(transaction)
        let changed = try vault.session.find(ItemQuery(), withSecrets: false)
        #expect(changed.map(\.account) == ["bob"])
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    try expectOld()
    #expect(recorder.take() == [])
    observation.cancel()
  }

  @Test("are as they were if a shorter retention went with the new key")
  func limitedHistory() throws {
    var rule = PersistencePolicy.Rule(name: "short")
    rule.port = 8443
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        let short = try transaction.modify(old, [.port(8443)]).item
        let history = try vault.session.history(of: short.id, hint: short.key, withSecrets: false)
        #expect(history.count == 1 && history.first?.keptUntil != nil)
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    try expectOld()
  }

  @Test("are changed with it, and observers are told in the order of its changes")
  func success() throws {
    let observation = vault.events.observe(recorder)
    let carl = try item("carl")
    let added = try vault.write { (transaction) throws(VaultError) in
      try change(transaction)
      #expect(recorder.take() == [])
      return try transaction.add(carl).item
    }
    var query = ItemQuery()
    query.account = .equals("bob")
    #expect(try vault.findUnique(query).id == old.id)
    let modified = VaultEvent.modified(VaultEvent.Subject(try vault.findUnique(query)))
    let told = recorder.take()
    #expect(told.count == 4 && told[2] == modified)
    #expect(told.last == .added(VaultEvent.Subject(added)))
    observation.cancel()
  }

  @Test("stay changed if the file may have been written")
  func unknown() throws {
    let (file, session) = (try #require(vault.file), vault.session)
    var gate: PolicyGate?
    try file.write { (transaction) throws(VaultError) in
      let current = PolicyGate(session, transaction)
      gate = current
      _ = try current.modify(old, [.comment("changed")], afterAcceptance: true)
    }
    gate?.undo(after: VaultError(.outcomeUnknown, ""))
    #expect(try vault.findUnique(ItemQuery()).comment == "changed")
  }

  @Test("stay as somebody else left them meanwhile")
  func changedMeanwhile() throws {
    let (file, session) = (try #require(vault.file), vault.session)
    var gate: PolicyGate?
    try file.write { (transaction) throws(VaultError) in
      let current = PolicyGate(session, transaction)
      gate = current
      _ = try current.modify(old, [.comment("changed")], afterAcceptance: true)
    }
    _ = try session.modify(old.id, hint: old.key, [.comment("by somebody else")])
    gate?.undo(after: VaultError(.busy, ""))
    #expect(try vault.findUnique(ItemQuery()).comment == "by somebody else")
  }
}
