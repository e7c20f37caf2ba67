import Glibc

/// Lookups while another process commits without a pause.
///
/// In each pass a writer is started anew, on one side after the other.
struct BusyWriters {
  let stores: Stores
  let report: Report
  let program: String

  private static let passes = 5
  private static let lookups = 500

  /// One pass: seconds.
  private struct Pass {
    let lookups: Times
    /// The median of the writer's commits.
    let commit: Double
    var late: Double { lookups.quantile(0.99) }
  }

  func run() throws {
    var (medians, late, commits) = (Pairs(), Pairs(), Pairs())
    var lateInCommits: [Double] = []
    for _ in 0..<Self.passes {
      let ours = try pass(.busyVault, stores.vaultPath) {
        try stores.subject.find($0.space, $0.account)
      }
      let peer = try pass(.busyPeer, stores.peerPath) { try stores.peer.find($0.item) }
      medians.append(ours.lookups.median, peer.lookups.median)
      late.append(ours.late, peer.late)
      commits.append(ours.commit, peer.commit)
      lateInCommits.append(ours.late / ours.commit)
    }
    report.add("find beside one busy writer: median", stores.count, medians)
    report.add(
      "find beside one busy writer: 99th percentile; in the writer's commits", stores.count, late,
      inCommits: Times(lateInCommits), .commits(2))
    report.add("a commit of that writer: median", stores.count, commits)
  }

  /// Measures one lookup now and then, so that each meets the writer at another moment of its
  /// commit.
  private func pass(
    _ mode: ChildMode, _ path: String, _ find: (Stores.Lookup) throws -> Int?
  ) throws -> Pass {
    let writer = try Child(program, [mode.rawValue, path, "\(stores.count)", stores.key])
    // The writer opens its store first.
    usleep(300_000)
    var times: [Double] = []
    for index in 0..<Self.lookups {
      let lookup = stores.lookups[index % stores.lookups.count]
      usleep(.random(in: 100...1500))
      times.append(try seconds { _ = try Lookups.found(find(lookup)) })
    }
    guard let commit = Int(try writer.finish().filter(\.isNumber)) else {
      throw Failure("no commit times")
    }
    return Pass(lookups: Times(times), commit: Double(commit) * 1e-9)
  }
}
