import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("the session: what is pending")
struct PendingTests {
  private let clock = TestClock()
  private let session: SessionStore
  private let space: ProtectionSpace

  init() throws {
    session = SessionStore(time: clock.source)
    space = try ProtectionSpace(
      host: "git.example.com", realm: "Team Git", authenticationMethod: .basic)
  }

  private func hold(_ secret: String, _ account: String = "ann") throws -> Item {
    try session.addPending(item(account, secret: secret), requested: .permanent)
  }

  /// Returns the secrets that are found for the space, on which all kinds of lookup agree.
  private func secrets(_ account: String = "ann") throws -> [String] {
    let credentials = try session.credentials(of: space).filter { $0.user == account }
    let items = try session.find(ItemQuery(space), withSecrets: true).filter {
      $0.account == account
    }
    #expect(items.map { $0.secret?.array } == credentials.map { $0.secret.array })
    #expect(try session.users(of: space).count { $0 == account } == credentials.count)
    #expect(items.allSatisfy { $0.persistence == .session })
    return credentials.map { String(decoding: $0.secret.array, as: UTF8.self) }
  }

  @Test("a pending item is used at once, and hides what is stored under its key")
  func hides() throws {
    _ = try session.add(item(secret: "stored"))
    _ = try session.add(item("bob"))
    let pending = try hold("new")
    #expect(try secrets() == ["new"])
    #expect(try secrets("bob") == ["one"])
    #expect(try session.users(of: space) == ["ann", "bob"])
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 2)
    var query = ItemQuery()
    query.id = pending.id
    #expect(try session.find(query, withSecrets: true).map { $0.secret?.count } == [3])
    #expect(
      try session.find(ItemQuery(space), withSecrets: true, pending: false).map { $0.secret?.count }
        == [6, 3])
    try session.removePending(pending.id)
    #expect(try secrets() == ["stored"])
    #expect(try session.find(query, withSecrets: false).isEmpty)
    expect(.itemNotFound) { try session.removePending(pending.id) }
  }

  @Test("of several of one key the newest is used; removing it brings the one before back")
  func several() throws {
    let all = try ["first", "second", "third", "fourth"].map { try hold($0) }
    #expect(Set(all.map(\.id)).count == 4)
    #expect(try secrets() == ["fourth"])
    let listed = try session.pending(matching: ItemQuery(space))
    #expect(listed.map(\.id) == all.reversed().map(\.id))
    #expect(listed.allSatisfy { $0.secret == nil })
    #expect(try session.pending(matching: ItemQuery(key: item("bob").key)).isEmpty)
    try session.removePending(all[3].id)
    #expect(try secrets() == ["third"])
    try session.removePending(all[1].id)
    #expect(try secrets() == ["third"])
    try session.removePending(all[2].id)
    #expect(try secrets() == ["first"])
    try session.removePending(all[0].id)
    #expect(try secrets().isEmpty)
  }

  @Test("one that is pending is handed over with its secrets and how it is to be kept")
  func handedOver() throws {
    var given = try fullItem()
    given.secret = Secret(SecretTests.binary(4000))
    let held = try session.addPending(given, requested: .permanent)
    let session = try session.addPending(item("short"), requested: .session)
    let pending = try self.session.pending(held.id)
    #expect(Content(pending.item) == Content(held) && pending.requested == .permanent)
    #expect(pending.item.secret?.array == SecretTests.binary(4000))
    #expect(pending.item.refreshToken?.array == Array("refresh".utf8))
    #expect(try self.session.pending(session.id).requested == .session)
    expect(.itemNotFound) { _ = try self.session.pending(ItemID()) }
    let stored = try self.session.add(item("stored"))
    expect(.itemNotFound) { _ = try self.session.pending(stored.id) }
    expect(.itemNotFound) { try self.session.removePending(stored.id) }
  }

  @Test("it is no duplicate of what is stored, nor what is stored of it")
  func duplicates() throws {
    let stored = try session.add(item(secret: "stored"))
    let pending = try hold("new")
    expect(.duplicateItem) { _ = try session.add(item()) }
    try session.remove(stored.id, hint: stored.key)
    _ = try session.add(item(secret: "later"))
    #expect(try secrets() == ["new"])
    try session.removePending(pending.id)
    #expect(try secrets() == ["later"])
  }

  @Test("it is neither changed nor taken, and deleting it drops it")
  func unchanged() throws {
    _ = try session.add(item(secret: "stored"))
    let pending = try hold("new")
    expect(.invalidArgument) {
      _ = try session.modify(pending.id, hint: pending.key, [.secret(Secret("other"))])
    }
    expect(.invalidArgument) { _ = try session.take(pending.id, hint: pending.key) }
    #expect(try secrets() == ["new"])
    try session.remove(pending.id, hint: pending.key)
    #expect(try secrets() == ["stored"])
    expect(.itemNotFound) { _ = try session.pending(pending.id) }
    expect(.itemNotFound) { try session.remove(pending.id, hint: pending.key) }
  }

  @Test("a new one is dated now; a known one keeps its times, and its id if that is free")
  func identity() throws {
    var given = try item()
    given.created = Timestamp(seconds: 5)
    let new = try session.addPending(given, requested: .permanent)
    #expect(new.id == given.id && new.label == "git.example.com" && new.revision > 0)
    #expect([new.created, new.modified, new.secretChanged] == [clock.now, clock.now, clock.now])
    clock.pass(.seconds(60))
    let known = try session.pending(new.id).item
    // While it is pending, its id is also taken.
    #expect(try session.addPending(known, requested: .permanent).id != new.id)
    try session.removePending(new.id)
    let again = try session.addPending(known, requested: .permanent)
    #expect(again.id == new.id && again.secretChanged == new.secretChanged)
    let stored = try session.add(item("stored"))
    let found = try #require(
      try session.find(ItemQuery(key: stored.key), withSecrets: true).first)
    #expect(try session.addPending(found, requested: .session).id != stored.id)
  }

  @Test("an expired one comes without its secret, and hides no valid one")
  func expired() throws {
    _ = try session.add(item(secret: "stored"))
    var given = try item(secret: "new")
    given.keptUntil = clock.now.adding(.seconds(60))
    let pending = try session.addPending(given, requested: .permanent)
    clock.set(by: .seconds(3600))
    #expect(try secrets() == ["new"])
    clock.pass(.seconds(60))
    #expect(try session.credentials(of: space).map(\.secret.count) == [6])
    var query = ItemQuery(space)
    #expect(try Set(session.find(query, withSecrets: true).map { $0.secret?.count }) == [nil, 6])
    query.includesExpired = false
    #expect(try session.find(query, withSecrets: true).map { $0.secret?.count } == [6])
    #expect(try session.pending(pending.id).item.secret?.count == 3)
  }

  @Test("one that answers no space, or a proxy, is found by its attributes alone")
  func loose() throws {
    let loose = try session.addPending(item("loose", on: ""), requested: .permanent)
    let proxy = try session.addPending(item("ann", protocol: .httpsProxy), requested: .permanent)
    #expect(try session.credentials(of: space).isEmpty)
    #expect(
      try session.find(ItemQuery(key: loose.key), withSecrets: true).map { $0.secret?.count } == [3]
    )
    #expect(try session.find(ItemQuery(key: proxy.key), withSecrets: true).map(\.id) == [proxy.id])
    #expect(try session.find(ItemQuery(), withSecrets: false).count == 2)
  }

  @Test("a better match stands before one that is pending, and a worse one behind it")
  func ranks() throws {
    _ = try session.add(item("zoe"))
    let pending = try session.addPending(item("ann", method: .default), requested: .permanent)
    #expect(try session.users(of: space) == ["zoe", "ann"])
    #expect(
      try session.find(ItemQuery(space), withSecrets: false).map(\.account) == ["zoe", "ann"])
    var query = ItemQuery(space)
    query.limit = 1
    #expect(try session.find(query, withSecrets: false).map(\.account) == ["zoe"])
    query.account = .equals("ann")
    #expect(try session.find(query, withSecrets: false).map(\.id) == [pending.id])
  }

  @Test("what is out of bounds is refused, and nothing is held", arguments: Refused.rows)
  func refused(row: Refused) throws {
    var given = try item()
    try row.spoil(&given)
    expect(row.code) { _ = try session.addPending(given, requested: .permanent) }
    #expect(try session.find(ItemQuery(), withSecrets: false).isEmpty)
  }
}
