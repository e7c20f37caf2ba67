import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
package import VaultCrypto
import VaultStore
import VaultModel

/// A trace of several operations, and the state of their vault if the power is cut at any moment of
/// it.
package struct PowerCuts: Sendable {
  package struct Cut: Sendable {
    /// The number of steps of the trace that were done.
    package let steps: Int
    package let wear: Disk.Wear
    package let seed: UInt64
  }

  /// The results of many cuts.
  package struct Tally: Sendable {
    /// Cuts within an operation that left the state before it.
    package var before = 0
    package var after = 0
    /// Cuts that left a journal which was replayed.
    package var replayed = 0
    /// Cuts after which an acknowledged commit was lost, which is forbidden.
    package var lost = 0
    /// The first few other forbidden results.
    package var wrong: [String] = []
  }

  /// The content of the vault before the first operation, and after each.
  private let states: [VaultContent]
  private let key: UnlockKey
  private let memento: StateRecord
  private let start: [UInt8]
  private let trace: Trace
  /// The state of the disk after each number of steps.
  private let disks: [Disk]

  /// Whether the states include previous secrets, so that they also have to be read after a cut.
  private var hasHistories: Bool { states.contains { !$0.histories.isEmpty } }

  /// Takes a vault as it was before the first operation, and a trace that is marked there and after
  /// each.
  package init(_ states: [VaultContent], key: UnlockKey, start: [UInt8], trace: Trace) throws {
    let folder = try Folder()
    try File.write(start, to: folder("v"))
    memento = try StateRecord(of: folder("v"), key: key)
    self.states = states
    self.key = key
    self.start = start
    self.trace = trace
    var disk = Disk(vault: start)
    var disks = [disk]
    for step in trace.steps {
      disk.perform(step)
      disks.append(disk)
    }
    self.disks = disks
  }

  /// Returns cuts by a seed: one half anywhere, the other at the end of an operation, where its
  /// commit is, a small part of many steps.
  package func cuts(
    _ count: Int, on sector: Int, _ isPowersafe: Bool, seed: UInt64
  ) -> [Cut] {
    var random = SplitMix(seed: seed)
    return (0..<count).map { number in
      let tearing = Disk.Wear.Tearing.allCases[number % Disk.Wear.Tearing.allCases.count]
      let mark = trace.marks.randomElement(using: &random)?.steps ?? 0
      let isAnywhere = Bool.random(using: &random)
      return Cut(
        steps: isAnywhere
          ? .random(in: 0...trace.steps.count, using: &random)
          : max(0, mark - .random(in: 0...6, using: &random)),
        wear: Disk.Wear(
          sector: sector, tearing: tearing, isPowersafe: isPowersafe,
          survivors: .random(in: 0...4, using: &random)),
        seed: random.next())
    }
  }

  /// Makes cuts, and opens the result of each as a program would.
  package func run(_ cuts: [Cut]) -> Tally {
    let tally = Lock(Tally())
    let campaign = AttackRun.run(cuts) { cut, turn, folder in
      try judge(cut, turn, folder, tally)
    }
    return tally.withLock {
      $0.wrong += campaign.wrong
      return $0
    }
  }

  private func judge(
    _ cut: Cut, _ turn: Int, _ folder: Folder, _ tally: Lock<Tally>
  ) throws -> AnswerCheck.Verdict {
    var random = SplitMix(seed: cut.seed)
    let (vault, journal) = disks[cut.steps].afterCut(cut.wear, using: &random)
    guard let vault else { return .wrong("the vault's name is gone") }
    let done = trace.marks.lastIndex { $0.steps <= cut.steps } ?? 0
    try put(record: trace.marks[done].record, in: folder, using: &random)
    try File.write(vault, to: folder("v"))
    if let journal { try File.write(journal, to: folder("v-journal")) }
    defer { if File.exists(folder("v-journal")) { try? File.remove(folder("v-journal")) } }
    // The first byte of a journal that is to be replayed.
    let isHot = journal?.first ?? 0 != 0
    do throws(VaultError) {
      let state = try look(folder, writes: turn % 4 == 0)
      guard state.problems.isEmpty else { return .wrong("verify: \(state.problems)") }
      let isUnderWay = trace.marks[done].steps < cut.steps
      if isUnderWay && state == states[done + 1] {
        tally.withLock { $0.after += 1 }
      } else if state == states[done] {
        tally.withLock { $0.before += isUnderWay ? 1 : 0 }
      } else if states[..<done].contains(state) {
        tally.withLock { $0.lost += 1 }
      } else {
        return .wrong("a state that never was")
      }
      if isHot { tally.withLock { $0.replayed += 1 } }
      return .right
    } catch {
      guard error.code == .rolledBack else { return .wrong("\(error)") }
      // The record of the acknowledged commit proves it.
      tally.withLock { $0.lost += 1 }
      return .right
    }
  }

  /// Reads everything; some cuts then also write.
  private func look(_ folder: Folder, writes: Bool) throws(VaultError) -> VaultContent {
    let stateFolder = folder("state")
    var look = try GoldenVault.withStore(folder("v"), key: key, stateFolder: stateFolder) {
      (store) throws(VaultError) in try VaultContent(store, histories: hasHistories)
    }
    guard writes else { return look }
    try GoldenVault.withStore(folder("v"), key: key, stateFolder: stateFolder) {
      (store) throws(VaultError) in
      _ = try store.add(Workload.item("later", "later"))
      var later = try VaultContent(store, histories: hasHistories)
      if later.items.removeValue(forKey: "later") == nil || later != look {
        look.problems.append("a write changed what was there")
      }
    }
    if File.exists(folder("v-journal")) { look.problems.append("a journal is left") }
    return look
  }

  /// Writes the state folder's record: usually as it was, sometimes torn or missing.
  private func put<R: RandomNumberGenerator>(
    record: [UInt8], in folder: Folder, using random: inout R
  ) throws {
    if !File.exists(folder("state")) {
      // The record's name is derived from the path.
      try File.write(start, to: folder("v"))
      _ = try GoldenVault.read(folder("v"), key: key, stateFolder: folder("state"))
    }
    let names = try folder.contents(of: "state")
    guard let name = names.first(where: { $0.hasSuffix(".seen") }) else { return }
    // It was written for the path at which the trace was made.
    let record = memento.moved(record, to: folder("v"))
    let kept = [0, 24, record.count, record.count, record.count].randomElement(using: &random) ?? 0
    try File.write(Array(record.prefix(kept)), to: folder("state/\(name)"))
  }
}
