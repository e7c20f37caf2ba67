import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: moves between the session and the file")
struct MoveTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  @Test("a default moves with its user, both ways")
  func defaults() throws {
    try vault.setDefaultCredential(credential("ann", "1"), for: space())
    try vault.set(credential("bob", "2"), for: space())
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "1", .session))
    try vault.move(user: "ann", for: space(), to: .permanent)
    try vault.removeAll(.session)
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "1"))
    // In the file it moves with the item that it names.
    try vault.move(user: "ann", for: space(), to: .session)
    try vault.removeAll(.session)
    #expect(try vault.defaultUser(for: space()) == nil)
  }

  @Test("a move is one change to observers; of two items that become one, each has its own")
  func events() throws {
    let id = try vault.set(credential("ann", "1"), for: space()).item.id
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    defer { observation.cancel() }
    func subject(_ persistence: Persistence) throws -> VaultEvent.Subject {
      VaultEvent.Subject(id: id, space: try space(), persistence: persistence)
    }
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(recorder.take() == [.moved(try subject(.session), from: .permanent)])
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(recorder.take() == [.moved(try subject(.permanent), from: .session)])
    let shadow = try vault.set(credential("ann", "2", .session), for: space()).item
    _ = recorder.take()
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(
      recorder.take() == [.modified(try subject(.permanent)), .removed(VaultEvent.Subject(shadow))])
    #expect(try vault.known(space()) == [CredentialValues("ann", "2")])
    #expect(try vault.findAll(ItemQuery()).map(\.id) == [id])
  }

  @Test("a default that moves with its user is no change of its own")
  func defaultEvents() throws {
    let id = try vault.setDefaultCredential(credential("ann", "1"), for: space()).item.id
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    defer { observation.cancel() }
    for persistence in [Persistence.session, .permanent] {
      try vault.move(user: "ann", for: space(), to: persistence)
      let subject = VaultEvent.Subject(id: id, space: try space(), persistence: persistence)
      #expect(
        recorder.take() == [.moved(subject, from: persistence == .session ? .permanent : .session)])
    }
  }

  /// Returns the secrets of ann's items by their methods.
  private func methods(_ vault: Vault, permanent: Bool) throws -> [String: String] {
    let items = try vault.write { (transaction) throws(VaultError) in
      try transaction.findAll(ItemQuery(), withSecrets: true)
    }
    let all = permanent ? items : try vault.findAll(ItemQuery(), withSecrets: true)
    return Dictionary(
      all.map {
        ($0.authenticationMethod.rawValue, String(decoding: $0.secret?.array ?? [], as: UTF8.self))
      }, uniquingKeysWith: { "\($0) and \($1)" })
  }

  @Test("items of several methods move each on its own, and none is lost")
  func methods() throws {
    let any = try space(method: .default)
    try vault.set(credential("ann", "file basic"), for: space())
    try vault.set(credential("ann", "session basic", .session), for: space())
    try vault.set(credential("ann", "session any", .session), for: any)
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(
      try methods(vault, permanent: true) == ["basic": "session basic", "default": "session any"])
    try vault.set(credential("ann", "newer basic", .session), for: space())
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(try methods(vault, permanent: true).isEmpty)
    #expect(
      try methods(vault, permanent: false) == ["basic": "newer basic", "default": "session any"])
  }

  @Test("two items do not become one with the same third")
  func third() throws {
    var old = try item("ann", "old")
    old.authenticationMethod = .default
    old.port = 0
    try vault.add(old)
    try vault.set(credential("ann", "basic", .session), for: space())
    var any = try item("ann", "any")
    any.authenticationMethod = .default
    try vault.add(any, persistence: .session)
    try vault.move(user: "ann", for: space(), to: .permanent)
    let kept = try vault.findAll(ItemQuery(), withSecrets: true)
    #expect(kept.count == 2 && kept.allSatisfy { $0.persistence == .permanent })
    #expect(
      Set(kept.map { String(decoding: $0.secret?.array ?? [], as: UTF8.self) })
        == ["basic", "any"])
  }

  @Test("over an item of another key the policy is asked about that key")
  func otherKey() throws {
    try vault.set(credential("ann", "old"), for: space(method: .default))
    try vault.set(credential("ann", "new", .session), for: space())
    var rule = PersistencePolicy.Rule(name: "any method")
    rule.authenticationMethod = .default
    rule.refuse = true
    try vault.policy.update { [rule] in $0 = [rule] }
    expect(.policyRefused) { try vault.move(user: "ann", for: space(), to: .permanent) }
    #expect(try methods(vault, permanent: true) == ["default": "old"])
    #expect(try vault.known(space()).first == CredentialValues("ann", "new", .session))
  }

  @Test("what a move would not be granted stays where it is, and the answer says so")
  func notGranted() throws {
    try vault.set(credential("ann", "1", .session), for: space())
    var rule = PersistencePolicy.Rule(name: "session")
    rule.maximumPersistence = .session
    try vault.policy.update { [rule] in $0 = [rule] }
    let moved = try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(moved.map(\.decision.granted) == [.session])
    #expect(moved.map(\.item.persistence) == [.session])
    #expect(try vault.known(space()) == [CredentialValues("ann", "1", .session)])
  }

  @Test("a move that cannot be committed leaves both stores as they were")
  func failure() throws {
    let held = try HeldVault { vault in
      try vault.setDefaultCredential(credential("ann", "1"), for: space())
      try vault.set(credential("bob", "old"), for: space())
    }
    try held.vault.set(credential("bob", "new", .session), for: space())
    expect(.busy) { try held.vault.move(user: "ann", for: space(), to: .session) }
    expect(.busy) { try held.vault.move(user: "bob", for: space(), to: .permanent) }
    #expect(
      try held.vault.known(space()).sorted { $0.user < $1.user } == [
        CredentialValues("ann", "1"), CredentialValues("bob", "new", .session),
      ])
    try held.vault.removeAll(.session)
    #expect(try held.vault.defaultUser(for: space()) == "ann")
    #expect(try held.vault.known(space()).count == 2)
  }

  @Test("the end of a session forgets servers and proxies alike, with defaults and what is pending")
  func endOfSession() throws {
    let proxy = try ProtectionSpace(
      proxyHost: "proxy.example.com", port: 3128, type: .http, realm: "Proxy")
    try vault.set(credential("ann", "file"), for: space())
    for place in [try space(), proxy] {
      try vault.setDefaultCredential(credential("bob", "session", .session), for: place)
      _ = try vault.pending.set(credential("eve", "pending"), for: place)
    }
    #expect(try vault.findAll(ItemQuery()).count == 5)
    try vault.removeAll(.session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "file")])
    #expect(try vault.known(proxy).isEmpty && vault.defaults().isEmpty)
    #expect(try vault.state() == .unlocked)
    try vault.removeAll(.none)
    try vault.setDefaultUser("ann", for: space())
    try vault.set(credential("bob", "session", .session), for: proxy)
    try vault.removeAll(.permanent)
    #expect(try vault.findAll(ItemQuery()).map(\.account) == ["bob"] && vault.defaults().isEmpty)
  }
}
