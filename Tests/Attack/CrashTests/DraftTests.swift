import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Files under a temporary name, when the program that makes them ends early.
@Suite(.waiting) struct DraftTests {
  private static let makers: [Operation] = [
    .create, .clone, .backup, .restore, .restoreRekeyed, .restoreMissing, .restoreUnreadable,
  ]

  @Test(arguments: makers)
  func `A signal that ends a program leaves no file under a temporary name, at any moment`(
    operation: Operation
  ) throws {
    let prepared = try operation.fixture()
    let signals = [SIGINT, SIGTERM, SIGHUP]
    // The switch also stops at the end of each journal, so the calls are counted first.
    let counted = try VaultFixture(copying: prepared)
    // Its folder is there as long as it is.
    defer { withExtendedLifetime(counted) {} }
    let counter = try driver(operation, in: counted, ["call": "\(Int32.max)", "switch": ""])
    let words = try #require(counter.lines().first).split(separator: " ")
    try #require(counter.wait() == .exited(0))
    let calls = try #require(words.last.flatMap { Int($0) })
    var found = 0
    for call in 1...calls {
      let fixture = try VaultFixture(copying: prepared)
      let driver = try driver(operation, in: fixture, ["call": "\(call)", "signals": "program"])
      guard driver.wait() == .stopped else { continue }
      found += try drafts(in: fixture).isEmpty ? 0 : 1
      let signal = signals[call % signals.count]
      driver.signal(signal)
      driver.signal(SIGCONT)
      #expect(driver.wait() == .killed(signal: signal))
      #expect(try drafts(in: fixture) == [], "call \(call)")
    }
    // A new replica has its journal in memory, and makes the fewest calls.
    #expect(calls > 4 && found > 1, "\(calls) calls, \(found) drafts")
  }

  @Test(arguments: [Operation.create, .clone, .restore])
  func `What a kill leaves is removed by the next program that makes a file beside it`(
    operation: Operation
  ) throws {
    let prepared = try operation.fixture()
    var (call, isDone, found) = (0, false, 0)
    while !isDone {
      call += 1
      let fixture = try VaultFixture(copying: prepared)
      let driver = try driver(operation, in: fixture, ["call": "\(call)", "switch": ""])
      guard driver.wait() == .killed(signal: SIGKILL) else {
        isDone = true
        continue
      }
      found += try drafts(in: fixture).isEmpty ? 0 : 1
      let other = fixture.folder("vault/other")
      try fixture.withStore { (store) throws(VaultError) in _ = try store.backUp(to: other) }
      #expect(try drafts(in: fixture) == [], "call \(call)")
    }
    #expect(call > 4 && found > 1, "\(call) calls, \(found) drafts")
  }

  @Test(arguments: [Operation.create, .restore], [3, 6])
  func `A file in the making is not taken from its maker`(operation: Operation, call: Int) throws {
    let fixture = try operation.fixture()
    let driver = try driver(operation, in: fixture, ["call": "\(call)"])
    #expect(driver.wait() == .stopped)
    let drafts = try drafts(in: fixture)
    #expect(!drafts.isEmpty)
    // Another vault, because a restore that is stopped may have the lock of its own.
    let other = try FileStore.create(
      VaultPath(fixture.folder("vault/other")), key: fixture.key, slotName: "", cost: .minimum,
      stateFolder: fixture.stateFolder, lockTimeout: .seconds(10))
    try other.close()
    #expect(try self.drafts(in: fixture) == drafts)
    driver.signal(SIGCONT)
    #expect(driver.lines().first?.hasPrefix("done") == true)
    #expect(driver.wait() == .exited(0))
    #expect(try self.drafts(in: fixture) == [])
  }

  /// Starts an operation that is stopped at a system call, unless the arguments say otherwise.
  private func driver(
    _ operation: Operation, in fixture: VaultFixture, _ arguments: [String: String]
  ) throws -> DriverProcess {
    let all = [
      "operation": operation.rawValue, "target": fixture.target, "backup": fixture.backup,
      "switch": "stop",
    ]
    return try fixture.driver("operate", all.merging(arguments) { $1 })
  }

  private func drafts(in fixture: VaultFixture) throws -> [String] {
    try fixture.leftovers().filter { $0.hasSuffix(".new") || $0.hasSuffix(".new-journal") }
  }
}
