import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: what observers are told of moves and policies")
struct PolicyObservationTests {
  typealias Subject = VaultEvent.Subject

  let fixture: Fixture
  let recorder = EventRecorder()
  let observation: VaultObserver
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    observation = fixture.vault.events.observe(recorder)
  }

  /// Adds a rule about a host.
  private func rule(
    _ host: String, _ effect: (inout PersistencePolicy.Rule) -> Void
  ) throws {
    try vault.policy.update { (rules) throws(VaultError) in
      var rule = PersistencePolicy.Rule(name: host)
      rule.host = try HostPattern(host)
      effect(&rule)
      rules.append(rule)
    }
  }

  @Test("a policy that was changed is one event, and one that stays as it was is none")
  func policy() throws {
    try rule("a.example.com") { $0.refuse = true }
    #expect(recorder.take() == [.policyChanged])
    try vault.policy.update { $0[0].note = "why" }
    #expect(recorder.take() == [.policyChanged])
    try vault.policy.update { _ in }
    expect(.invalidArgument) { try rule("a.example.com") { $0.name = "" } }
    expect(.policyRefused) { try vault.set(credential("ann", "1"), for: space("a.example.com")) }
    #expect(recorder.take() == [])
    try vault.policy.update { $0 = [] }
    #expect(recorder.take() == [.policyChanged])
  }

  @Test("a move is one event, whichever way it goes")
  func moving() throws {
    let ann = try vault.add(item()).item
    _ = recorder.take()
    let temporary = Subject(id: ann.id, space: try space(), persistence: .session)
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(recorder.take() == [.moved(temporary, from: .permanent)])
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(recorder.take() == [])
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(recorder.take() == [.moved(Subject(ann), from: .session)])
    try vault.move(user: "ann", for: space(), to: .none)
    #expect(recorder.take() == [.removed(Subject(ann))])
    expect(.itemNotFound) { try vault.move(user: "ann", for: space(), to: .session) }
    #expect(recorder.take() == [])
  }

  @Test("two items that a move makes one are told as what happens to each")
  func movingOnto() throws {
    for place in [Persistence.session, .permanent] {
      let kept = Subject(try vault.add(item(), persistence: .permanent).item)
      let temporary = Subject(try vault.add(item("ann", "two"), persistence: .session).item)
      _ = recorder.take()
      try vault.move(user: "ann", for: space(), to: place)
      let told: [VaultEvent] =
        place == .session ? [.removed(kept)] : [.modified(kept), .removed(temporary)]
      #expect(recorder.take() == told)
      try vault.remove(user: "ann", for: space())
    }
  }

  @Test("what may not move is not told")
  func refusedMove() throws {
    try vault.set(credential("ann", "1", .session), for: space())
    try rule("git.example.com") { $0.maximumPersistence = .session }
    _ = recorder.take()
    #expect(try vault.move(user: "ann", for: space(), to: .permanent).count == 1)
    #expect(recorder.take() == [])
  }

  @Test("what waits for a server is told when it is stored, and not before")
  func pending() throws {
    let rejected = try vault.pending.set(credential("ann", "1"), for: space())
    try vault.pending.reject(#require(rejected.pending))
    let accepted = try vault.pending.set(credential("ann", "2"), for: space())
    #expect(recorder.take() == [])
    let stored = try vault.pending.confirm(#require(accepted.pending)).item
    #expect(recorder.take() == [.added(Subject(stored))])
    #expect(stored.persistence == .permanent)
  }

  @Test("where it was stored is told, not where it was asked for")
  func granted() throws {
    try rule("git.example.com") { $0.maximumPersistence = .session }
    _ = recorder.take()
    try vault.set(credential("ann", "1"), for: space())
    let ann = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(recorder.take() == [.added(Subject(ann))])
    #expect(ann.persistence == .session)
  }

  @Test("what a policy takes away is told as what happens to it")
  func applying() throws {
    var items: [String: Item] = [:]
    for name in ["session", "none", "limit"] {
      items[name] = try vault.add(
        Item(space: space("\(name).example.com"), account: "ann", secret: nil)
      ).item
    }
    try rule("session.example.com") { $0.maximumPersistence = .session }
    try rule("none.example.com") { $0.maximumPersistence = .none }
    try rule("limit.example.com") { $0.lifetime = .seconds(3600) }
    _ = recorder.take()
    _ = try vault.policy.excesses()
    #expect(recorder.take() == [])
    try vault.policy.apply()
    let session = try #require(items["session"])
    let moved = Subject(id: session.id, space: session.space, persistence: .session)
    #expect(
      Set(recorder.take()) == [
        .moved(moved, from: .permanent), .removed(Subject(try #require(items["none"]))),
        .modified(Subject(try #require(items["limit"]))),
      ])
    try vault.policy.apply()
    #expect(recorder.take() == [])
  }

  @Test("what expired is told when it is removed, and not before")
  func purging() throws {
    var removed: Set<VaultEvent> = []
    for place in [Persistence.session, .permanent] {
      var ann = try item()
      ann.expires = Timestamp(milliseconds: 1)
      removed.insert(.removed(Subject(try vault.add(ann, persistence: place).item)))
    }
    _ = recorder.take()
    _ = try vault.findAll(ItemQuery())
    _ = try vault.maintenance.expired()
    #expect(recorder.take() == [])
    try vault.maintenance.purge()
    #expect(Set(recorder.take()) == removed)
  }

  @Test(
    "removing everything tells of each item and default",
    arguments: [Persistence.session, .permanent])
  func removingAll(persistence: Persistence) throws {
    try vault.setDefaultCredential(credential("ann", "1", persistence), for: space())
    try vault.set(credential("bob", "1", persistence), for: space("b.example.com"))
    let subjects = try vault.findAll(ItemQuery()).map(Subject.init)
    _ = recorder.take()
    try vault.removeAll(persistence)
    let told = recorder.take()
    #expect(told.count == 3)
    #expect(Set(told) == Set(subjects.map(VaultEvent.removed) + [.defaultChanged(try space())]))
  }
}
