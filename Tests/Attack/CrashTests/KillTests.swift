import AttackSupport
import Glibc
import StoreTesting
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A writer that is killed leaves the state before or after its operation, and a vault that
/// verifies.
@Suite(.waiting) struct KillTests {
  /// Half of the kills of each kind of work, on each side.
  private static let kills = Sanitizer.isActive ? 20 : 100

  @Test(arguments: Workload.allCases)
  func `A kill between the first write and the commit leaves the state before`(
    workload: Workload
  ) throws {
    let fixture = try VaultFixture(holding: workload.base)
    var random = SystemRandomNumberGenerator()
    var (done, hot) = (0, 0)
    for _ in 0..<Self.kills {
      let count = Int.random(in: 0...3, using: &random)
      let driver = try fixture.driver(
        "write",
        [
          "workload": workload.rawValue, "first": "\(done)", "count": "\(count)",
          "switch": "before-commit", "call": "\(Int.random(in: 1...60, using: &random))",
        ])
      let acknowledged = driver.lines()
      try #require(driver.wait() == .killed(signal: SIGKILL))
      #expect(acknowledged == (done..<done + count).map(String.init))
      done += count
      // The proof that it was within the transaction: only a commit removes the journal.
      #expect(try fixture.leftovers() == ["v-journal"])
      hot += try File.read(fixture.vault + "-journal").first ?? 0 != 0 ? 1 : 0
      try expectState(of: fixture, workload, [done])
    }
    // Kills only before the journal's first sync would prove little.
    #expect(hot > Self.kills / 10)
    try expectTidy(fixture)
  }

  @Test(arguments: Workload.allCases)
  func `A kill at any moment leaves the state before or after, and loses nothing acknowledged`(
    workload: Workload
  ) throws {
    let fixture = try VaultFixture(holding: workload.base)
    var random = SystemRandomNumberGenerator()
    var done = 0
    for round in 0..<Self.kills {
      // Every other one by the clock, the rest at a system call that may be the commit or after it.
      let isTimed = round % 2 == 0
      let driver = try fixture.driver(
        "write",
        [
          "workload": workload.rawValue, "first": "\(done)", "count": "1",
          "switch": isTimed ? "none" : "anywhere",
          "call": "\(Int.random(in: 1...20, using: &random))",
        ])
      var acknowledged: [String] = []
      if isTimed, let line = driver.line() {
        acknowledged.append(line)
        usleep(UInt32.random(in: 0...3000, using: &random))
        driver.signal(SIGKILL)
      }
      acknowledged += driver.lines()
      try #require(driver.wait() == .killed(signal: SIGKILL))
      #expect(acknowledged == (done..<done + acknowledged.count).map(String.init))
      done += acknowledged.count
      done += try expectState(of: fixture, workload, [done, done + 1]) ?? 0
    }
    try expectTidy(fixture)
  }

  @Test
  func `A kill of the write that stores the heads before it leaves the state before or after`()
    throws
  {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let done = 61
    for number in 0..<done {
      try fixture.withStore { (store) throws(VaultError) in
        _ = try store.add(Workload.item("add\(number)", "secret of \(number)"))
      }
    }
    // Of generation 63.
    let before = try File.read(fixture.vault)
    var states: Set<Int> = []
    for call in stride(from: 1, to: 120, by: 4) {
      try File.write(before, to: fixture.vault)
      try File.remove(fixture.seenPath())
      let driver = try fixture.driver(
        "write",
        [
          "workload": Workload.add.rawValue, "first": "\(done)", "count": "0",
          "switch": "anywhere", "call": "\(call)",
        ])
      let acknowledged = driver.lines().count
      try #require(driver.wait() == .killed(signal: SIGKILL))
      let count = done + acknowledged
      let more = try expectState(of: fixture, .add, [count, count + 1]) ?? 0
      states.insert(acknowledged + more)
      if try fixture.leftovers() != [] { try File.remove(fixture.vault + "-journal") }
    }
    #expect(states.isSuperset(of: [0, 1]))
  }

  /// Expects the vault to have its content after one of `counts` operations, complete and alone in
  /// its folder.
  ///
  /// - Returns: Which of them it is, as an index.
  @discardableResult
  private func expectState(
    of fixture: VaultFixture, _ workload: Workload, _ counts: [Int]
  ) throws -> Int? {
    #expect(Set(try fixture.leftovers()).isSubset(of: ["v-journal"]))
    let contents = try fixture.contents()
    let index = counts.firstIndex { workload.state(after: $0) == contents }
    #expect(index != nil, "neither the state before nor the one after")
    #expect(try fixture.problems() == [])
    if try fixture.leftovers() != [] {
      // Killed before its first sync: the journal's header is zeros, it is not hot, and SQLite
      // leaves it to the next writer (<https://sqlite.org/fileformat2.html#the_rollback_journal>).
      #expect(try File.read(fixture.vault + "-journal").first ?? 0 == 0)
    }
    return index
  }

  /// Expects that a writer that ends well leaves nothing beside the vault.
  private func expectTidy(_ fixture: VaultFixture) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item("last", "last"))
    }
    #expect(try fixture.leftovers() == [])
    #expect(try fixture.problems() == [])
  }
}
