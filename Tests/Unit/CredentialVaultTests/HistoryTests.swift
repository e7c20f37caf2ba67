import AttackSupport
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: previous secrets")
struct HistoryTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
  }

  static let places = [Persistence.session, .permanent]

  /// Adds an item that is given secrets one after the other, a second apart.
  private func item(
    _ place: Persistence = .permanent, _ secrets: String...
  ) throws -> Item {
    let item = try vault.add(
      CredentialVaultTests.item("ann", secrets[0]), persistence: place
    ).item
    for secret in secrets.dropFirst() {
      clock.pass(.seconds(1))
      try vault.modify(item, [.secret(Secret(secret))])
    }
    return item
  }

  private func text(_ secret: Secret?) -> String? {
    secret.map { String(decoding: $0.array, as: UTF8.self) }
  }

  private func history(_ item: Item) throws -> [String?] {
    try vault.history.entries(of: item, withSecrets: true).map { text($0.secret) }
  }

  private func now(_ item: Item) throws -> String? {
    try text(vault.item(item.id, withSecrets: true).secret)
  }

  @Test("a secret that is replaced is kept with its times, the newest first", arguments: places)
  func kept(_ place: Persistence) throws {
    let begin = clock.now
    let item = try item(place, "one", "two", "three")
    #expect(try history(item) == ["two", "one"])
    let listed = try vault.history.entries(of: item)
    #expect(listed.allSatisfy { $0.secret == nil && $0.id.item == item.id })
    #expect(listed.map(\.set) == [begin.adding(.seconds(1)), begin])
    #expect(listed.map(\.replaced) == [begin.adding(.seconds(2)), begin.adding(.seconds(1))])
    // Only another secret makes a new entry, and no secret is listed twice.
    try vault.modify(item, [.comment("x")])
    try vault.modify(item, [.secret(Secret("three"))])
    #expect(try history(item) == ["two", "one"])
    try vault.modify(item, [.secret(Secret("one"))])
    #expect(try history(item) == ["three", "two"])
  }

  @Test("whatever replaces a secret keeps the old one", arguments: places)
  func everyWay(_ place: Persistence) throws {
    let item = try item(place, "one")
    try vault.set(credential("ann", "two", place), for: space())
    try vault.setDefaultCredential(credential("ann", "three", place), for: space())
    try vault.upsert(CredentialVaultTests.item("ann", "four"), persistence: place)
    #expect(try history(item) == ["three", "two", "one"])
    guard place == .permanent else { return }
    let pending = try #require(vault.pending.set(credential("ann", "five"), for: space()).pending)
    #expect(try history(item) == ["three", "two", "one"])
    try vault.pending.confirm(pending)
    #expect(try history(item) == ["four", "three", "two", "one"])
    try vault.write { (transaction) throws(VaultError) in
      try transaction.modify(item, [.secret(Secret("six"))])
      let newest = try transaction.history(of: item, withSecrets: true).first
      guard newest?.secret?.isEqual(to: Secret("five")) == true else {
        throw VaultError(.internalError, "not there yet")
      }
    }
  }

  @Test("the newest comes back unless another is named, and again", arguments: places)
  func reverts(_ place: Persistence) throws {
    let begin = clock.now
    let item = try item(place, "one", "two", "three")
    clock.pass(.seconds(1))
    let stored = try vault.history.revert(item)
    #expect(stored.item.id == item.id && stored.item.secret == nil)
    // Its age is unchanged.
    #expect(stored.item.secretChanged == begin.adding(.seconds(1)))
    #expect(try now(item) == "two" && history(item) == ["three", "one"])
    try vault.history.revert(item)
    #expect(try now(item) == "three" && history(item) == ["two", "one"])
    let oldest = try #require(vault.history.entries(of: item).last)
    try vault.history.revert(item, to: oldest)
    #expect(try now(item) == "one" && history(item) == ["three", "two"])
    // It is no longer a previous one.
    expect(.itemNotFound) { try vault.history.revert(item, to: oldest) }
    #expect(try now(item) == "one")
  }

  @Test(
    "kind and expiry come back with the secret; label and comment stay as they are",
    arguments: places)
  func attributes(_ place: Persistence) throws {
    let item = try item(place, "one")
    let end = clock.now.adding(.seconds(3600))
    try vault.modify(item, [.secretKind(.token), .expires(end), .comment("old")])
    try vault.modify(
      item, [.secret(Secret("two")), .secretKind(.password), .expires(nil), .comment("new")])
    let previous = try #require(vault.history.entries(of: item).first)
    #expect(previous.kind == .token && previous.expires == end)
    try vault.history.revert(item)
    let back = try vault.item(item.id, withSecrets: true)
    #expect(back.secretKind == .token && back.expires == end && back.comment == "new")
    let other = try #require(vault.history.entries(of: item).first)
    #expect(other.kind == .password && other.expires == nil)
  }

  @Test("what has expired is listed without its secret, and does not come back", arguments: places)
  func expired(_ place: Persistence) throws {
    let item = try item(place, "one")
    try vault.modify(item, [.expires(clock.now.adding(.seconds(60)))])
    try vault.modify(item, [.secret(Secret("two")), .expires(nil)])
    clock.pass(.seconds(60))
    #expect(try history(item) == [nil])
    expect(.expired) { try vault.history.revert(item) }
    #expect(try now(item) == "two")
  }

  @Test("what a rule that came later has ended, and nothing has applied, does not come back either")
  func endedSince() throws {
    let item = try item(.permanent, "one", "two")
    clock.pass(.seconds(3599))
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "an hour")
      rule.lifetime = .seconds(3600)
      rules = [rule]
    }
    #expect(try history(item) == ["one"])
    expect(.expired) { try vault.history.revert(item) }
    #expect(try now(item) == "two")
  }

  @Test("what a rule that came later would not have kept does not come back", arguments: places)
  func tightened(_ place: Persistence) throws {
    let begin = clock.now
    let item = try item(place, "one", "two")
    clock.pass(.seconds(1800))
    try vault.policy.update { rules in
      var rule = PersistencePolicy.Rule(name: "an hour")
      rule.lifetime = .seconds(3600)
      rules = [rule]
    }
    try vault.history.revert(item)
    #expect(try vault.item(item.id, withSecrets: true).keptUntil == begin.adding(.seconds(3600)))
    try vault.history.revert(item)
    #expect(try vault.item(item.id, withSecrets: true).keptUntil == begin.adding(.seconds(3601)))
    // "one" was set an hour ago, and "two" a second less.
    clock.pass(.seconds(1799))
    expect(.expired) { try vault.history.revert(item) }
    #expect(try now(item) == "two")
  }

  @Test(
    "a lifetime does not start anew with a secret that comes back, in whatever way",
    arguments: places, 0..<6)
  func lifetime(_ place: Persistence, _ way: Int) throws {
    var rule = PersistencePolicy.Rule(name: "an hour")
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    let begin = clock.now
    let item = try item(place, "one", "two")
    clock.pass(.seconds(1000))
    switch way {
    case 0: try vault.history.revert(item)
    case 1: try vault.modify(item, [.secret(Secret("one"))])
    case 2: try vault.set(credential("ann", "one", place), for: space())
    case 3: try vault.upsert(CredentialVaultTests.item("ann", "one"), persistence: place)
    case 4:
      let pending = try #require(
        vault.pending.set(credential("ann", "one", place), for: space()).pending)
      try vault.pending.confirm(pending)
    default:
      // Kept for the session first, and then permanently.
      guard place == .permanent else { return }
      try vault.set(credential("ann", "one", .session), for: space())
      try vault.move(user: "ann", for: space(), to: .permanent)
    }
    let back = try vault.item(item.id, withSecrets: true)
    #expect(text(back.secret) == "one" && back.secretChanged == begin)
    #expect(back.keptUntil == begin.adding(.seconds(3600)))
    clock.pass(.seconds(2599))
    expect(.expired) { _ = try vault.find(ItemQuery(), withSecrets: true) }
  }

  @Test("a secret whose own expiry has passed does not come back without it", arguments: places)
  func passedExpiry(_ place: Persistence) throws {
    let item = try item(place, "one")
    let (first, second) = (clock.now.adding(.seconds(60)), clock.now.adding(.seconds(120)))
    try vault.modify(item, [.expires(first)])
    try vault.modify(item, [.secret(Secret("two")), .expires(second)])
    clock.pass(.seconds(120))
    // Both have expired. A new secret would clear the expiry.
    try vault.set(credential("ann", "one", place), for: space())
    #expect(try vault.item(item.id, withSecrets: true).expires == first)
    expect(.expired) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    try vault.set(credential("ann", "three", place), for: space())
    #expect(try vault.find(ItemQuery(), withSecrets: true).expires == nil)
  }

  @Test("a renamed item's are kept no longer than the rule of its new key says", arguments: places)
  func renamed(_ place: Persistence) throws {
    let item = try item(place, "one", "two", "three")
    clock.pass(.seconds(1800))
    try vault.modify(item, [.secret(Secret("four"))])
    var rule = PersistencePolicy.Rule(name: "short")
    rule.host = try HostPattern("short.example")
    rule.lifetime = .seconds(1801)
    try vault.policy.update { [rule] in $0 = [rule] }
    #expect(try history(item) == ["three", "two", "one"])
    let moved = try vault.modify(item, [.server(HostName(canonical: "short.example"))]).item
    // "three" was set half an hour ago; the time of those before it is over.
    #expect(try history(moved) == ["three"])
    #expect(
      try vault.history.entries(of: moved).map(\.keptUntil) == [clock.now.adding(.seconds(1))])
    clock.pass(.seconds(1))
    #expect(try history(moved) == [nil] && now(moved) == "four")
  }

  @Test("an import brings as much of an item's past as the policy would have kept until now")
  func imported() throws {
    let begin = clock.now
    clock.pass(.seconds(3600))
    var rule = PersistencePolicy.Rule(name: "an hour")
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    let item = try item(.permanent, "three")
    try vault.write { (writer) throws(VaultError) in
      let past = [("two", 1), ("one", 0)].map { (text, set) in
        PreviousSecret(
          id: .init(item: item.id, replaced: begin.adding(.seconds(set + 1))), kind: .password,
          set: begin.adding(.seconds(set)), expires: nil, keptUntil: nil, secret: Secret(text))
      }
      try writer.addHistory(past, to: item)
    }
    #expect(try history(item) == ["two"])
    let ends = try vault.history.entries(of: item).map(\.keptUntil)
    #expect(ends == [begin.adding(.seconds(3601))])
    clock.pass(.seconds(1))
    #expect(try history(item) == [nil])
    expect(.expired) { try vault.history.revert(item) }
  }

  @Test("a damaged one hinders neither another one nor a change of its item, and is kept")
  func damaged() throws {
    let fixture = try Fixture()
    let item = try fixture.vault.add(CredentialVaultTests.item("ann", "one")).item
    let large = Secret([UInt8](repeating: 1, count: 3000))
    for secret in [large, Secret("two"), Secret("three")] {
      try fixture.vault.modify(item, [.secret(secret)])
    }
    try fixture.vault.close()
    // Only large secrets have a row of their own.
    try Database.run(
      "UPDATE node SET sealed = zeroblob(length(sealed)) WHERE id > 1 << 62", on: fixture.path)
    let vault = try fixture.open()
    let history = try vault.history.entries(of: item)
    expect(.damaged) { _ = try vault.history.open(history[1], of: item) }
    expect(.damaged) { try vault.history.revert(item, to: history[1]) }
    for (number, text) in [(0, "two"), (2, "one")] {
      #expect(try self.text(vault.history.open(history[number], of: item).secret) == text)
    }
    try vault.history.revert(item)
    // As long as the damaged one, which is read.
    try vault.modify(item, [.secret(Secret([UInt8](repeating: 2, count: 3000)))])
    #expect(
      try vault.history.entries(of: item).map(\.set).dropFirst(2) == history.map(\.set).dropFirst())
  }

  @Test("there may be none, or none of that item", arguments: places)
  func missing(_ place: Persistence) throws {
    let item = try item(place, "one")
    #expect(try vault.history.entries(of: item).isEmpty)
    expect(.itemNotFound) { try vault.history.revert(item) }
    let other = try vault.add(CredentialVaultTests.item("bob", "x"), persistence: place).item
    try vault.modify(other, [.secret(Secret("y"))])
    let foreign = try #require(vault.history.entries(of: other).first)
    expect(.itemNotFound) { try vault.history.revert(item, to: foreign) }
    expect(.itemNotFound) { _ = try vault.history.open(foreign, of: item) }
    #expect(try text(vault.history.open(foreign, of: other).secret) == "x")
    try vault.remove(other)
    expect(.itemNotFound) { _ = try vault.history.entries(of: other) }
    expect(.itemNotFound) { try vault.history.revert(other, to: foreign) }
    // An empty secret does not become a previous one.
    try vault.modify(item, [.secret(Secret(""))])
    #expect(try history(item) == ["one"])
    try vault.modify(item, [.secret(Secret("two"))])
    #expect(try history(item) == ["one"])
  }

  @Test("a secret comes back only if nobody changed the item since", arguments: places)
  func revisions(_ place: Persistence) throws {
    let item = try item(place, "one", "two")
    let known = try vault.item(item.id, withSecrets: true)
    try vault.modify(item, [.comment("x")])
    let error = #expect(throws: VaultError.self) {
      try vault.history.revert(item, ifRevision: known.revision)
    }
    #expect(error?.code == .conflict && error?.candidates.map(\.comment) == ["x"])
    #expect(try now(item) == "two")
    let current = try vault.item(item.id, withSecrets: true)
    try vault.history.revert(item, ifRevision: current.revision)
    #expect(try now(item) == "one")
  }

  @Test("threads that bring back the newest one at once never miss it", arguments: places)
  func together(_ place: Persistence) throws {
    let item = try item(place, "one", "two", "three")
    let failures = Lock<[VaultError.Code]>([])
    inThreads(4) { [vault] _ in
      for _ in 0..<(place == .session ? 300 : 10) {
        do throws(VaultError) {
          try vault.history.revert(item)
        } catch {
          failures.withLock { $0.append(error.code) }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(Set(try history(item) + [now(item)]) == ["one", "two", "three"])
  }

  @Test("a renamed item takes them along; one that is deleted, or moves, does not")
  func travels() throws {
    let item = try item(.permanent, "one", "two")
    try vault.modify(item, [.account("anna"), .server(HostName(canonical: "other.example"))])
    #expect(try history(item) == ["one"])
    try vault.modify(item, [.account("ann"), .server(space().host)])
    try vault.move(user: "ann", for: space(), to: .session)
    let temporary = try vault.find(ItemQuery(), withSecrets: true)
    #expect(temporary.id == item.id && temporary.persistence == .session)
    #expect(try history(temporary).isEmpty)
    try vault.modify(temporary, [.secret(Secret("three"))])
    #expect(try history(temporary) == ["two"])
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(try history(item).isEmpty && now(item) == "three")
    try vault.modify(item, [.secret(Secret("four"))])
    try vault.remove(item)
    let again = try vault.add(CredentialVaultTests.item("ann", "five")).item
    #expect(try history(again).isEmpty)
  }

  @Test("a rule for the name that an item gets ends what it takes along, too")
  func renamedUnderRule() throws {
    let item = try item(.permanent, "one", "two", "three")
    var rule = PersistencePolicy.Rule(name: "a day")
    rule.host = try HostPattern("other.example")
    rule.lifetime = .seconds(86_400)
    try vault.policy.update { [rule] rules in rules = [rule] }
    let renamed = try vault.modify(item, [.server(HostName(canonical: "other.example"))]).item
    let history = try vault.history.entries(of: renamed)
    #expect(history.count == 2)
    for previous in history {
      #expect(previous.keptUntil == previous.set.adding(milliseconds: 86_400_000))
    }
    #expect(try vault.policy.excesses().isEmpty)
    try vault.policy.update { rules in rules[0].lifetime = .seconds(3600) }
    let generation = try vault.generation()
    try vault.modify(renamed, [.server(renamed.server)])
    #expect(try vault.generation() == generation)
  }

  @Test("ten are kept unless another number is set, and fewer prune at once", arguments: places)
  func limit(_ place: Persistence) throws {
    let item = try item(place, "0")
    for number in 1...12 { try vault.modify(item, [.secret(Secret("\(number)"))]) }
    let expected = (2...11).reversed().map { "\($0)" }
    #expect(try history(item) == expected && vault.history.limit == 10)
    let generation = try vault.generation()
    try vault.history.setLimit(10)
    #expect(try vault.generation() == generation)
    try vault.history.setLimit(3)
    #expect(try vault.history.limit == 3)
    #expect(
      try history(item) == (place == .session ? expected : Array(expected.prefix(3))))
    try vault.write { (transaction) throws(VaultError) in
      guard try transaction.historyLimit == 3 else { return }
      try transaction.setHistoryLimit(0)
    }
    #expect(try vault.history.limit == 0)
    for limit in [-1, 101] { expect(.invalidArgument) { try vault.history.setLimit(limit) } }
    guard place == .permanent else { return }
    #expect(try history(item).isEmpty)
    try vault.modify(item, [.secret(Secret("13"))])
    #expect(try history(item).isEmpty)
  }

  @Test("a vault in memory keeps ten, and no other number")
  func inMemory() throws {
    let vault = Vault.inMemory()
    #expect(try vault.history.limit == 10)
    expect(.unsupported) { try vault.history.setLimit(3) }
  }

  @Test("observers hear of a change, and not of a limit")
  func observed() throws {
    let item = try item(.permanent, "one", "two")
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    try vault.history.revert(item)
    try vault.history.setLimit(1)
    #expect(recorder.take().map { "\($0)".prefix(8) } == ["modified"])
    observation.cancel()
  }

  @Test("a locked vault gives none, and a transaction that fails leaves them as they were")
  func failing() throws {
    let item = try item(.permanent, "one", "two")
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.revert(item)
        try transaction.setHistoryLimit(0)
        throw VaultError(.conflict, "no")
      }
    }
    #expect(try history(item) == ["one"] && vault.history.limit == 10 && now(item) == "two")
    try vault.lock()
    expect(.locked) { _ = try vault.history.entries(of: item) }
    expect(.locked) { _ = try vault.history.limit }
    expect(.locked) { try vault.history.setLimit(1) }
    expect(.locked) { try vault.history.revert(item) }
  }
}
