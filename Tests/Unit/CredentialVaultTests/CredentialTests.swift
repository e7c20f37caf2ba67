import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import CredentialVault

@Suite("Vault: credentials of a space")
struct CredentialTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func add(
    _ account: String, _ secret: String, port: UInt16 = 443,
    method: AuthenticationMethod = .basic, path: String = "",
    _ persistence: Persistence = .permanent, _ change: (inout Item) -> Void = { _ in }
  ) throws {
    var item = try item(account, secret)
    item.port = port
    item.path = path
    item.authenticationMethod = method
    change(&item)
    try vault.add(item, persistence: persistence)
  }

  @Test("a space that nobody knows has no credential")
  func none() throws {
    #expect(try vault.known(space()).isEmpty)
    #expect(try vault.knownDefault(space()) == nil)
    #expect(try vault.users(for: space()).isEmpty)
    #expect(try vault.allCredentials().isEmpty && vault.defaults().isEmpty)
  }

  @Test("each user is there once, with the best match")
  func best() throws {
    try add("ann", "any method", method: .default)
    try add("ann", "no port", port: 0)
    try add("ann", "path", path: "/x")
    try add("bob", "no port, any method", port: 0, method: .default)
    try add("bob", "any method", method: .default)
    try add("ann", "digest", method: .digest)
    try add("dora", "8443", port: 8443)
    #expect(
      try vault.known(space()) == [
        CredentialValues("ann", "path"), CredentialValues("bob", "any method"),
      ])
    try add("ann", "exact")
    #expect(try vault.known(space()).first == CredentialValues("ann", "exact"))
    #expect(try vault.users(for: space()) == ["ann", "bob"])
    #expect(
      try vault.known(space(method: .digest)) == [
        CredentialValues("ann", "digest"), CredentialValues("bob", "any method"),
      ])
    #expect(try vault.known(space(port: 8443)) == [CredentialValues("dora", "8443")])
  }

  @Test("the session's entry of a user hides the file's, however well that matches")
  func shadowing() throws {
    try add("ann", "permanent")
    try add("bob", "permanent")
    try add("ann", "session", port: 0, method: .default, .session)
    #expect(
      try vault.known(space()) == [
        CredentialValues("ann", "session", .session), CredentialValues("bob", "permanent"),
      ])
    #expect(try vault.users(for: space()) == ["ann", "bob"])
    #expect(try vault.findAll(ItemQuery(space())).count == 3)
    try add("ann", "same key", .session)
    #expect(try vault.findAll(ItemQuery(space())).count == 3)
    #expect(try vault.known(space()).first == CredentialValues("ann", "same key", .session))
  }

  @Test("users are bytes")
  func users() throws {
    try vault.set(credential("jos\u{E9}", "composed", .session), for: space())
    try vault.set(credential("jose\u{301}", "decomposed"), for: space())
    #expect(try vault.credentials(for: space()).count == 2)
    try vault.remove(user: "jos\u{E9}", for: space())
    #expect(try vault.known(space()).map(\.secret) == ["decomposed"])
  }

  @Test("expired credentials are not offered, in either place")
  func expired() throws {
    let past = Timestamp.now().adding(milliseconds: -1)
    try add("ann", "file") { $0.expires = past }
    try add("bob", "session", .session) { $0.expires = past }
    try add("carl", "valid") { $0.expires = Timestamp.now().adding(milliseconds: 3_600_000) }
    #expect(try vault.known(space()) == [CredentialValues("carl", "valid")])
    #expect(try vault.users(for: space()) == ["carl"])
    #expect(try vault.knownDefault(space()) == CredentialValues("carl", "valid"))
    #expect(try vault.allCredentials().values.flatMap { $0 }.map(\.user) == ["carl"])
  }

  @Test("an expired entry of the session does not hide the file's")
  func expiredShadow() throws {
    try add("ann", "file")
    try add("ann", "session", .session) { $0.expires = Timestamp.now().adding(milliseconds: -1) }
    #expect(try vault.known(space()) == [CredentialValues("ann", "file")])
  }

  @Test(
    "a new secret for an expired credential makes it valid again",
    arguments: [Persistence.session, .permanent])
  func renewed(persistence: Persistence) throws {
    try add("ann", "old", persistence) { $0.expires = Timestamp.now().adding(milliseconds: -1) }
    try vault.set(credential("ann", "new", persistence), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "new", persistence)])
    #expect(try vault.findAll(ItemQuery()).count == 1)
  }

  @Test("the item of the default is the default's, with its secret if that is asked for")
  func defaultItem() throws {
    #expect(try vault.defaultItem(for: space(), withSecrets: true) == nil)
    let ann = try vault.set(credential("ann", "1"), for: space()).item
    #expect(try vault.defaultItem(for: space(), withSecrets: true)?.id == ann.id)
    let session = try vault.set(credential("bob", "2", .session), for: space()).item
    #expect(try vault.defaultItem(for: space(), withSecrets: true) == nil)
    for (user, id) in [("ann", ann.id), ("bob", session.id)] {
      try vault.setDefaultUser(user, for: space())
      let item = try #require(try vault.defaultItem(for: space(), withSecrets: true))
      #expect(item.id == id && item.account == user)
      #expect(try vault.knownDefault(space()) == CredentialValues(item.credential))
      #expect(try vault.defaultItem(for: space(), withSecrets: false)?.secret == nil)
    }
    try vault.lock()
    expect(.locked) { _ = try vault.defaultItem(for: space(), withSecrets: true) }
  }

  @Test("the default is the chosen user, else the only one, else none")
  func defaults() throws {
    try vault.set(credential("ann", "1"), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "1"))
    try vault.set(credential("bob", "2"), for: space())
    #expect(try vault.knownDefault(space()) == nil)
    try vault.setDefaultUser("bob", for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("bob", "2"))
    try vault.setDefaultCredential(credential("carl", "3"), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("carl", "3"))
    #expect(try vault.defaults() == [space(): "carl"])
    try vault.setDefaultUser(nil, for: space())
    #expect(try vault.knownDefault(space()) == nil)
    #expect(try vault.defaultUser(for: space()) == nil)
    #expect(try vault.knownDefault(space(method: .digest)) == nil)
    expect(.itemNotFound) { try vault.setDefaultUser("nobody", for: space()) }
    try vault.setDefaultCredential(credential("dora", "4", .none), for: space())
    #expect(try vault.defaultUser(for: space()) == nil)
  }

  @Test("a default is a reference: it follows the user's secret, and is none without the user")
  func defaultReference() throws {
    try vault.setDefaultCredential(credential("ann", "1"), for: space())
    try vault.set(credential("bob", "2"), for: space())
    try vault.set(credential("carl", "3"), for: space())
    try vault.set(credential("ann", "changed"), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "changed"))
    try vault.set(credential("ann", "session", .session), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "session", .session))
    try vault.remove(user: "ann", for: space())
    #expect(try vault.knownDefault(space()) == nil)
    try vault.remove(user: "carl", for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("bob", "2"))
  }

  @Test("the default chosen last holds, wherever the credentials are kept")
  func lastDefault() throws {
    try vault.setDefaultCredential(credential("ann", "1", .session), for: space())
    try vault.set(credential("bob", "2"), for: space())
    try vault.setDefaultUser("bob", for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("bob", "2"))
    try vault.setDefaultUser("ann", for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "1", .session))
    try vault.setDefaultCredential(credential("bob", "3"), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("bob", "3"))
    try vault.setDefaultUser("ann", for: space())
    try vault.remove(user: "ann", for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("bob", "3"))
  }

  @Test("all credentials are, by space, what each space is answered with its own items")
  func all() throws {
    try add("ann", "no port", port: 0)
    try add("ann", "exact")
    try add("ann", "path", path: "/x")
    try add("bob", "permanent", port: 0)
    try add("bob", "session", .session)
    try add("carl", "digest", method: .digest)
    try add("dora", "8443", port: 8443, .session)
    var nowhere = try item("nowhere")
    nowhere.server = .unset
    try vault.add(nowhere)
    let all = try vault.allCredentials()
    #expect(Set(all.keys) == [try space(), try space(method: .digest), try space(port: 8443)])
    for (space, credentials) in all {
      #expect(credentials.map(CredentialValues.init) == (try vault.known(space)))
    }
  }
}
