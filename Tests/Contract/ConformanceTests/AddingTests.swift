import SealedTree
import SecureMemory
import TestSupport
import Testing
import VaultStore
import VaultModel

@Suite("any store: adding")
struct AddingTests {
  @Test("an item comes back with all its attributes", arguments: StoreKind.allCases)
  func everything(kind: StoreKind) throws {
    let place = try kind.make()
    let before = Timestamp.now()
    let given = try fullItem()
    let added = try place.store.add(given)
    let stored = try #require(try place.find().first)
    #expect(Content(added) == Content(stored))
    #expect(stored.id == given.id && stored.key == given.key)
    #expect(Content(stored).texts == Content(given).texts)
    #expect(Content(stored).codes == Content(given).codes)
    #expect(Content(stored).flags == [true, true])
    #expect(stored.expires == given.expires && stored.custom == given.custom)
    #expect(stored.secretKind == .token && stored.persistence == kind.persistence)
    #expect(stored.secret?.array == Array("one".utf8))
    #expect(stored.refreshToken?.array == Array("refresh".utf8))
    #expect(stored.created >= before && stored.modified == stored.created)
  }

  @Test(
    "dates and place are the store's own, whatever the caller says", arguments: StoreKind.allCases)
  func dates(kind: StoreKind) throws {
    let place = try kind.make()
    var given = try item()
    given.created = Timestamp(seconds: 5)
    given.modified = Timestamp(seconds: 4_000_000_000)
    given.persistence = kind.persistence == .session ? .permanent : .session
    let added = try place.store.add(given)
    let stored = try #require(try place.find().first)
    #expect(added.created > Timestamp(seconds: 1_600_000_000))
    #expect(added.modified == added.created)
    #expect(added.persistence == kind.persistence)
    #expect(Content(added) == Content(stored))
  }

  @Test(
    "an empty label becomes the server, without one the account; a given one stays",
    arguments: StoreKind.allCases)
  func label(kind: StoreKind) throws {
    let rows: [(label: String, server: String, account: String, stored: String)] = [
      ("", "Git.Example.com.", "ann", "git.example.com"), ("", "", "ann", "ann"), ("", "", "", ""),
      ("own", "git.example.com", "bob", "own"),
    ]
    let place = try kind.make()
    for row in rows {
      var given = try item(row.account, on: row.server)
      given.label = row.label
      #expect(try place.store.add(given).label == row.stored)
      #expect(try place.find(ItemQuery(key: given.key)).first?.label == row.stored)
    }
  }

  @Test(
    "the same key is a duplicate that names the item, and changes nothing",
    arguments: StoreKind.allCases)
  func duplicate(kind: StoreKind) throws {
    let place = try kind.make()
    try place.add(fullItem())
    let before = try place.contents()
    var second = try item(port: 8443, path: "/team/repository", secret: "two")
    second.label = "another"
    let error = #expect(throws: VaultError.self) { try place.store.add(second) }
    #expect(error?.code == .duplicateItem)
    #expect(error?.candidates.map(\.id) == before.map(\.id))
    #expect(error?.candidates.first?.secret == nil)
    #expect(error?.candidates.first?.refreshToken == nil)
    #expect(try place.contents() == before)
  }

  @Test(
    "a stored item that is added again under another key is another item, with its own id",
    arguments: StoreKind.allCases)
  func copy(kind: StoreKind) throws {
    let place = try kind.make()
    let original = try place.store.add(item())
    var copy = try #require(try place.find().first)
    copy.account = "bob"
    copy.secret = Secret("two")
    let added = try place.store.add(copy)
    #expect(added.id != original.id)
    // Both can be found by their ids, and changed and deleted separately.
    for (id, account) in [(original.id, "ann"), (added.id, "bob")] {
      #expect(try place.find { $0.id = id }.map(\.account) == [account])
    }
    _ = try place.modify(added, .comment("bob's"))
    #expect(try place.find { $0.account = .equals("ann") }.map(\.comment) == [""])
    try place.remove(added)
    let left = try place.find()
    #expect(left.map(\.account) == ["ann"] && left.first?.secret?.array == Array("one".utf8))
  }

  @Test("each part of the key alone makes another item", arguments: StoreKind.allCases)
  func parts(kind: StoreKind) throws {
    let others = [
      try item(), try item("Ann"), try item(realm: "team git"), try item(on: "example.com"),
      try item(protocol: .http), try item(port: 443), try item(path: "/"),
      try item(method: .digest), try item(method: .default), try item(method: .unset),
      try item(protocol: .httpsProxy), try item(""), try item(realm: ""), try item(on: ""),
      try item(protocol: .unset),
    ]
    let place = try kind.make()
    for other in others { try place.add(other) }
    #expect(try place.find().count == others.count)
    for other in others {
      #expect(try place.find(ItemQuery(key: other.key)).map(\.id) == [other.id])
      expect(.duplicateItem) { try place.add(other) }
    }
  }

  @Test("an item without anything can be added, once", arguments: StoreKind.allCases)
  func nothing(kind: StoreKind) throws {
    let place = try kind.make()
    try place.add(Item())
    expect(.duplicateItem) { try place.add(Item()) }
    #expect(try place.find().count == 1)
  }

