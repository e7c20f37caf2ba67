import AttackSupport
import Testing
import VaultModel

/// The power goes at any moment, and the disk keeps what it likes of what was not synchronized.
@Suite struct PowerCutTests {
  private static let operations = 12

  /// What a program does with such a vault, written down, on a disk with such sectors; if it is not power-safe,
  /// SQLite is told that a write may spoil what lies around it in its sector.
  private func record(
    _ workload: Workload, sector: Int, isPowersafe: Bool, cachePages: Int? = nil
  ) throws -> (scene: Scene, start: [UInt8], trace: Trace) {
    let scene = try Scene(holding: workload.base(Workload.baseCount))
    if let cachePages {
      try Database.run("PRAGMA default_cache_size = \(cachePages)", on: scene.vault)
    }
    let start = try File.read(scene.vault)
    let driver = try scene.driver(
      "trace",
      [
        "workload": workload.rawValue, "count": "\(Self.operations)",
        "trace": scene.folder("trace"), "state": scene.stateFolder, "sector": "\(sector)",
        "powersafe": isPowersafe ? "1" : "0",
      ])
    try #require(driver.lines() == ["done"])
    try #require(driver.wait() == .exited(0))
    let trace = try Trace(File.read(scene.folder("trace")))
    try #require(trace.marks.count == Self.operations + 1)
    return (scene, start, trace)
  }

  @Test(arguments: Workload.allCases, [512, 4096])
  func `A power cut loses nothing acknowledged, and leaves the state before or after`(
    workload: Workload, sector: Int
  ) throws {
    for isPowersafe in [true, false] {
      let (scene, start, trace) = try record(workload, sector: sector, isPowersafe: isPowersafe)
      let cuts = PowerCuts(workload, key: scene.key, start: start, trace: trace)
      let tally = cuts.run(
        cuts.cuts(250, sector: sector, isPowersafe: isPowersafe, seed: UInt64(sector)))
      #expect(tally.wrong == [])
      #expect(tally.lost == 0)
      // Cuts that all came too early or too late would prove little.
      #expect(tally.before > 0 && tally.after > 0 && tally.replayed > 0)
    }
  }

  @Test(arguments: [512, 4096])
  func `Nor does one within a transaction that outgrew SQLite's cache`(sector: Int) throws {
    for isPowersafe in [true, false] {
      let (scene, start, trace) = try record(
        .batch, sector: sector, isPowersafe: isPowersafe, cachePages: 1)
      // Pages of the vault are written before the commit, and the journal grows again after that.
      try #require(trace.spills >= Self.operations)
      let cuts = PowerCuts(.batch, key: scene.key, start: start, trace: trace)
      let tally = cuts.run(
        cuts.cuts(250, sector: sector, isPowersafe: isPowersafe, seed: UInt64(sector)))
      #expect(tally.wrong == [])
      #expect(tally.lost == 0)
      #expect(tally.before > 0 && tally.after > 0 && tally.replayed > 0)
    }
  }

  @Test(arguments: Workload.allCases)
  func `Where the folder is not synchronized after a commit, cuts are seen to lose it`(
    workload: Workload
  ) throws {
    let (scene, start, trace) = try record(workload, sector: 512, isPowersafe: true)
    let cuts = PowerCuts(workload, key: scene.key, start: start, trace: trace.withoutFolders)
    let tally = cuts.run(cuts.cuts(100, sector: 512, isPowersafe: true, seed: 1))
    #expect(tally.lost > 0)
  }

  @Test func `Where nothing is synchronized, cuts are seen to break the vault`() throws {
    let (scene, start, trace) = try record(.batch, sector: 512, isPowersafe: true)
    let cuts = PowerCuts(
      .batch, key: scene.key, start: start, trace: trace.withoutSynchronizing)
    let tally = cuts.run(cuts.cuts(100, sector: 512, isPowersafe: true, seed: 1))
    #expect(tally.wrong != [])
    #expect(tally.lost > 0)
  }
}
