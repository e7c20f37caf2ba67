import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: storing, moving and removing credentials")
struct StoringTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func places(_ user: String = "ann") throws -> [CredentialValues] {
    var query = ItemQuery()
    query.account = .equals(user)
    let session = try Vault.inMemory().findAll(query)
    #expect(session.isEmpty)
    return try vault.findAll(query, withSecrets: true).map {
      CredentialValues(
        $0.account, String(decoding: $0.secret?.array ?? [], as: UTF8.self), $0.persistence)
    }
  }

  /// Returns the secrets in the file, including hidden ones.
  private func permanent(_ user: String = "ann") throws -> [String] {
    try vault.write { (transaction) throws(VaultError) in
      var query = ItemQuery()
      query.account = .equals(user)
      return try transaction.findAll(query, withSecrets: true).map {
        String(decoding: $0.secret?.array ?? [], as: UTF8.self)
      }
    }
  }

  @Test("a credential for one use is stored nowhere")
  func none() throws {
    let generation = try vault.generation()
    try vault.set(credential("ann", "1", .none), for: space())
    try vault.setDefaultCredential(credential("ann", "1", .none), for: space())
    try vault.add(item(), persistence: .none)
    #expect(try vault.findAll(ItemQuery()).isEmpty && vault.defaults().isEmpty)
    #expect(try vault.generation() == generation)
  }

  @Test("a permanent credential is stored with the space's own words, and found by another vault")
  func permanentItem() throws {
    try vault.set(credential("ann", "1", domain: "CORP"), for: space())
    let stored = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(stored.persistence == .permanent && stored.account == "ann")
    #expect(stored.port == 443 && stored.protocol == .https && stored.realm == "Team Git")
    #expect(stored.authenticationMethod == .basic && stored.label == "git.example.com")
    #expect(stored.accountDomain == "CORP")
    try vault.close()
    #expect(try fixture.open().credentials(for: space()).first?.accountDomain == "CORP")
  }

  @Test("storing again changes the one that answers, and keeps what is known of it")
  func update() throws {
    var known = try item("ann", "old")
    known.authenticationMethod = .default
    known.port = 0
    known.label = "own label"
    known.comment = "own comment"
    try vault.add(known)
    try vault.set(credential("ann", "new"), for: space())
    let stored = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(stored.id == known.id && stored.label == "own label" && stored.comment == "own comment")
    #expect(stored.secret?.array == Array("new".utf8))
    let generation = try vault.generation()
    try vault.set(credential("ann", "new"), for: space())
    #expect(try vault.generation() == generation)
  }

  @Test("storing for the session hides the permanent credential and leaves it as it is")
  func shadow() throws {
    try vault.set(credential("ann", "permanent"), for: space())
    let generation = try vault.generation()
    try vault.set(credential("ann", "session", .session), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "session", .session)])
    #expect(try permanent() == ["permanent"])
    try vault.set(credential("ann", "session 2", .session), for: space())
    #expect(try places() == [CredentialValues("ann", "session 2", .session)])
    #expect(try vault.generation() == generation)
    // Only a move deletes among stores: a permanent credential stays hidden for the session.
    try vault.set(credential("ann", "permanent 2"), for: space())
    #expect(try vault.known(space()) == [CredentialValues("ann", "session 2", .session)])
    #expect(try permanent() == ["permanent 2"])
    try vault.lock()
    try vault.unlock(with: fixture.key)
    #expect(try vault.known(space()) == [CredentialValues("ann", "permanent 2")])
  }

  @Test(
    "a moved credential is where it was moved to, and nowhere else",
    arguments: [
      Move(session: "s", permanent: nil, to: .permanent, left: [CredentialValues("ann", "s")]),
      Move(session: nil, permanent: "p", to: .permanent, left: [CredentialValues("ann", "p")]),
      Move(session: "s", permanent: "p", to: .permanent, left: [CredentialValues("ann", "s")]),
      Move(
        session: "s", permanent: nil, to: .session, left: [CredentialValues("ann", "s", .session)]),
      Move(
        session: nil, permanent: "p", to: .session, left: [CredentialValues("ann", "p", .session)]),
      Move(
        session: "s", permanent: "p", to: .session, left: [CredentialValues("ann", "s", .session)]),
      Move(session: "s", permanent: "p", to: .none, left: []),
      Move(session: "s", permanent: nil, to: .none, left: []),
      Move(session: nil, permanent: "p", to: .none, left: []),
    ])
  func move(row: Move) throws {
    for (secret, persistence) in [(row.session, Persistence.session), (row.permanent, .permanent)] {
      guard let secret else { continue }
      try vault.set(credential("ann", secret, persistence), for: space())
    }
    try vault.set(credential("bob", "stays"), for: space())
    try vault.setDefaultUser("ann", for: space())
    try vault.move(user: "ann", for: space(), to: row.to)
    #expect(try places() == row.left)
    let isPermanent = row.left.first?.persistence == .permanent
    #expect(try permanent() == (isPermanent ? row.left.map(\.secret) : []))
    #expect(try permanent("bob") == ["stays"])
    if let left = row.left.first { #expect(try vault.knownDefault(space()) == left) }
    try vault.lock()
    try vault.unlock(with: fixture.key)
    #expect(try places().map(\.secret) == (isPermanent ? row.left.map(\.secret) : []))
  }

  @Test("a moved credential keeps what is known of it")
  func moveMetadata() throws {
    var known = try item("ann", "1")
    known.label = "own label"
    known.comment = "own comment"
    known.accountDomain = "CORP"
    known.refreshToken = Secret("refresh")
    known.custom = ["team": "platform"]
    try vault.add(known)
    for persistence in [Persistence.session, .permanent] {
      try vault.move(user: "ann", for: space(), to: persistence)
      let moved = try vault.findUnique(ItemQuery(), withSecrets: true)
      #expect(moved.persistence == persistence && moved.id == known.id)
      #expect(moved.label == "own label" && moved.comment == "own comment")
      #expect(moved.accountDomain == "CORP" && moved.custom == ["team": "platform"])
      #expect(moved.refreshToken?.array == Array("refresh".utf8))
    }
  }

  @Test("a session's credential that is moved over a permanent one brings its account domain")
  func moveDomain() throws {
    try vault.set(credential("ann", "1", domain: "OLD"), for: space())
    try vault.set(credential("ann", "2", .session, domain: "NEW"), for: space())
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(try vault.credentials(for: space()).map(\.accountDomain) == ["NEW"])
  }

  @Test("moving or removing whom nobody knows is an error", arguments: Persistence.allCases)
  func unknown(persistence: Persistence) throws {
    try vault.set(credential("ann", "1"), for: space())
    expect(.itemNotFound) { try vault.move(user: "bob", for: space(), to: persistence) }
    expect(.itemNotFound) { try vault.move(user: "ann", for: space("other.org"), to: persistence) }
    expect(.itemNotFound) { try vault.remove(user: "bob", for: space()) }
    #expect(try vault.known(space()) == [CredentialValues("ann", "1")])
  }

  @Test("removing forgets a user's credential in both places, and nobody else's")
  func remove() throws {
    try vault.set(credential("ann", "1"), for: space())
    try vault.set(credential("ann", "2", .session), for: space())
    try vault.set(credential("bob", "3"), for: space())
    try vault.set(credential("ann", "4"), for: space("other.org"))
    try vault.remove(user: "ann", for: space())
    #expect(try vault.known(space()) == [CredentialValues("bob", "3")])
    #expect(try vault.known(space("other.org")) == [CredentialValues("ann", "4")])
    expect(.itemNotFound) { try vault.remove(user: "ann", for: space()) }
  }

  @Test(
    "all of a user's items move, whatever their paths",
    arguments: [Persistence.session, .permanent]
  )
  func movedPaths(persistence: Persistence) throws {
    let fixture = try Fixture()
    let other: Persistence = persistence == .session ? .permanent : .session
    for path in ["r1", "r2"] {
      var item = Item(space: try space(), account: "ann", secret: Secret(path))
      item.path = path
      try fixture.vault.add(item, persistence: other)
    }
    try fixture.vault.move(user: "ann", for: space(), to: persistence)
    let moved = try fixture.vault.findAll(ItemQuery(space()), withSecrets: true)
    #expect(moved.map(\.path).sorted() == ["r1", "r2"])
    #expect(moved.allSatisfy { $0.persistence == persistence })
    #expect(moved.allSatisfy { $0.secret?.isEqual(to: Secret($0.path)) ?? false })
  }

  @Test("a batch that removes and adds many items of one host keeps the rest")
  func churn() throws {
    let fixture = try Fixture()
    func item(_ number: Int) throws -> Item {
      Item(space: try space(), account: "user\(number)", secret: Secret("s\(number)"))
    }
    let first = try (0..<300).map(item)
    try fixture.vault.write { (transaction) throws(VaultError) in
      for item in first { try transaction.add(item) }
    }
    let added = try (300..<500).map(item)
    try fixture.vault.write { (transaction) throws(VaultError) in
      for item in first.prefix(200) { try transaction.remove(item) }
      for item in added { try transaction.add(item) }
    }
    #expect(try fixture.vault.maintenance.verify().problems == [])
    #expect(try fixture.vault.findAll(ItemQuery(), withSecrets: true).count == 300)
  }
}

/// The place of a credential, the place it is moved to, and the result.
struct Move: Sendable, CustomTestStringConvertible {
  let session: String?
  let permanent: String?
  let to: Persistence
  let left: [CredentialValues]

  var testDescription: String { "\(session ?? "-") \(permanent ?? "-") to \(to)" }
}