  @Test("accounts are bytes: composed and decomposed are two users", arguments: StoreKind.allCases)
  func normalization(kind: StoreKind) throws {
    let place = try kind.make()
    let (composed, decomposed) = ("jos\u{E9}", "jose\u{301}")
    try place.add(item(composed, secret: "composed"), item(decomposed, secret: "decomposed"))
    for (account, secret) in [(composed, "composed"), (decomposed, "decomposed")] {
      let found = try place.find { $0.account = .equals(account) }
      #expect(found.map { Array($0.account.utf8) } == [Array(account.utf8)])
      #expect(found.first?.secret?.array == Array(secret.utf8))
    }
  }

  @Test("revisions rise with each change, and never go back", arguments: StoreKind.allCases)
  func revisions(kind: StoreKind) throws {
    let place = try kind.make()
    let first = try place.store.add(item("ann"))
    let second = try place.store.add(item("bob"))
    let changed = try place.modify(first, .comment("changed"))
    try place.remove(second)
    let third = try place.store.add(item("bob"))
    let all = [first, second, changed, third].map(\.revision)
    #expect(all[0] > 0 && all == all.sorted() && Set(all).count == all.count)
  }

  @Test("a thousand users of one host are told apart", arguments: StoreKind.allCases)
  func manyUsers(kind: StoreKind) throws {
    let place = try kind.make()
    let users = (0..<1000).map { "user\($0)" }
    let items = try users.map { try item($0, secret: "secret of \($0)") }
    if let file = place.store.file {
      try file.write { (transaction) throws(VaultError) in
        for item in items { _ = try transaction.add(item) }
      }
    } else {
      for item in items { try place.add(item) }
    }
    let space = try ProtectionSpace(
      host: "git.example.com", realm: "Team Git", authenticationMethod: .basic)
    #expect(try place.accounts(ItemQuery(space)) == users.sorted())
    for user in [0, 1, 500, 998, 999].map({ users[$0] }) {
      var query = ItemQuery(space)
      query.account = .equals(user)
      #expect(try place.find(query).map { $0.secret?.array } == [Array("secret of \(user)".utf8)])
      expect(.duplicateItem) { try place.add(item(user)) }
    }
    _ = try place.modify(items[500], .secret(Secret("changed")))
    try place.remove(items[499])
    #expect(try place.find(ItemQuery(space)).count == 999)
    #expect(try place.find { $0.account = .equals("user500") }.first?.secret?.count == 7)
  }

  @Test(
    "what is out of bounds is refused, and nothing is stored",
    arguments: StoreKind.allCases, Refused.rows)
  func refused(kind: StoreKind, row: Refused) throws {
    let place = try kind.make()
    var given = try item()
    try row.spoil(&given)
    expect(row.code) { try place.add(given) }
    #expect(try place.find().isEmpty)
    let stored = try place.store.add(item())
    let before = try place.contents()
    expect(row.code) { _ = try place.store.modify(stored.id, hint: stored.key, row.changes) }
    #expect(try place.contents() == before)
  }
}

/// An attribute that no store accepts.
struct Refused: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let code: VaultError.Code
  let spoil: @Sendable (inout Item) throws -> Void
  let changes: [ItemChange]

  static let long = String(repeating: "x", count: 4097)

  static let rows: [Refused] = [
    Refused(
      testDescription: "a long account", code: .tooLarge, spoil: { $0.account = long },
      changes: [.account(long)]),
    Refused(
      testDescription: "a long realm", code: .tooLarge, spoil: { $0.realm = long },
      changes: [.realm(long)]),
    Refused(
      testDescription: "a long path", code: .tooLarge, spoil: { $0.path = long },
      changes: [.path(long)]),
    Refused(
      testDescription: "a long label", code: .tooLarge, spoil: { $0.label = long },
      changes: [.label(long)]),
    Refused(
      testDescription: "a long comment", code: .tooLarge,
      spoil: { $0.comment = String(repeating: "x", count: 65537) },
      changes: [.comment(String(repeating: "x", count: 65537))]),
    Refused(
      testDescription: "NUL in the account", code: .invalidArgument,
      spoil: { $0.account = "a\0b" }, changes: [.account("a\0b")]),
    Refused(
      testDescription: "NUL in the realm", code: .invalidArgument,
      spoil: { $0.realm = "\0" }, changes: [.realm("\0")]),
    Refused(
      testDescription: "a custom attribute without a name", code: .invalidArgument,
      spoil: { $0.custom = ["": "x"] }, changes: [.custom("", "x")]),
    Refused(
      testDescription: "65 custom attributes", code: .tooLarge,
      spoil: { item in for number in 0..<65 { item.custom["\(number)"] = "x" } },
      changes: (0..<65).map { .custom("\($0)", "x") }),
    Refused(
      testDescription: "a protocol's other spelling", code: .invalidArgument,
      spoil: { $0.protocol = NetworkProtocol(rawValue: "HTTPS") },
      changes: [.protocol(NetworkProtocol(rawValue: "HTTPS"))]),
    Refused(
      testDescription: "a method's other spelling", code: .invalidArgument,
      spoil: { $0.authenticationMethod = AuthenticationMethod(rawValue: "httd") },
      changes: [.authenticationMethod(AuthenticationMethod(rawValue: "httd"))]),
    Refused(
      testDescription: "a refresh token above 8 KiB", code: .tooLarge,
      spoil: { $0.refreshToken = Secret([UInt8](repeating: 1, count: 8193)) },
      changes: [.refreshToken(Secret([UInt8](repeating: 1, count: 8193)))]),
  ]
}
