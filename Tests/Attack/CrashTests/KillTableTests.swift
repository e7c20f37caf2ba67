import AttackSupport
import Glibc
import SealedTree
import StoreTesting
import TestTraits
import Testing
import VaultStore
import VaultModel

/// A program is killed at each moment of each operation.
@Suite(.waiting) struct KillTableTests {
  @Test(arguments: Operation.allCases.filter { !$0.isReading })
  func `A kill at any moment leaves the state before or after, and a vault that goes on`(
    operation: Operation
  ) throws {
    let prepared = try operation.fixture()
    let before = try prepared.look()
    let undisturbed = try VaultFixture(copying: prepared)
    // As below: a first use writes the records too.
    _ = try undisturbed.look()
    let calls = try calls(of: operation, in: undisturbed)
    let after = try undisturbed.look()
    try #require(
      (before == after) == operation.isInvisible && after.error == nil && after.problems == [])
    #expect(operation.hasVault == (before.error == nil && before.vault != nil))
    var found = (before: 0, after: 0)
    for call in 1...calls {
      let fixture = try VaultFixture(copying: prepared)
      // The records of the vault must not contradict it afterwards.
      _ = try fixture.look()
      let driver = try driver(operation, in: fixture, call: call)
      let lines = driver.lines()
      let end = driver.wait()
      // A new key changes the positions of records, which can take a few calls less than when they
      // were counted.
      if operation == .rekey || operation == .restoreRekeyed, end == .exited(0) {
        #expect(call > calls - 4 && lines.first?.hasPrefix("done ") == true)
        continue
      }
      try #require(lines == [] && end == .killed(signal: SIGKILL))
      try expectLeftovers(of: operation, in: fixture)
      let state = try fixture.look()
      #expect(state == before || state == after, "neither before nor after, at call \(call)")
      if state == before { found.before += 1 } else { found.after += 1 }
      if state.vault == nil {
        _ = try self.calls(of: operation, in: fixture)
        #expect(try fixture.look() == after)
      } else {
        try expectGoingOn(fixture, state)
      }
    }
    // The first call changes nothing permanently, and after the last the operation is done.
    #expect(found.before > 0 && (found.after > 0 || operation.isInvisible))
  }

  @Test(arguments: Operation.allCases.filter(\.hasTarget))
  func `Where files cannot be renamed unless they replace others, a vault is made all the same`(
    operation: Operation
  ) throws {
    let fixture = try operation.fixture()
    // The error of a file system that knows no flags of renameat2(2).
    let driver = try fixture.driver(
      "operate",
      [
        "operation": operation.rawValue, "target": fixture.target, "backup": fixture.backup,
        "errno": "\(EINVAL)",
      ])
    #expect(driver.lines().first?.hasPrefix("done") == true)
    #expect(driver.wait() == .exited(0))
    #expect(try fixture.leftovers().filter { $0 != "b" } == ["t"])
    #expect(try fixture.look().target?.problems == [])
  }

  private func driver(
    _ operation: Operation, in fixture: VaultFixture, call: Int
  ) throws -> DriverProcess {
    try fixture.driver(
      "operate",
      [
        "operation": operation.rawValue, "target": fixture.target, "backup": fixture.backup,
        "call": "\(call)",
      ])
  }

  /// Performs the operation without a kill, and returns the number of its moments.
  private func calls(of operation: Operation, in fixture: VaultFixture) throws -> Int {
    let driver = try driver(operation, in: fixture, call: .max >> 33)
    let words = try #require(driver.lines().first).split(separator: " ")
    try #require(driver.wait() == .exited(0))
    try #require(words.count == 2 && words[0] == "done")
    return try #require(Int(words[1]))
  }

  /// Expects that only a journal is beside a vault, the file that a restore keeps, and a new vault
  /// that was not finished.
  private func expectLeftovers(of operation: Operation, in fixture: VaultFixture) throws {
    let unfinished = operation.hasTarget ? ".t." : operation.isRestoring ? ".v." : "/"
    let others = try fixture.leftovers().filter { name in
      !["t", "b", "v-journal"].contains(name)
        && !(operation.isRestoring && name.hasPrefix("v.replaced-"))
        && !(name.hasPrefix(unfinished)
          && (name.hasSuffix(".new") || name.hasSuffix(".new-journal")))
    }
    #expect(others == [])
  }

  /// Expects that the next program that writes is not hindered, and leaves no journal.
  private func expectGoingOn(_ fixture: VaultFixture, _ state: FixtureContent) throws {
    try fixture.withStore { (store) throws(VaultError) in
      _ = try store.add(Workload.item("later", "later"))
    }
    var expected = state
    expected.vault?.items["later"] = "later"
    let found = try fixture.look()
    // A write migrates first.
    expected.vault?.minor = found.vault?.minor ?? 0
    #expect(found == expected)
    #expect(try !fixture.leftovers().contains("v-journal"))
  }
}
