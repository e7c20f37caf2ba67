import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import CredentialVault
@testable import SealedTree
@testable import VaultStore

@Suite("Trash")
struct TrashTests {
  private static let day = Duration.seconds(86_400)
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
  }

  /// Adds a permanent item with one previous secret.
  private func add(_ account: String = "ann") throws -> Item {
    let added = try vault.add(item(account, "before")).item
    return try vault.modify(added, [.secret(Secret("one")), .label("of \(account)")]).item
  }

  private func accounts() throws -> [String] {
    try vault.trash.items().map(\.item.account).sorted()
  }

  private func rule(_ change: (inout PersistencePolicy.Rule) -> Void) throws {
    var rule = PersistencePolicy.Rule(name: "the rule")
    change(&rule)
    try vault.policy.update { [rule] in $0 = [rule] }
  }

  // MARK: Deletions

  /// A way to delete the item of ``add(_:)``, and whether it leaves something in the trash.
  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let leaves: Bool
    let remove: @Sendable (Vault, Item) throws -> Void

    init(
      _ name: String, leaves: Bool = true,
      _ remove: @escaping @Sendable (Vault, Item) throws -> Void
    ) {
      (testDescription, self.leaves, self.remove) = (name, leaves, remove)
    }
  }

  static let ways = [
    Way("remove") { vault, item in try vault.remove(item) },
    Way("removeUnique") { vault, _ in _ = try vault.removeUnique(ItemQuery()) },
    Way("removeAll") { vault, _ in _ = try vault.removeAll(ItemQuery()) },
    Way("remove(user:for:)") { vault, _ in try vault.remove(user: "ann", for: space()) },
    Way("removeAll") { vault, _ in try vault.removeAll(.permanent) },
    Way("in a transaction: remove") { vault, item in
      try vault.write { (transaction) throws(VaultError) in try transaction.remove(item) }
    },
    Way("in a transaction: removeUnique") { vault, _ in
      try vault.write { (transaction) throws(VaultError) in
        _ = try transaction.removeUnique(ItemQuery())
      }
    },
    Way("in a transaction: removeAll") { vault, _ in
      try vault.write { (transaction) throws(VaultError) in
        _ = try transaction.removeAll(ItemQuery())
      }
    },
    Way("for good: delete", leaves: false) { vault, item in
      try vault.remove(item, removal: .permanent)
    },
    Way("for good: removeUnique", leaves: false) { vault, _ in
      _ = try vault.removeUnique(ItemQuery(), removal: .permanent)
    },
    Way("for good: removeAll", leaves: false) { vault, _ in
      _ = try vault.removeAll(ItemQuery(), removal: .permanent)
    },
    Way("for good: remove(user:for:)", leaves: false) { vault, _ in
      try vault.remove(user: "ann", for: space(), removal: .permanent)
    },
    Way("for good: removeAll", leaves: false) { vault, _ in
      try vault.removeAll(.permanent, removal: .permanent)
    },
    Way("for good: in a transaction", leaves: false) { vault, _ in
      try vault.write { (transaction) throws(VaultError) in
        _ = try transaction.removeAll(ItemQuery(), removal: .permanent)
      }
    },
    Way("a move to the session", leaves: false) { vault, _ in
      try vault.move(user: "ann", for: space(), to: .session)
      try vault.removeAll(.session)
    },
    Way("a move to nowhere", leaves: false) { vault, _ in
      try vault.move(user: "ann", for: space(), to: .none)
    },
    Way("a policy that keeps nothing", leaves: false) { vault, _ in
      var rule = PersistencePolicy.Rule(name: "none")
      rule.maximumPersistence = .none
      try vault.policy.update { [rule] in $0 = [rule] }
      try vault.policy.apply()
    },
    Way("a delete of what the policy would not keep for good", leaves: false) { vault, item in
      var rule = PersistencePolicy.Rule(name: "session")
      rule.maximumPersistence = .session
      try vault.policy.update { [rule] in $0 = [rule] }
      try vault.remove(item)
    },
    Way("a delete of what the policy refuses", leaves: false) { vault, item in
      var rule = PersistencePolicy.Rule(name: "refuse")
      rule.refuse = true
      try vault.policy.update { [rule] in $0 = [rule] }
      try vault.remove(item)
    },
    Way("a purge", leaves: false) { vault, item in
      try vault.modify(item, [.expires(Timestamp(milliseconds: 1))])
      try vault.maintenance.purge()
    },
    Way("a delete of what has expired", leaves: false) { vault, item in
      try vault.modify(item, [.expires(Timestamp(milliseconds: 1))])
      try vault.remove(item)
    },
    Way("a delete where nothing is kept", leaves: false) { vault, item in
      try vault.trash.setDays(0)
      try vault.remove(item)
    },
  ]

  @Test(
    "takes what is deleted, with its history, and nothing that must not be left", arguments: ways)
  func deleted(_ way: Way) throws {
    let item = try add()
    try way.remove(vault, item)
    #expect(try vault.findAll(ItemQuery()).isEmpty)
    #expect(try accounts() == (way.leaves ? ["ann"] : []))
    let past = try vault.requireFile().content().past
    #expect(past.map(\.kind).count == (way.leaves ? 2 : 0))
    guard way.leaves else { return }
    let restored = try vault.trash.restore(#require(vault.trash.items().first)).item
    #expect(restored.id == item.id && restored.label == "of ann" && restored.secret == nil)
    #expect(try vault.known(space()) == [CredentialValues("ann", "one")])
    #expect(
      try vault.history.entries(of: restored, withSecrets: true).map { $0.secret?.count } == [6])
    #expect(try vault.trash.items().isEmpty && vault.maintenance.verify().isClean)
  }

  @Test("is met by no lookup")
  func unseen() throws {
    let item = try add()
    try vault.setDefaultUser("ann", for: space())
    try vault.remove(item)
    #expect(try vault.findAll(ItemQuery()).isEmpty && vault.count(ItemQuery()) == 0)
    expect(.itemNotFound) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    expect(.itemNotFound) { _ = try vault.findUnique(ItemQuery(), withSecrets: true) }
    expect(.itemNotFound) { _ = try vault.item(item.id, withSecrets: true) }
    expect(.itemNotFound) { _ = try vault.item(item.id, hint: item.key, withSecrets: true) }
    expect(.itemNotFound) { _ = try vault.history.entries(of: item) }
    expect(.itemNotFound) { try vault.history.revert(item) }
    expect(.itemNotFound) { try vault.modify(item, [.comment("x")]) }
    expect(.itemNotFound) { try vault.remove(item) }
    expect(.itemNotFound) { try vault.remove(user: "ann", for: space()) }
    expect(.itemNotFound) { try vault.move(user: "ann", for: space(), to: .session) }
    #expect(try vault.credentials(for: space()).isEmpty && vault.users(for: space()).isEmpty)
    #expect(try vault.defaultCredential(for: space()) == nil)
    #expect(try vault.allCredentials().isEmpty && vault.maintenance.expired().isEmpty)
    #expect(try vault.candidates(ItemQuery(space())).isEmpty)
    let candidates = try vault.candidates(
      [ItemQuery(space())], defaultsOf: [space()], at: space().host)
    #expect(candidates.found.isEmpty)
    let snapshot = VaultSnapshot(of: vault)
    _ = try snapshot.refresh()
    #expect(try snapshot.candidates(for: nil).isEmpty)
    #expect(try vault.maintenance.information().itemCount == 0)
    // The default was kept, as always, and applies again with the item.
    try vault.trash.restore(#require(vault.trash.items().first))
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "one"))
  }

  @Test("the session has none")
  func session() throws {
    let added = try vault.add(item(), persistence: .session).item
    try vault.remove(added)
    #expect(try vault.trash.items().isEmpty)
    let memory = Vault.inMemory()
    #expect(try memory.trash.items().isEmpty && memory.trash.days == 0)
    expect(.unsupported) { try memory.trash.setDays(3) }
    expect(.unsupported) { try memory.trash.empty() }
    try vault.remove(add())
    expect(.unsupported) { try memory.trash.restore(#require(vault.trash.items().first)) }
  }

  @Test("a locked vault shows nothing of it")
  func locked() throws {
    try vault.remove(add())
    let removed = try #require(vault.trash.items().first)
    try vault.lock()
    expect(.locked) { _ = try vault.trash.items() }
    expect(.locked) { try vault.trash.restore(removed) }
    expect(.locked) { try vault.trash.empty() }
    expect(.locked) { _ = try vault.trash.days }
    expect(.locked) { try vault.trash.setDays(3) }
  }

  // MARK: Looking, emptying, bringing back

  @Test("what matches is listed, the last first, and as many as are wanted")
  func listed() throws {
    for account in ["ann", "bob", "carol"] {
      try vault.remove(add(account))
      clock.pass(Self.day)
    }
    #expect(try vault.trash.items().map(\.item.account) == ["carol", "bob", "ann"])
    var query = ItemQuery(try space())
    query.limit = 2
    #expect(try vault.trash.items(query).map(\.item.account) == ["carol", "bob"])
    query.account = .equals("ann")
    #expect(try vault.trash.items(query).map(\.item.account) == ["ann"])
    query.server = .equals(try HostName("other.example"))
    #expect(try vault.trash.items(query).isEmpty)
    query.limit = 0
    #expect(try vault.trash.items(query).isEmpty)
  }

  @Test("what matches is removed for good, with what it had before")
  func emptied() throws {
    for account in ["ann", "bob"] { try vault.remove(add(account)) }
    var query = ItemQuery()
    query.account = .equals("ann")
    #expect(try vault.trash.empty(query) == 1 && accounts() == ["bob"])
    #expect(try vault.trash.empty() == 1 && vault.trash.empty() == 0)
    #expect(try vault.requireFile().content().past.isEmpty)
  }

  @Test("one of a transaction that fails stays where it was")
  func transaction() throws {
    try vault.remove(add())
    let removed = try #require(vault.trash.items().first)
    expect(.interrupted) {
      try vault.write { (transaction) throws(VaultError) in
        let item = try transaction.restore(removed).item
        let (rest, days) = (try transaction.trash(), try transaction.trashDays)
        #expect(rest.isEmpty && days == 30)
        try transaction.setTrashDays(4)
        try transaction.remove(item)
        try transaction.remove(transaction.trash()[0])
        try transaction.emptyTrash()
        throw VaultError(.interrupted, "by the test")
      }
    }
    #expect(try accounts() == ["ann"] && vault.trash.days == 30)
  }

  @Test("what is there for too long goes with a purge, which gives back only items")
  func purged() throws {
    try vault.remove(add("ann"))
    clock.pass(Self.day * 20)
    try vault.remove(add("bob"))
    clock.pass(Self.day * 10)
    #expect(try accounts() == ["bob"])
    #expect(try vault.maintenance.purge().isEmpty)
    #expect(try vault.requireFile().content().past.map(\.key.account) == ["bob", "bob"])
    clock.pass(Self.day * 20)
    try vault.maintenance.purge()
    #expect(try vault.requireFile().content().past.isEmpty)
  }

  // MARK: Policy

  @Test("a lifetime holds there, and until when an item may be kept is decided anew")
  func lifetime() throws {
    let item = try add()
    let set = item.secretChanged
    try rule { $0.lifetime = Self.day * 3 }
    clock.pass(Self.day)
    try vault.remove(item)
    #expect(try vault.trash.items().map(\.restorableUntil) == [set.adding(Self.day * 3)])
    #expect(try vault.policy.excesses().allSatisfy { $0.kind == .previousSecret })
    try rule { $0.lifetime = Self.day * 2 }
    #expect(try vault.policy.excesses().contains { $0.kind == .removedItem })
    let restored = try vault.trash.restore(#require(vault.trash.items().first))
    #expect(restored.item.keptUntil == set.adding(Self.day * 2))
    #expect(try vault.history.entries(of: restored.item).allSatisfy { $0.keptUntil != nil })
    try vault.remove(restored.item)
    try rule { $0.lifetime = .seconds(60) }
    expect(.expired) { try vault.trash.restore(#require(vault.trash.items().first)) }
    try vault.policy.apply()
    #expect(try vault.requireFile().content().past.isEmpty)
  }

  @Test(
    "of the end that an item had and that of the rule when it is removed the earlier one holds there",
    arguments: [(1, 3), (3, 1)])
  func earlierEnd(before: Int, after: Int) throws {
    try rule { $0.lifetime = Self.day * before }
    let item = try add()
    try rule { $0.lifetime = Self.day * after }
    try vault.remove(item)
    let end = item.secretChanged.adding(Self.day)
    #expect(try vault.trash.items().map(\.restorableUntil) == [end])
  }

  @Test("what the policy grants less comes back so, and stays in the trash until that is applied")
  func lesser() throws {
    try vault.remove(add())
    let removed = try #require(vault.trash.items().first)
    try rule { $0.maximumPersistence = .session }
    let stored = try vault.trash.restore(removed)
    #expect(stored.item.persistence == .session && stored.decision.granted == .session)
    #expect(try vault.known(space()) == [CredentialValues("ann", "one", .session)])
    #expect(try accounts() == ["ann"])
    try rule { $0.maximumPersistence = .none }
    #expect(try vault.trash.restore(removed).item.persistence == .none)
    try rule { $0.refuse = true }
    expect(.policyRefused) { try vault.trash.restore(removed) }
    try vault.policy.apply()
    #expect(try vault.trash.items().isEmpty && vault.requireFile().content().past.isEmpty)
  }

  @Test("what waits for acceptance elsewhere comes back at once: it was kept before")
  func acceptance() throws {
    try vault.remove(add())
    try rule { $0.persistOnlyAfterAcceptance = true }
    #expect(
      try vault.trash.restore(#require(vault.trash.items().first)).item.persistence == .permanent)
  }

  // MARK: Observers and others

  @Test("observers are told of what comes back as of what is added, and of nothing else")
  func events() throws {
    let item = try add()
    let recorder = EventRecorder()
    let observation = vault.events.observe(recorder)
    try vault.remove(item)
    #expect(recorder.take() == [.removed(VaultEvent.Subject(item))])
    _ = try vault.trash.items()
    try vault.trash.setDays(10)
    #expect(recorder.take().isEmpty)
    try vault.trash.restore(#require(vault.trash.items().first))
    #expect(recorder.take() == [.added(VaultEvent.Subject(item))])
    try vault.remove(item)
    _ = recorder.take()
    try vault.trash.empty()
    #expect(recorder.take().isEmpty)
    observation.cancel()
  }

  @Test("what another program deleted comes back here, once")
  func others() throws {
    try vault.remove(add())
    let removed = try #require(vault.trash.items().first)
    let copy = clocked.fixture.folder.file("copy.vault")
    try vault.maintenance.backup(to: copy)
    let other = try Vault.open(path: copy, key: clocked.fixture.key)
    #expect(try other.trash.items().map(\.id) == [removed.id])
    try vault.trash.restore(removed)
    expect(.itemNotFound) { try vault.trash.restore(removed) }
    #expect(try other.trash.restore(removed).item.id == removed.id.item)
    try other.close()
  }

  @Test("what is deleted under a policy that cannot be read is there, and does not come back yet")
  func tooNew() throws {
    let item = try add()
    var rule = PersistencePolicy.Rule(name: "later")
    rule.lifetime = Self.day
    let body = PolicyRuleRecord(rule, position: 1).encoded + [54, 1, 1]
    try vault.requireFile().write { (transaction) throws(VaultError) in
      try transaction.editor.insert(
        Record(kind: RecordKind.policyRule, body: body), at: .rule(rule.id))
      transaction.knownPolicy = nil
    }
    expect(.tooNew) { _ = try vault.policy.current() }
    try vault.remove(item)
    let removed = try #require(vault.trash.items().first)
    expect(.tooNew) { try vault.trash.restore(removed) }
    #expect(try accounts() == ["ann"])
  }
}
