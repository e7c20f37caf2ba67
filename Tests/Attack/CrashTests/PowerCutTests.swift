import AttackSupport
import Glibc
import TestTraits
import Testing
import VaultModel

/// The power fails at any moment, and the disk keeps any part of the writes that were not
/// synchronized.
@Suite(.waiting) struct PowerCutTests {
  private static let operations = 12

  /// A disk that a program works on.
  struct Medium: Sendable, CustomTestStringConvertible {
    /// The size of a sector in bytes.
    let sector: Int
    /// If false, SQLite is told that a write may spoil the surrounding bytes in its sector.
    let isPowersafe: Bool

    var testDescription: String { "\(sector)\(isPowersafe ? "" : ", not power-safe")" }

    static let all = [512, 4096].flatMap { sector in
      [true, false].map { Medium(sector: sector, isPowersafe: $0) }
    }
  }

  /// Records a program's operations on the vault of a fixture.
  private func record(
    _ fixture: VaultFixture, _ work: [String: String], on medium: Medium = Medium.all[0]
  ) throws -> (start: [UInt8], trace: Trace) {
    let start = try File.read(fixture.vault)
    let driver = try fixture.driver(
      "trace",
      [
        "trace": fixture.folder("trace"), "state": fixture.stateFolder, "target": fixture.target,
        "backup": fixture.backup, "sector": "\(medium.sector)",
        "powersafe": medium.isPowersafe ? "1" : "0",
      ].merging(work) { $1 })
    try #require(driver.lines() == ["done"])
    try #require(driver.wait() == .exited(0))
    return (start, try Trace(File.read(fixture.folder("trace"))))
  }

  /// Records a workload, ready to be cut anywhere; `spoil` may remove something from the trace.
  private func cuts(
    of workload: Workload, on medium: Medium = Medium.all[0], cachePages: Int? = nil,
    spoil: (Trace) -> Trace = { $0 }
  ) throws -> (cuts: PowerCuts, trace: Trace) {
    let fixture = try VaultFixture(holding: workload.base(Workload.baseCount))
    if let cachePages {
      try Database.run("PRAGMA default_cache_size = \(cachePages)", on: fixture.vault)
    }
    let work = ["workload": workload.rawValue, "count": "\(Self.operations)"]
    let (start, trace) = try record(fixture, work, on: medium)
    try #require(trace.marks.count == Self.operations + 1)
    let states = (0...Self.operations).map {
      VaultContent(items: workload.state(after: $0, of: Workload.baseCount))
    }
    return (try PowerCuts(states, key: fixture.key, start: start, trace: spoil(trace)), trace)
  }

  private func expectNothingLost(_ cuts: PowerCuts, _ count: Int, on medium: Medium) {
    let tally = cuts.run(cuts.cuts(count, on: medium.sector, medium.isPowersafe, seed: 1))
    #expect(tally.wrong == [])
    #expect(tally.lost == 0)
    // Cuts that all came too early or too late would prove little.
    #expect(tally.before > 0 && tally.after > 0 && tally.replayed > 0)
  }

  @Test(arguments: Workload.allCases, Medium.all)
  func `A power cut loses nothing acknowledged, and leaves the state before or after`(
    workload: Workload, medium: Medium
  ) throws {
    expectNothingLost(try cuts(of: workload, on: medium).cuts, 200, on: medium)
  }

  @Test(arguments: Medium.all)
  func `Nor does one within a transaction that outgrew SQLite's cache`(medium: Medium) throws {
    let (cuts, trace) = try cuts(of: .batch, on: medium, cachePages: 1)
    // Pages of the vault are written before the commit, and the journal grows again after that.
    try #require(trace.spills >= Self.operations)
    // Its commits are a small part of its many steps.
    expectNothingLost(cuts, 400, on: medium)
  }

  /// An administrator's operations, each on the result of the one before it.
  private static let administration: [Operation] = [
    .passwd, .add, .rekey, .addSlot, .removeSlot, .modify, .restore, .large, .rekey,
  ]

  @Test(arguments: Medium.all)
  func `Nor does one while slots are changed, the vault is rekeyed, or a backup is restored`(
    medium: Medium
  ) throws {
    let fixture = try Operation.passwd.fixture()
    try Operation.restore.prepare(fixture)
    var states = [try #require(fixture.look().vault)]
    let undisturbed = try VaultFixture(copying: fixture)
    for (number, operation) in Self.administration.enumerated() {
      let driver = try undisturbed.driver(
        "operate",
        [
          "operation": operation.rawValue, "number": "\(number)", "target": fixture.target,
          "backup": undisturbed.backup, "call": "\(Int32.max)",
        ])
      try #require(driver.lines().first?.hasPrefix("done") == true)
      try #require(driver.wait() == .exited(0))
      states.append(try #require(undisturbed.look().vault))
    }
    // Two equal states could not be distinguished after a cut.
    try #require(zip(states, states.dropFirst()).allSatisfy { $0 != $1 })
    let work = ["operations": Self.administration.map(\.rawValue).joined(separator: ",")]
    let (start, trace) = try record(fixture, work, on: medium)
    try #require(trace.marks.count == states.count)
    let cuts = try PowerCuts(states, key: fixture.key, start: start, trace: trace)
    expectNothingLost(cuts, 150, on: medium)
  }

  @Test(arguments: Workload.allCases)
  func `Where the folder is not synchronized after a commit, cuts are seen to lose it`(
    workload: Workload
  ) throws {
    let cuts = try cuts(of: workload, spoil: \.withoutFolders).cuts
    #expect(cuts.run(cuts.cuts(100, on: 512, true, seed: 1)).lost > 0)
  }

  @Test func `Where nothing is synchronized, cuts are seen to break the vault`() throws {
    let cuts = try cuts(of: .batch, spoil: \.withoutSynchronizing).cuts
    let tally = cuts.run(cuts.cuts(100, on: 512, true, seed: 1))
    #expect(tally.wrong != [])
    #expect(tally.lost > 0)
  }
}
