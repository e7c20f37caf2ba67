import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// The default port and an unset one are one place.
@Suite("Vault: one place, one credential")
struct PlaceTests {
  private let fixture: Fixture
  private var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func new(_ secret: String, port: UInt16, path: String = "") throws -> Item {
    Item(
      server: try HostName("git.example.com"), account: "ann", secret: Secret(secret),
      protocol: .https, port: port, realm: "Team Git", path: path, authenticationMethod: .basic)
  }

  private func secrets() throws -> [String] {
    try vault.findAll(ItemQuery(), withSecrets: true).map { item in
      "\(item.port)\(item.path.isEmpty ? "" : "/")\(item.path) "
        + String(decoding: item.secret?.array ?? [], as: UTF8.self)
    }
  }

  @Test(
    "what is stored changes the item that is there, whichever way its port is written",
    arguments: [(UInt16(0), UInt16(443)), (443, 0)], [Persistence.permanent, .session])
  func upsert(_ ports: (known: UInt16, new: UInt16), _ persistence: Persistence) throws {
    let known = try vault.add(new("old", port: ports.known), persistence: persistence).item
    let stored = try vault.upsert(new("new", port: ports.new), persistence: persistence)
    #expect(
      stored.item.id == known.id && stored.item.port == ports.known && stored.portVariant == nil)
    try vault.set(credential("ann", "newer", persistence), for: space())
    #expect(try secrets() == ["\(ports.known) newer"])
    #expect(try vault.known(space()) == [CredentialValues("ann", "newer", persistence)])
  }

  @Test("in a transaction, too")
  func transaction() throws {
    try vault.add(new("old", port: 0))
    let item = try item("ann", "new")
    try vault.write { transaction throws(VaultError) in
      _ = try transaction.upsert(item)
    }
    #expect(try secrets() == ["0 new"])
  }

  @Test("another port, path or protocol is another place")
  func others() throws {
    try vault.add(new("8443", port: 8443))
    try vault.add(new("path", port: 0, path: "x"))
    var http = try new("http", port: 443)
    http.protocol = .http
    try vault.add(http)
    #expect(try vault.upsert(new("new", port: 443)).portVariant == nil)
    #expect(try vault.count(ItemQuery()) == 4)
  }

  @Test("adding a literal key adds, and names the other; so does every later write of one of them")
  func portVariants() throws {
    let unset = try vault.add(new("one", port: 0)).item
    let literal = try vault.add(new("two", port: 443))
    #expect(literal.portVariant?.id == unset.id && literal.portVariant?.secret == nil)
    // The literal key first.
    let upserted = try vault.upsert(new("three", port: 0))
    #expect(upserted.item.id == unset.id && upserted.portVariant?.id == literal.item.id)
    let set = try vault.set(credential("ann", "four"), for: space())
    #expect(set.item.id == literal.item.id && set.portVariant?.id == unset.id)
    #expect(try vault.modify(unset, [.comment("c")]).portVariant?.id == literal.item.id)
    #expect(try secrets() == ["0 three", "443 four"] || secrets() == ["443 four", "0 three"])
    try vault.remove(unset)
    #expect(try vault.modify(literal.item, [.comment("c")]).portVariant == nil)
  }

  @Test("what comes back from the trash or a backup beside the other one names it, too")
  func portVariantsThatComeBack() throws {
    let unset = try vault.add(new("one", port: 0)).item
    let backup = try vault.maintenance.backup(to: fixture.folder.file("copy")).path
    try vault.remove(unset)
    let literal = try vault.add(new("two", port: 443)).item
    let restored = try vault.trash.restore(#require(try vault.trash.items().first))
    #expect(restored.item.id == unset.id && restored.portVariant?.id == literal.id)
    #expect(restored.portVariant?.secret == nil)
    #expect(try vault.maintenance.restoreItem(unset.id, from: backup).portVariant?.id == literal.id)
    try vault.remove(unset, removal: .permanent)
    #expect(try vault.maintenance.restoreItem(unset.id, from: backup).portVariant?.id == literal.id)
    try vault.remove(literal)
    #expect(try vault.maintenance.restoreItem(unset.id, from: backup).portVariant == nil)
  }

  @Test("for the session only, too")
  func portVariantInSession() throws {
    let unset = try vault.add(new("one", port: 0)).item
    let backup = try vault.maintenance.backup(to: fixture.folder.file("copy")).path
    try vault.remove(unset)
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "session")
      rule.maximumPersistence = .session
      rules = [rule]
    }
    let literal = try vault.add(new("two", port: 443), persistence: .session).item
    #expect(
      try vault.trash.restore(#require(try vault.trash.items().first)).portVariant?.id == literal.id
    )
    #expect(try vault.maintenance.restoreItem(unset.id, from: backup).portVariant?.id == literal.id)
  }

  @Test("a credential of a space alone is none of several that name a path")
  func severalPaths() throws {
    try vault.add(new("a", port: 0, path: "a"))
    try vault.add(new("b", port: 443, path: "b"))
    try vault.set(credential("ann", "plain"), for: space())
    #expect(Set(try secrets()) == ["0/a a", "443/b b", "443 plain"])
    // Now there is one without a path, and it is changed.
    try vault.set(credential("ann", "plainer"), for: space())
    #expect(Set(try secrets()) == ["0/a a", "443/b b", "443 plainer"])
    // The same holds if its key matches less well than those of the others.
    var plain = try #require(try vault.findAll(ItemQuery()).first { $0.path.isEmpty })
    plain = try vault.modify(plain, [.port(0), .authenticationMethod(.default)]).item
    try vault.set(credential("ann", "plainest"), for: space())
    #expect(Set(try secrets()) == ["0/a a", "443/b b", "0 plainest"])
    try vault.set(credential("ann", "new"), for: space(), at: .unknown)
    #expect(Set(try secrets()) == ["0/a a", "443/b b", "0 new"])
  }

  @Test("nor is one that is held until a server has accepted it")
  func severalPathsPending() throws {
    try vault.add(new("a", port: 0, path: "a"))
    try vault.add(new("b", port: 443, path: "b"))
    for secret in ["plain", "plainer"] {
      let held = try vault.pending.set(credential("ann", secret), for: space())
      try vault.pending.confirm(#require(held.pending))
      #expect(Set(try secrets()) == ["0/a a", "443/b b", "443 \(secret)"])
    }
  }

  @Test("the default item where it is known what was requested is one of the longest path")
  func defaultItem() throws {
    try vault.add(new("private", port: 443, path: "private"))
    func item(_ target: String?) throws -> String? {
      let found = try vault.defaultItem(
        for: space(), at: target.map { RequestPath(target: $0) }, withSecrets: true)
      return found.map { String(decoding: $0.secret?.array ?? [], as: UTF8.self) }
    }
    try vault.setDefaultUser("ann", for: space())
    #expect(try item(nil) == "private" && item("/private/x") == "private")
    #expect(try item("/other") == nil)
    var bob = try new("bob", port: 443)
    bob.account = "bob"
    try vault.add(bob)
    #expect(try item("/other") == "bob" && item("/private") == "private")
    try vault.setDefaultUser("bob", for: space())
    #expect(try item(nil) == "bob" && item("/private") == "private")
    try vault.add(new("session", port: 443), persistence: .session)
    #expect(try item("/private") == "private" && item("/other") == "bob")
  }

  @Test("where it is known what was requested, the credential that is meant there is changed")
  func requested() throws {
    try vault.add(new("private", port: 0, path: "private"))
    // A space alone has no path: there is one credential of the user, and it is changed.
    try vault.set(credential("ann", "changed"), for: space())
    #expect(try secrets() == ["0/private changed"])
    try vault.set(credential("ann", "plain"), for: space(), at: RequestPath(target: "/other"))
    #expect(Set(try secrets()) == ["0/private changed", "443 plain"])
    try vault.set(credential("ann", "new"), for: space(), at: RequestPath(target: "/private/x"))
    #expect(Set(try secrets()) == ["0/private new", "443 plain"])
    let pending = try vault.pending.set(
      credential("ann", "tried"), for: space(), at: RequestPath(target: "/private/y"))
    try vault.pending.confirm(#require(pending.pending))
    #expect(Set(try secrets()) == ["0/private tried", "443 plain"])
    let other = try vault.pending.set(
      credential("ann", "else"), for: space(), at: RequestPath(target: "/privateer"))
    try vault.pending.confirm(#require(other.pending))
    #expect(Set(try secrets()) == ["0/private tried", "443 else"])
  }

  @Test("a pending credential that was for another path does not replace one that names a path")
  func pendingElsewhere() throws {
    let pending = try vault.pending.set(
      credential("ann", "tried"), for: space(), at: RequestPath(target: "/other"))
    try vault.add(new("private", port: 0, path: "private"))
    try vault.pending.confirm(#require(pending.pending))
    #expect(Set(try secrets()) == ["0/private private", "443 tried"])
  }

  @Test("a clock that is set back between two looks makes no expired password an empty one")
  func clockSetBack() throws {
    let past = Timestamp(seconds: 4_000_000_000)
    let late = Lock(0)
    // The clock is late for the store, and early for a caller that reads it again.
    let time = TimeSource(
      now: {
        late.withLock { late in
          defer { if late > 0 { late -= 1 } }
          return past.adding(.seconds(late > 0 ? 3600 : -3600))
        }
      }, session: { SessionTime(milliseconds: 0) })
    try fixture.vault.close()
    let vault = try Vault.open(path: fixture.path, key: fixture.key, time: time)
    var item = try new("one", port: 0)
    item.expires = past
    try vault.add(item)
    for readings in 0..<8 {
      late.withLock { $0 = readings }
      let found = try? vault.credentials(for: space())
      #expect(found?.contains { $0.secret.count == 0 } != true, "\(readings)")
      late.withLock { $0 = readings }
      #expect(
        try vault.candidates(ItemQuery(space())).allSatisfy { $0.credential.secret.count > 0 })
      late.withLock { $0 = readings }
      #expect((try? vault.defaultCredential(for: space()))?.secret.count != 0)
    }
  }
}
