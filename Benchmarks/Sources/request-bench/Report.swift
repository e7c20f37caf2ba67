import Foundation

/// The rows of the table, printed as they come and as Markdown at the end.
///
/// Shares and ratios are taken within each pair of passes, and are the medians of these; in
/// parentheses is the middle half of them.
final class Report {
  private var rows: [String] = []

  /// Measures in turns, A B A B, so that what else the machine does meets both alike.
  func add(_ requests: Requests) async throws {
    // Where a server waits, a pass has fewer requests, so that as many passes fit a minute.
    let count = requests.wait > 2 ? 4 : 24
    let rounds = requests.wait > 0 ? 101 : 201
    // The first round logs in, opens connections and warms up.
    _ = (try await requests.ours(24), try await requests.peer(24))
    var pairs: [(ours: Cost, peer: Cost)] = []
    for _ in 0..<rounds {
      pairs.append((try await requests.ours(count), try await requests.peer(count)))
    }
    let ratio = Spread(pairs) { $0.peer.seconds / $0.ours.seconds }
    let share = Spread(pairs) { 100 * (1 - $0.peer.seconds / $0.ours.seconds) }
    let more = Spread(pairs) { ($0.ours.seconds - $0.peer.seconds) * 1e6 }
    let processor = (
      ours: Spread(pairs) { $0.ours.processor * 1e6 },
      peer: Spread(pairs) { $0.peer.processor * 1e6 },
      share: Spread(pairs) { 100 * (1 - $0.peer.processor / $0.ours.processor) }
    )
    let cells = [
      requests.title,
      String(format: "%.0f", Spread(pairs) { 1 / $0.ours.seconds }.median),
      String(format: "%.0f", Spread(pairs) { 1 / $0.peer.seconds }.median),
      ratio.text("%.2f", " ×"),
      share.text("%.1f", " %") + String(format: ", %.0f µs", more.median),
      String(format: "%.0f µs; %.0f µs: ", processor.ours.median, processor.peer.median)
        + processor.share.text("%.1f", " %"),
      "< 5 %: \(share.median < 5 ? "met" : "**missed**")",
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
}

/// The median of what each pair of passes says, and the middle half.
struct Spread {
  let median: Double
  private let low: Double
  private let high: Double

  init(_ pairs: [(ours: Cost, peer: Cost)], _ figure: ((ours: Cost, peer: Cost)) -> Double) {
    let sorted = pairs.map(figure).sorted()
    median = sorted[sorted.count / 2]
    low = sorted[sorted.count / 4]
    high = sorted[sorted.count - 1 - sorted.count / 4]
  }

  func text(_ format: String, _ unit: String) -> String {
    let figures = [median, low, high].map { String(format: format, $0) }
    return "\(figures[0])\(unit) (\(figures[1]) to \(figures[2]))"
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
