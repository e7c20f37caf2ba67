import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultModel

/// A system call fails at any position of a commit: the disk is full, or broken.
@Suite(.waiting) struct FaultTests {
  enum DiskFault: String, CaseIterable, Sendable {
    case full, broken
    var number: Int32 { self == .full ? ENOSPC : EIO }
  }

  @Test(arguments: DiskFault.allCases, ["once", "from"])
  func `A failing call gives an error and the state before, or success and the state after`(
    fault: DiskFault, how: String
  ) throws {
    var unknownOutcomes = 0
    for workload in [Workload.add, .batch] {
      var call = 1
      var wasBeyond = false
      while !wasBeyond {
        let fixture = try VaultFixture(holding: workload.base)
        let driver = try fixture.driver(
          "fail",
          [
            "workload": workload.rawValue, "first": "0", "second": "1", "switch": how,
            "call": "\(call)", "errno": "\(fault.number)",
          ])
        let lines = driver.lines()
        let words = try #require(lines.first).split(separator: " ")
        try #require(words.count == 2)
        let (outcome, calls) = (words[0], try #require(Int(words[1])))
        wasBeyond = calls < call
        if outcome == "outcome-unknown" { unknownOutcomes += 1 }
        try expect(outcome, wasBeyond: wasBeyond, in: fixture, workload, lines)
        #expect([.exited(0), .exited(1)].contains(driver.wait()))
        call += 1
      }
      // A commit has a journal, pages, syncs and an unlink.
      #expect(call > 12)
    }
    // If every call fails from the commit on, nobody can read the result.
    #expect((unknownOutcomes > 0) == (how == "from"))
  }

  private func expect(
    _ outcome: Substring, wasBeyond: Bool, in fixture: VaultFixture, _ workload: Workload,
    _ lines: [String]
  ) throws {
    let contents = try fixture.contents()
    let isWorking = lines.last == "done"
    if wasBeyond { #expect(outcome == "done") }
    if outcome == "done" {
      #expect(isWorking)
      #expect(contents == workload.state(after: 2))
    } else if outcome == "outcome-unknown" {
      // Either result is valid; the next operation needs the first one for a batch.
      #expect([0, 1, 2].contains { workload.state(after: $0) == contents } || isWorking)
    } else {
      #expect(outcome == "input-output", "after a failed call")
      // Operation 1 of a batch removes an item that operation 0 adds, and so fails without it.
      #expect(
        contents == (isWorking ? workload.state(after: 2, without: 0) : workload.state(after: 0)))
    }
    #expect(try fixture.problems() == [])
  }
}
