import AttackSupport
import CFaultVFS
import TestTraits
import Testing

/// One of SQLite's calls to the system fails, at each position.
@Suite(.waiting) struct FailingCallTests {
  /// The result of an operation one of whose calls failed.
  private struct Outcome: CustomStringConvertible {
    let description: String
    let fault: Fault
    let isBeyond: Bool
    let code: String
    let state: String
    let wentOn: Bool
    let problems: String

    init(_ line: String) throws {
      description = line
      let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: false)
      try #require(words.count == 6)
      fault = try #require(Fault.all.first { $0.name == words[0] })
      isBeyond = words[1] == "beyond"
      code = String(words[2])
      state = String(words[3])
      wentOn = words[4] == "true"
      problems = String(words[5])
    }
  }

  @Test(arguments: Operation.allCases.filter(\.hasVault))
  func `A failing call gives an error and the state before, or success and the state after`(
    operation: Operation
  ) throws {
    let folder = try Folder()
    let driver = try DriverProcess(
      "fail-everywhere", ["operation": operation.rawValue, "state": folder("state/vaultctl")],
      environment: ["XDG_STATE_HOME": folder("state")])
    let control = try #require(driver.line())
    try #require(control == "control true \(operation.isInvisible) 0")
    var reached: Set<String> = []
    for line in driver.lines() {
      let outcome = try Outcome(line)
      #expect(outcome.wentOn && outcome.problems.isEmpty, "\(outcome)")
      if !outcome.isBeyond { reached.insert(outcome.fault.name) }
      let isUnknown = outcome.code == "outcome-unknown"
      if outcome.code == "done" {
        #expect(outcome.state == "after", "\(outcome)")
      } else if isUnknown {
        // If reading fails too, the state is unknown.
        #expect(outcome.fault.extent == fault_vfs_from && outcome.state != "other", "\(outcome)")
      } else {
        // SQLite's own check calls every page damaged that it cannot read.
        let isChecked = operation == .compact && outcome.code == "damaged"
        #expect(outcome.fault.errors.contains(outcome.code) || isChecked, "\(outcome)")
        // A new vault that cannot be opened was made all the same.
        let states =
          operation == .create ? ["before", "after"] : [operation.isInvisible ? "after" : "before"]
        #expect(states.contains(outcome.state), "\(outcome)")
      }
    }
    #expect(driver.wait() == .exited(0))
    var expected: Set = ["read", "lock"]
    if !operation.isReading { expected.formUnion(["open", "write"]) }
    // A new replica has its journal in memory.
    if !operation.isReading, operation != .clone { expected.insert("delete") }
    // SQLite synchronizes no backup and no new replica: the vault does, when it is finished.
    if !operation.isReading, ![.backup, .clone].contains(operation) { expected.insert("sync") }
    #expect(reached.isSuperset(of: expected))
  }
}
