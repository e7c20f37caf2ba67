import VaultReports
import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@Suite("machines whose clocks are a day apart")
struct ClockTests {
  private static let hour: Int64 = 3_600_000
  private let fleet: MachineFleet
  private let ahead: FileStore
  private let behind: FileStore

  init() throws {
    fleet = try MachineFleet()
    ahead = try fleet.clone(.machine(fleet.build), time: Self.clock(24))
    behind = try fleet.clone(.machine(fleet.web), time: Self.clock(-24))
  }

  private static func clock(_ hours: Int64) -> TimeSource {
    TimeSource(
      now: { Timestamp(milliseconds: Timestamp.now().milliseconds + hours * hour) },
      session: SessionTime.now)
  }

  private func item(expiringIn hours: Int64) throws -> Item {
    var item = Item(
      server: try HostName("a.example.com"), account: "ann", secret: Secret("one"))
    item.expires = Timestamp(milliseconds: Timestamp.now().milliseconds + hours * Self.hour)
    return item
  }

  /// Returns whether a machine that caught up finds the secret.
  private func hasSecret(_ store: FileStore) throws -> Bool {
    _ = try store.sync()
    return try store.find(ItemQuery(), withSecrets: true).contains { $0.secret != nil }
  }

  @Test("what expires has expired for all once the clock that is ahead has written, and stays so")
  func expiry() throws {
    _ = try behind.add(item(expiringIn: 12))
    #expect(try hasSecret(behind) && hasSecret(fleet.first) && !hasSecret(ahead))
    // Reading tells nobody.
    #expect(try hasSecret(fleet.first))
    try ahead.commit()
    #expect(try !hasSecret(behind) && !hasSecret(fleet.first))
    try behind.commit()
    #expect(try !hasSecret(behind) && !hasSecret(fleet.first))
  }

  @Test("what expires later than the clock that is ahead says is there for all")
  func later() throws {
    _ = try ahead.add(item(expiringIn: 36))
    for store in [behind, fleet.first, ahead] { #expect(try hasSecret(store)) }
  }

  @Test("the order of commits is that of the server, and no change is earlier than the one before")
  func order() throws {
    for store in [behind, ahead, behind, fleet.first] { try store.commit() }
    for store in [behind, ahead, fleet.first] {
      _ = try store.sync()
      let commits = try store.commits(limit: 4)
      #expect(commits.map(\.machine) == ["admin", "web", "build", "web"])
      #expect(commits.map(\.time) == commits.map(\.time).sorted(by: >))
      #expect(commits.allSatisfy { $0.isValid })
      #expect(try store.verify().problems == [])
    }
  }

  @Test("a change on the newest state wins, whatever the clocks say")
  func lastChange() throws {
    let added = try ahead.add(item(expiringIn: 1000))
    _ = try behind.sync()
    let changed = try behind.modify(added.id, hint: added.key, [.label("behind")])
    for store in [ahead, fleet.first] {
      _ = try store.sync()
      #expect(try store.find(ItemQuery(), withSecrets: false).map(\.label) == ["behind"])
    }
    #expect(changed.modified >= added.modified)
  }

  @Test("a merge that prefers the newer side believes the clocks")
  func merge() throws {
    let added = try fleet.first.add(item(expiringIn: 1000))
    let away = fleet.server.copied()
    let copy = try fleet.clone(.machine(fleet.build), from: away, time: Self.clock(24))
    _ = try copy.modify(added.id, hint: added.key, [.label("ahead")])
    _ = try fleet.first.modify(added.id, hint: added.key, [.label("here")])
    _ = try fleet.first.merge(
      copy.path.path, key: .machine(fleet.admin), keyFile: nil, lockTimeout: .seconds(5),
      otherKey: { (_) throws(VaultError) in .machine(fleet.build) },
      decisions: MergeDecisions(isDryRun: false, preference: .newer) {
        (_) throws(VaultError) in nil
      })
    #expect(try fleet.first.find(ItemQuery(), withSecrets: false).map(\.label) == ["ahead"])
    let times = try fleet.first.commits(limit: 2).map(\.time)
    #expect(times[0].milliseconds > times[1].milliseconds + 20 * Self.hour)
    _ = try behind.sync()
    #expect(try behind.commits() == fleet.first.commits())
    #expect(try behind.verify().problems == [])
  }
}
