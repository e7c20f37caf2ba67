import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("the session: its end")
struct SessionEndTests {
  private let clock = TestClock()
  private let session: SessionStore

  init() {
    session = SessionStore(time: clock.source)
  }

  /// Stores something of every kind, and returns the pending item.
  private func fill() throws -> Item {
    let proxy = try ProtectionSpace(
      proxyHost: "proxy.example.com", port: 8080, type: .http, realm: "",
      authenticationMethod: .basic)
    _ = try session.add(item())
    _ = try session.add(Item(space: proxy, account: "ann", secret: Secret("proxy")))
    _ = try session.add(item("of no server", on: ""))
    try session.setDefaultUser("ann", for: proxy)
    return try session.addPending(item("new"), requested: .permanent)
  }

  @Test("a session that has ended keeps nothing, of servers or proxies, and goes on")
  func removeAll() throws {
    let pending = try fill()
    let revision = pending.revision
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 4)
    session.removeAll()
    #expect(try session.find(ItemQuery(), withSecrets: true).isEmpty)
    #expect(try session.defaults().isEmpty)
    expect(.itemNotFound) { _ = try session.pending(pending.id) }
    let again = try session.add(item())
    #expect(again.revision > revision)
    #expect(try session.find(ItemQuery(), withSecrets: true).first?.secret?.count == 3)
  }

  @Test("a locked session keeps nothing, and stays locked whatever is removed")
  func locked() throws {
    let pending = try fill()
    session.close()
    session.removeAll()
    expect(.locked) { _ = try session.find(ItemQuery(), withSecrets: false) }
    expect(.locked) { _ = try session.addPending(item(), requested: .session) }
    expect(.locked) { _ = try session.pending(pending.id) }
    expect(.locked) { try session.put(item()) }
    expect(.locked) { _ = try session.removeExpired() }
    session.open()
    #expect(try session.find(ItemQuery(), withSecrets: false).isEmpty)
    expect(.itemNotFound) { _ = try session.pending(pending.id) }
  }

  @Test("what has expired is removed when asked for, and nothing else")
  func removeExpired() throws {
    #expect(try session.removeExpired().isEmpty)
    var kept = try item("kept")
    kept.keptUntil = clock.now.adding(.seconds(60))
    var own = try item("own")
    own.expires = clock.now.adding(.seconds(60))
    var loose = try item("loose", on: "")
    loose.keptUntil = clock.now.adding(.seconds(60))
    for item in [kept, own, loose, try item("always")] { _ = try session.add(item) }
    var waiting = try item("waiting")
    waiting.keptUntil = clock.now.adding(.seconds(60))
    waiting = try session.addPending(waiting, requested: .permanent)
    _ = try session.addPending(item("new"), requested: .permanent)
    clock.pass(.milliseconds(59_999))
    #expect(try session.removeExpired().isEmpty)
    clock.pass(.milliseconds(1))
    let removed = try session.removeExpired()
    #expect(removed.map(\.account) == ["kept", "loose", "own", "waiting"])
    #expect(removed.allSatisfy { $0.secret == nil && $0.persistence == .session })
    #expect(
      try session.find(ItemQuery(), withSecrets: true).map(\.account) == ["always", "new"])
    expect(.itemNotFound) { _ = try session.pending(waiting.id) }
    #expect(try session.removeExpired().isEmpty)
    _ = try session.add(item("kept"))
  }

  @Test("what a refresh token can renew stays until its deadline, and the token with it")
  func renewable() throws {
    var token = try item("token")
    (token.expires, token.keptUntil) = (
      clock.now.adding(.seconds(60)), clock.now.adding(.seconds(120))
    )
    token.refreshToken = Secret("renew")
    token = try session.add(token)
    var waiting = try item("waiting")
    (waiting.expires, waiting.refreshToken) = (clock.now.adding(.seconds(60)), Secret("later"))
    waiting = try session.addPending(waiting, requested: .permanent)
    func kept(_ item: Item) throws -> Secret? {
      try session.refreshToken(of: item.id, hint: item.key)
    }
    clock.pass(.milliseconds(60_000))
    #expect(try session.removeExpired().isEmpty)
    #expect(
      try session.find(ItemQuery(), withSecrets: true).allSatisfy {
        $0.secret == nil && $0.refreshToken == nil
      })
    #expect(try kept(token)?.isEqual(to: Secret("renew")) == true)
    #expect(try kept(waiting)?.isEqual(to: Secret("later")) == true)
    clock.pass(.milliseconds(60_000))
    #expect(try kept(token) == nil)
    #expect(try session.removeExpired().map(\.account) == ["token"])
    expect(.itemNotFound) { _ = try kept(token) }
  }
}
