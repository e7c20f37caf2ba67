import Foundation

/// The rows of the table, printed as they come and as Markdown at the end.
final class Report {
  private static let rounds = 200
  private static let count = 24
  private var rows: [String] = []

  /// Measures in turns, A B A B, so that what else the machine does meets both alike.
  func add(_ requests: Requests) async throws {
    // The first round logs in, opens connections and warms up.
    _ = (try await requests.ours(Self.count), try await requests.peer(Self.count))
    var times: (ours: [Cost], peer: [Cost]) = ([], [])
    for _ in 0..<Self.rounds {
      times.ours.append(try await requests.ours(Self.count))
      times.peer.append(try await requests.peer(Self.count))
    }
    let (ours, peer) = (Self.median(times.ours, \.seconds), Self.median(times.peer, \.seconds))
    let processor = (
      ours: Self.median(times.ours, \.processor), peer: Self.median(times.peer, \.processor)
    )
    let share = 1 - peer / ours
    let cells = [
      requests.title, "\(Int(1 / ours))", "\(Int(1 / peer))",
      String(format: "%.2f × (%.1f µs more)", peer / ours, (ours - peer) * 1e6),
      String(format: "%.1f %%", share * 100),
      String(
        format: "%.0f µs; %.0f µs (%.1f %%)", processor.ours * 1e6, processor.peer * 1e6,
        (1 - processor.peer / processor.ours) * 100),
      "< 5 %: \(share < 0.05 ? "met" : "**missed**")",
    ]
    let row = "| " + cells.joined(separator: " | ") + " |"
    rows.append(row)
    log(row)
  }

  var markdown: String {
    "| requests | authenticated, a second | by hand, a second | authenticated / by hand "
      + "| our share of a request | processor time | target |\n"
      + "|---|--:|--:|--:|--:|--:|---|\n" + rows.joined(separator: "\n") + "\n"
  }

  private static func median(_ costs: [Cost], _ part: (Cost) -> Double) -> Double {
    costs.map(part).sorted()[costs.count / 2]
  }
}

/// An error that stops a benchmark: a wrong answer must not count as a fast one.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}

/// Tells whoever waits, on standard error.
func log(_ line: String) {
  FileHandle.standardError.write(Data((line + "\n").utf8))
}
