import VaultAdministration
import TestSupport
import Testing

@Suite("Generic passwords")
struct GenericPasswordTests {
  static let places: [Persistence] = [.session, .permanent]

  let clocked: ClockedVault
  var vault: Vault { clocked.vault }
  /// Every generic password.
  private let all = ItemQuery(itemClass: .genericPassword)

  init() throws {
    clocked = try ClockedVault()
  }

  private func text(_ secret: Secret?) -> String {
    secret.map { $0.withBytes { bytes in bytes.indices.map { bytes[$0] } } }
      .map { String(decoding: $0, as: UTF8.self) } ?? "none"
  }

  private func accounts(
    _ query: ItemQuery = ItemQuery(itemClass: .genericPassword)
  ) throws -> [String] {
    try vault.findAll(query).map { "\($0.service)/\($0.account)" }
  }

  private func rule(_ change: (inout PersistencePolicy.Rule) -> Void) throws {
    var rule = PersistencePolicy.Rule(name: "the rule")
    change(&rule)
    try vault.policy.update { [rule] in $0 = [rule] }
  }

  // MARK: Storing

  @Test("an item comes back with all its attributes", arguments: places)
  func everything(place: Persistence) throws {
    var given = Item(service: "Backup of /srv", account: "ann", secret: Secret("one"))
    given.comment = "a note"
    given.kind = "application password"
    given.origin = "app"
    given.creator = 0x6161_706C
    given.type = 7
    given.generic = [0, 1, 255]
    given.isInvisible = true
    given.isNegative = true
    given.custom = ["team": "blue"]
    given.secretKind = .token
    given.expires = clocked.clock.now.adding(.seconds(60))
    let added = try vault.add(given, persistence: place).item
    let found = try vault.find(ItemQuery(key: given.key), withSecrets: true)
    for item in [added, found] {
      #expect(item.id == given.id && item.key == given.key && item.persistence == place)
      #expect(item.label == "Backup of /srv" && item.comment == "a note")
      #expect(item.kind == "application password" && item.origin == "app")
      #expect(item.creator == 0x6161_706C && item.type == 7 && item.generic == [0, 1, 255])
      #expect(item.isInvisible && item.isNegative && item.custom == ["team": "blue"])
      #expect(item.secretKind == .token && item.expires == given.expires)
      #expect(item.created == item.modified && item.revision > 0)
      #expect(text(item.secret) == "one")
    }
    #expect(try vault.find(ItemQuery(key: given.key)).secret == nil)
  }

  @Test("services are any text, compared on bytes", arguments: places)
  func services(place: Persistence) throws {
    let services = [
      "", "git.example.com", "GIT.example.com", "git.example.com.", "münchen.example", "a b",
      "https://git.example.com/", "=generic", "caf\u{E9}", "cafe\u{301}",
    ]
    for service in services {
      try vault.add(
        Item(service: service, account: "ann", secret: Secret(service + "!")),
        persistence: place)
    }
    for service in services {
      let found = try vault.findAll(ItemQuery(service: service), withSecrets: true)
      #expect(found.map(\.service.utf8.count) == [service.utf8.count])
      #expect(found.map { text($0.secret) } == [service + "!"])
    }
    #expect(try vault.findAll(all).count == services.count)
  }

  @Test("an empty label becomes the service, without one the account")
  func label() throws {
    #expect(try vault.add(Item(service: "s", account: "a")).item.label == "s")
    #expect(try vault.add(Item(service: "", account: "a")).item.label == "a")
  }

