import AttackSupport
import SealedTree
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Observers of a vault that other processes use too, or whose disk fails.
@Suite(.waiting) struct ObservationTests {
  /// A store of this process, and the events that its observer got.
  private final class Watched: Sendable {
    let store: FileStore
    private let told = Lock<[VaultEvent]>([])

    init(_ fixture: VaultFixture, with key: UnlockKey, keyFile: KeyFileReader?) throws {
      store = try FileStore.open(
        VaultPath(fixture.vault), stateFolder: fixture.stateFolder, lockTimeout: .seconds(5))
      try store.unlock(with: key, keyFile: keyFile)
      _ = store.events.observe(owner: ObjectIdentifier(self)) { [told] event in
        told.withLock { $0.append(event) }
      }
    }

    deinit {
      store.events.end(ObjectIdentifier(self))
    }

    func take() -> [VaultEvent] {
      told.withLock { told in
        defer { told = [] }
        return told
      }
    }
  }

  private func watch(_ fixture: VaultFixture) throws -> Watched {
    try Watched(fixture, with: fixture.key) { [key = fixture.key] in key }
  }

  private func run(
    _ command: String, _ fixture: VaultFixture, _ arguments: [String: String] = [:]
  ) throws {
    let driver = try fixture.driver(command, arguments)
    #expect(driver.lines().allSatisfy { !$0.hasPrefix("error") })
    #expect(driver.wait() == .exited(0))
  }

  @Test func `Another process's commits are one event, at the next lookup`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let watched = try watch(fixture)
    try run("add", fixture, ["name": "other", "count": "3"])
    #expect(watched.take() == [])
    _ = try watched.store.find(ItemQuery(), withSecrets: true)
    #expect(watched.take() == [.changedElsewhere])
    _ = try watched.store.find(ItemQuery(), withSecrets: true)
    _ = try watched.store.defaults()
    #expect(watched.take() == [])
    try watched.store.close()
    #expect(watched.take() == [.locked])
  }

  @Test func `They are told before a change of one's own, also before one that fails`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let watched = try watch(fixture)
    try run("add", fixture, ["name": "first", "count": "2"])
    let added = try watched.store.add(Workload.item("own", "own"))
    #expect(watched.take() == [.changedElsewhere, .added(VaultEvent.Subject(added))])
    try run("add", fixture, ["name": "second", "count": "1"])
    #expect(throws: VaultError(.duplicateItem, "")) { try watched.store.add(added) }
    #expect(watched.take() == [.changedElsewhere])
    try watched.store.close()
  }

  @Test func `What happened while the vault was locked is told by unlocking alone`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let watched = try watch(fixture)
    try watched.store.lockUp()
    try run("add", fixture, ["name": "other", "count": "1"])
    try watched.store.unlock(with: fixture.key)
    _ = try watched.store.find(ItemQuery())
    #expect(watched.take() == [.locked, .unlocked])
    try run("add", fixture, ["name": "another", "count": "1"])
    // Unlocking an unlocked vault checks the file as well.
    try watched.store.unlock(with: fixture.key)
    #expect(watched.take() == [.changedElsewhere])
    try watched.store.close()
  }

  @Test func `A rekey elsewhere is a change to whoever has a key file, and locks others`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let watched = try watch(fixture)
    try run("rekey", fixture)
    _ = try watched.store.find(ItemQuery())
    #expect(watched.take() == [.changedElsewhere])
    try watched.store.close()
    let other = try Watched(fixture, with: fixture.key, keyFile: nil)
    try run("rekey", fixture)
    #expect(throws: VaultError(.locked, "")) {
      try other.store.find(ItemQuery())
    }
    #expect(other.take() == [.locked])
    try other.store.unlock(with: fixture.key)
    #expect(other.take() == [.unlocked])
    try other.store.close()
  }

  @Test(arguments: [false, true])
  func `A restore by another process is one change, also if another file lies there then`(
    isReplaced: Bool
  ) throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let watched = try watch(fixture)
    _ = try watched.store.backUp(to: fixture.backup)
    _ = try watched.store.add(Workload.item("later", "later"))
    _ = watched.take()
    if isReplaced { try File.move(fixture.vault, to: fixture.folder("aside")) }
    try run("restore", fixture, ["backup": fixture.backup])
    let found = try watched.store.find(ItemQuery(), withSecrets: true)
    #expect(found.count == Workload.add.base.count)
    #expect(watched.take() == [.changedElsewhere])
    try watched.store.close()
  }

  @Test func `A commit that failed is not told, and one that only seemed to fail is`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let driver = try fixture.driver("observe-failing", ["timeout": "0"])
    var outcomes: Set<String> = []
    for line in driver.lines() {
      let words = line.split(separator: " ").map(String.init)
      try #require(words.count == 5, "\(line)")
      let (fault, outcome, told, later, isThere) = (
        words[0], words[1], words[2], words[3], words[4] == "true"
      )
      outcomes.insert(outcome)
      if outcome == "done" {
        #expect(told == "added" && later == "-" && isThere, "\(line)")
        if fault.hasSuffix("-late") { outcomes.insert("found committed") }
      } else if outcome == "outcome-unknown" {
        // Reported as soon as it is known.
        #expect(told == "-" && later == (isThere ? "changed-elsewhere" : "-"), "\(line)")
      } else {
        #expect(told == "-" && later == "-" && !isThere, "\(line)")
      }
    }
    #expect(driver.wait() == .exited(0))
    #expect(
      outcomes.isSuperset(of: [
        "done", "input-output", "busy", "outcome-unknown", "found committed",
      ]))
  }

  @Test func `A forked child is told nothing, not even the rest of what its parent was told`()
    throws
  {
    let fixture = try VaultFixture()
    let driver = try fixture.driver("fork-observed")
    #expect(driver.lines() == ["child 1", "child ended", "parent 3"])
    #expect(driver.wait() == .exited(0))
  }
}