  @Test("the same service and account are a duplicate that names the item", arguments: places)
  func duplicate(place: Persistence) throws {
    let first = try vault.add(
      Item(service: "s", account: "a", secret: Secret("one")), persistence: place
    ).item
    let error = #expect(throws: VaultError.self) {
      try vault.add(
        Item(service: "s", account: "a", secret: Secret("two")), persistence: place)
    }
    #expect(error?.code == .duplicateItem)
    #expect(error?.candidates.map(\.id) == [first.id])
    #expect(
      text(try vault.find(ItemQuery(service: "s"), withSecrets: true).secret) == "one")
  }

  @Test("bounds: a long service, and NUL in one")
  func bounds() throws {
    expect(.tooLarge) {
      try vault.add(Item(service: String(repeating: "s", count: 4097)))
    }
    expect(.invalidArgument) { try vault.add(Item(service: "a\0b")) }
    var item = Item(service: "s")
    item.generic = [UInt8](repeating: 1, count: 4097)
    expect(.tooLarge) { try vault.add(item) }
    #expect(try vault.findAll(all).isEmpty)
  }

  // MARK: The two classes

  /// Puts an internet password and a generic one with the same texts into the vault.
  private func pair(_ place: Persistence) throws {
    try addWeb(place)
    try vault.add(
      Item(service: "example.com", account: "ann", secret: Secret("tool")),
      persistence: place)
  }

  private func addWeb(_ place: Persistence) throws {
    try vault.add(
      Item(server: HostName("example.com"), account: "ann", secret: Secret("web")),
      persistence: place)
  }

  @Test("no question for one class is answered with the other", arguments: places)
  func classes(place: Persistence) throws {
    try pair(place)
    var byAccount = ItemQuery()
    byAccount.account = .equals("ann")
    var byServer = ItemQuery()
    byServer.server = .equals(try HostName("example.com"))
    var byLabel = ItemQuery()
    byLabel.label = .equals("example.com")
    let key = Item.Key(account: "ann", server: try HostName("example.com"))
    for query in [ItemQuery(), byAccount, byServer, byLabel, ItemQuery(key: key)] {
      #expect(try vault.findAll(query, withSecrets: true).map { text($0.secret) } == ["web"])
      #expect(try vault.count(query) == 1)
    }
    var byService = ItemQuery()
    byService.service = .equals("example.com")
    var labelled = all
    labelled.label = .equals("example.com")
    for query in [
      all, ItemQuery(service: "example.com"), byService, labelled,
      ItemQuery(service: "example.com", account: "ann"),
    ] {
      #expect(try vault.findAll(query, withSecrets: true).map { text($0.secret) } == ["tool"])
    }
    #expect(try vault.count(.everything) == 2)
    let space = try ProtectionSpace(host: "example.com", protocol: .unset)
    #expect(try vault.credentials(for: space).map { text($0.secret) } == ["web"])
    #expect(try vault.allCredentials().values.flatMap { $0 }.count == 1)
  }

  @Test("an id finds its item, of whichever class and under whichever hint", arguments: places)
  func ids(place: Persistence) throws {
    try pair(place)
    let web = try vault.find(ItemQuery())
    let tool = try vault.find(all)
    for item in [web, tool] {
      for hint in [nil, web.key, tool.key] {
        #expect(try vault.item(item.id, hint: hint).key == item.key)
      }
    }
    #expect(tool.service == "example.com" && web.service.isEmpty)
  }

  @Test("removing all of one class leaves the other", arguments: places)
  func removingAll(place: Persistence) throws {
    try pair(place)
    #expect(try vault.removeAll(ItemQuery()) == 1)
    #expect(try accounts() == ["example.com/ann"])
    try addWeb(place)
    #expect(try vault.removeAll(all) == 1)
    #expect(try vault.count(ItemQuery()) == 1)
  }

  @Test("removing everything of a place removes both", arguments: places)
  func removingEverything(place: Persistence) throws {
    try pair(place)
    try vault.removeAll(place, removal: .permanent)
    #expect(try accounts().isEmpty && vault.count(ItemQuery()) == 0)
    #expect(try vault.trash.items(all).isEmpty)
  }

  @Test("a protocol whose name is the file's mark makes no generic password")
  func forgedProtocol() throws {
    var item = Item(server: try HostName("example.com"), account: "ann")
    item.protocol = NetworkProtocol(rawValue: "=generic")
    expect(.invalidArgument) { try vault.add(item) }
    let added = try vault.add(Item(server: HostName("example.com"))).item
    expect(.invalidArgument) {
      try vault.modify(added, [.protocol(NetworkProtocol(rawValue: "=generic"))])
    }
    var query = ItemQuery()
    query.protocol = .equals(NetworkProtocol(rawValue: "=generic"))
    try vault.add(Item(service: "example.com"))
    #expect(try vault.findAll(query).isEmpty)
    #expect(try vault.findAll(all).count == 1)
  }

  // MARK: Changing

  @Test("changes of its attributes, and a rename", arguments: places)
  func modify(place: Persistence) throws {
    let added = try vault.add(
      Item(service: "s", account: "a", secret: Secret("one")), persistence: place
    ).item
    let changed = try vault.modify(
      added,
      [.service("t"), .account("b"), .comment("c"), .generic([9]), .secret(Secret("two"))]
    ).item
    #expect(changed.id == added.id && changed.label == "s")
    let found = try vault.find(
      ItemQuery(service: "t", account: "b"), withSecrets: true)
    #expect(found.comment == "c" && found.generic == [9] && text(found.secret) == "two")
    #expect(try accounts(ItemQuery(service: "s")).isEmpty)
    #expect(
      try vault.history.entries(of: found, withSecrets: true).map { text($0.secret) } == ["one"])
  }

  @Test("an attribute of the other class is refused, and nothing is changed", arguments: places)
  func foreign(place: Persistence) throws {
    try pair(place)
    let tool = try vault.find(all)
    let web = try vault.find(ItemQuery())
    let foreign: [ItemChange] = [
      .server(try HostName("other.example")), .protocol(.https), .port(1), .realm("r"),
      .path("/p"), .authenticationMethod(.basic), .accountDomain("D"),
    ]
    for change in foreign {
      expect(.invalidArgument) { try vault.modify(tool, [.comment("c"), change]) }
    }
    for change in [ItemChange.service("s"), .generic([1])] {
      expect(.invalidArgument) { try vault.modify(web, [.comment("c"), change]) }
    }
    #expect(try vault.find(all).revision == tool.revision)
    #expect(try vault.find(ItemQuery()).revision == web.revision)
  }

  @Test("upsert adds, then changes", arguments: places)
  func upsert(place: Persistence) throws {
    for secret in ["one", "two"] {
      try vault.upsert(
        Item(service: "s", account: "a", secret: Secret(secret)), persistence: place)
    }
    let found = try vault.findAll(all, withSecrets: true)
    #expect(found.map { text($0.secret) } == ["two"])
    #expect(try vault.history.revert(found[0]).item.id == found[0].id)
    #expect(text(try vault.find(all, withSecrets: true).secret) == "one")
  }

  @Test("a stale revision is a conflict that names the item", arguments: places)
  func conflict(place: Persistence) throws {
    let added = try vault.add(Item(service: "s"), persistence: place).item
    try vault.modify(added, [.comment("first")])
    let error = #expect(throws: VaultError.self) {
      try vault.modify(added, [.comment("second")], ifRevision: added.revision)
    }
    #expect(error?.code == .conflict && error?.candidates.map(\.comment) == ["first"])
  }

  // MARK: Trash

  @Test("a removed item comes back with its history")
  func trash() throws {
    let added = try vault.add(Item(service: "s", secret: Secret("one"))).item
    try vault.modify(added, [.secret(Secret("two"))])
    try vault.remove(added)
    #expect(try accounts().isEmpty)
    #expect(try vault.trash.items().isEmpty)
    let removed = try #require(try vault.trash.items(all).first)
    #expect(removed.item.service == "s" && removed.id.item == added.id)
    let restored = try vault.trash.restore(removed).item
    #expect(restored.id == added.id)
    #expect(
      try vault.history.entries(of: restored, withSecrets: true).map { text($0.secret) } == ["one"])
    try vault.remove(restored)
    #expect(try vault.trash.empty() == 0)
    #expect(try vault.trash.empty(all) == 1)
    #expect(try vault.trash.items(all).isEmpty)
  }

  // MARK: In transactions, in other tasks, and for observers

  @Test("a transaction sees and changes both classes, or neither")
  func transaction() throws {
    struct Failure: Error {}
    #expect(throws: Failure.self) {
      try vault.write { transaction in
        try transaction.add(Item(service: "s"))
        try transaction.add(Item(server: HostName("example.com")))
        #expect(try transaction.findAll(all).count == 1)
        throw Failure()
      }
    }
    #expect(try accounts().isEmpty)
    try vault.write { transaction in
      let added = try transaction.add(Item(service: "s")).item
      try transaction.modify(added, [.service("t")])
      try transaction.upsert(Item(service: "u"))
      try transaction.remove(
        transaction.find(ItemQuery(service: "u")))
    }
    #expect(try accounts() == ["t/"])
  }

  @Test("a password can be changed, restored, found and removed")
  func everyVerb() throws {
    let added = try vault.add(Item(service: "s", secret: Secret("one"))).item
    try vault.modify(added, [.secret(Secret("two"))])
    let found = try vault.find(ItemQuery(service: "s"), withSecrets: true)
    #expect(text(found.secret) == "two")
    #expect(try vault.history.entries(of: found).count == 1)
    try vault.history.revert(found)
    try vault.remove(found)
    let removed = try #require(try vault.trash.items(all).first)
    try vault.trash.restore(removed)
    #expect(try vault.item(added.id).service == "s")
    #expect(try vault.findUnique(all).id == added.id)
    #expect(try vault.removeAll(all) == 1)
    #expect(try vault.trash.empty(all) == 1)
    try vault.upsert(Item(service: "u"))
    #expect(try vault.findAll(all).count == 1)
  }

  @Test("observers are told the service, and no space", arguments: places)
  func events(place: Persistence) throws {
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    defer { observation.cancel() }
    let added = try vault.add(Item(service: "s"), persistence: place).item
    try vault.modify(added, [.service("t")])
    try vault.remove(vault.item(added.id))
    let subjects = try recorder.take().map { event in
      switch event {
      case .added(let subject), .modified(let subject), .removed(let subject): subject
      default: try #require(nil as VaultEvent.Subject?, "\(event)")
      }
    }
    #expect(subjects.map(\.service) == ["s", "t", "t"])
    #expect(subjects.allSatisfy { $0.space == nil && $0.id == added.id })
  }

  // MARK: Policy

  @Test(
    "a rule that names a service, or all, limits generic passwords alone",
    arguments: ["npm", "np*", "*"])
  func rules(pattern: String) throws {
    try rule {
      $0.service = pattern
      $0.maximumPersistence = .session
    }
    let stored = try vault.add(Item(service: "npm"))
    #expect(stored.item.persistence == .session && stored.decision.rule?.name == "the rule")
    #expect(try vault.add(Item(server: HostName("npm"))).item.persistence == .permanent)
    let other = try vault.add(Item(service: "NPM"))
    #expect(other.item.persistence == (pattern == "*" ? .session : .permanent))
  }

  @Test("a rule about a network matches no service; one about everything does")
  func networkRules() throws {
    let conditions: [@Sendable (inout PersistencePolicy.Rule) -> Void] = [
      { $0.protocol = .https }, { $0.port = 443 },
      { $0.authenticationMethod = .basic }, { $0.isProxy = false }, { $0.isProxy = true },
      { $0.receivesCredentialSecurely = false }, { $0.receivesCredentialSecurely = true },
      { $0.isLoopback = false }, { $0.isLoopback = true },
    ]
    for condition in conditions {
      var rule = PersistencePolicy.Rule(name: "the rule")
      condition(&rule)
      rule.refuse = true
      let policy = try PersistencePolicy(rules: [rule])
      let decision = policy.decide(service: "s", requested: .permanent, now: .now())
      #expect(decision.granted == .permanent)
    }
    for host in [nil, HostPattern.any] {
      var rule = PersistencePolicy.Rule(name: "the rule")
      rule.host = host
      rule.refuse = true
      let policy = try PersistencePolicy(rules: [rule])
      #expect(policy.decide(service: "s", requested: .permanent, now: .now()).isRefused)
    }
  }

  @Test("a service beside another condition, and an empty one, are no rule")
  func invalidRules() throws {
    expect(.invalidArgument) { try rule { $0.service = "" } }
    expect(.invalidArgument) {
      try rule {
        $0.service = "s"
        $0.host = .any
      }
    }
    expect(.invalidArgument) { try rule { $0.service = "a\0" } }
  }

  @Test("a refused service is named, and the policy explains why")
  func explained() throws {
    try rule {
      $0.service = "npm"
      $0.refuse = true
    }
    let error = #expect(throws: VaultError.self) {
      try vault.add(Item(service: "npm"))
    }
    #expect(error?.code == .policyRefused && error?.context.contains("\"npm\"") == true)
    let tried = try vault.policy.explain(service: "other").tried
    #expect(tried.map(\.mismatch) == [.service])
    let space = try ProtectionSpace(host: "npm")
    #expect(try vault.policy.explain(space).tried.map(\.mismatch) == [.service])
  }

  @Test("a new rule is applied to the generic passwords that are there")
  func applied() throws {
    try vault.add(Item(service: "npm"))
    try vault.add(Item(server: HostName("npm")))
    try rule {
      $0.service = "*"
      $0.maximumPersistence = .none
    }
    #expect(try vault.policy.excesses().count == 1)
    try vault.policy.apply()
    #expect(try accounts().isEmpty && vault.count(ItemQuery()) == 1)
  }

  @Test("an expired item is not found, and is purged", arguments: places)
  func expiry(place: Persistence) throws {
    var item = Item(service: "s", secret: Secret("one"))
    item.expires = clocked.clock.now.adding(.seconds(60))
    try vault.add(item, persistence: place)
    clocked.clock.pass(.seconds(61))
    expect(.expired) { _ = try vault.find(ItemQuery(service: "s"), withSecrets: true) }
    #expect(try vault.maintenance.purge().count == 1)
    #expect(try vault.findAll(all).isEmpty)
  }

  // MARK: The whole vault

  @Test("a new key, a backup and a reopened vault keep them")
  func whole() throws {
    for number in 0..<300 {
      try vault.add(
        Item(service: "s", account: "a\(number)", secret: Secret("\(number)")))
    }
    _ = try vault.keys.rekey(keeping: [clocked.fixture.key])
    let backup = clocked.fixture.folder.file("backup")
    _ = try vault.maintenance.backup(to: backup)
    for path in [clocked.fixture.path, backup] {
      let opened = try Vault.open(path: path, key: clocked.fixture.key)
      let query = ItemQuery(service: "s", account: "a299")
      #expect(text(try opened.find(query, withSecrets: true).secret) == "299")
      #expect(try opened.findAll(all).count == 300)
      #expect(try opened.maintenance.verify().problems.isEmpty)
    }
  }

  @Test("it prints without its secret, with what others chose escaped")
  func description() throws {
    let item = Item(service: "a\"\u{1B}", account: "ann", secret: Secret("hidden"))
    #expect("\(item)" == "ann at the service \"a\\\"\\u{1b}\", permanent")
    #expect(!String(reflecting: item).contains("hidden"))
  }
}
