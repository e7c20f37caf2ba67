import Glibc

/// The rows of the table, printed as they come and as Markdown at the end.
final class Report {
  private var rows: [String] = []

  /// Adds a row of what was measured in turns; the ratio is the median of the pairs' ratios.
  func add(_ work: String, _ count: Int, _ pairs: Pairs, _ target: Target? = nil) {
    var ratio = Self.spread(pairs.ratio, "×")
    var verdict = "–"
    switch target {
    case .rate:
      ratio = "rate " + Self.spread(pairs.rate, "×")
      verdict = target?.verdict(on: pairs.rate.median) ?? verdict
    case .time: verdict = target?.verdict(on: pairs.ours.median) ?? verdict
    default: verdict = target?.verdict(on: pairs.ratio.median) ?? verdict
    }
    row(work, count, Self.time(pairs.ours.median), Self.time(pairs.peer.median), ratio, verdict)
  }

  /// Adds a row of what ours takes more than the peer, as the median of the pairs' differences.
  func add(difference work: String, _ count: Int, _ pairs: Pairs, _ target: Target? = nil) {
    let more = pairs.difference
    let spread = more.spread.map { " (\(Self.time($0.low)) to \(Self.time($0.high)))" } ?? ""
    row(
      work, count, Self.time(more.median) + spread, "–", "–",
      target?.verdict(on: more.median) ?? "–")
  }

  /// Adds a row of a time that has no peer.
  func add(alone work: String, _ count: Int, _ seconds: Double, _ target: Target? = nil) {
    row(work, count, Self.time(seconds), "–", "–", target?.verdict(on: seconds) ?? "–")
  }

  /// Adds a row of times that are compared with the median of a writer's commits, not with the
  /// peer's.
  func add(
    _ work: String, _ count: Int, _ pairs: Pairs, inCommits commits: Times, _ target: Target
  ) {
    row(
      work, count, Self.time(pairs.ours.median), Self.time(pairs.peer.median),
      Self.spread(commits, "commits"), target.verdict(on: commits.median))
  }

  func add(bytes work: String, _ count: Int, _ ours: Double, _ peer: Double, _ target: Target) {
    row(
      work, count, "\(Int(ours.rounded())) B", "\(Int(peer.rounded())) B",
      Self.spread(Times([ours / peer]), "×"), target.verdict(on: ours / peer))
  }

  func add(megabytes work: String, _ count: Int, _ ours: Double, atMost limit: Double) {
    row(
      work, count, "\(Int(ours.rounded())) MB", "–", "–",
      Target.megabytes(limit).verdict(on: ours))
  }

  func note(_ work: String, _ count: Int) {
    row(work, count, "–", "–", "–", "not measured")
  }

  var markdown: String {
    "| work | items | vault | SQLite | vault / SQLite | target |\n|---|--:|--:|--:|--:|---|\n"
      + rows.joined(separator: "\n") + "\n"
  }

  private func row(_ work: String, _ count: Int, _ cells: String...) {
    let line = "| " + ([work, Self.power(count)] + cells).joined(separator: " | ") + " |"
    rows.append(line)
    // Standard output is the table's; this is for whoever waits.
    log(line)
  }

  static func time(_ seconds: Double) -> String {
    switch abs(seconds) {
    case ..<1e-6: "\(number(seconds * 1e9, 0)) ns"
    case ..<1e-3: "\(number(seconds * 1e6, abs(seconds) < 1e-4 ? 2 : 0)) µs"
    case ..<1: "\(number(seconds * 1e3, 2)) ms"
    default: "\(number(seconds, 2)) s"
    }
  }

  /// Returns the median, and in parentheses the middle half.
  private static func spread(_ values: Times, _ unit: String) -> String {
    let median = "\(hundredths(values.median)) \(unit)"
    guard let spread = values.spread else { return median }
    return "\(median) (\(hundredths(spread.low)) to \(hundredths(spread.high)))"
  }

  /// Returns a positive number with two digits after the point.
  private static func hundredths(_ value: Double) -> String {
    guard value.isFinite else { return "–" }
    let digits = String(Int((value * 100).rounded()))
    let padded = String(repeating: "0", count: max(0, 3 - digits.utf8.count)) + digits
    return "\(padded.dropLast(2)).\(padded.suffix(2))"
  }

  /// Returns a number with at most so many digits after the point.
  static func number(_ value: Double, _ digits: Int = 1) -> String {
    guard value.isFinite else { return "–" }
    let scale = pow(10, Double(digits))
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }

  static func power(_ count: Int) -> String {
    let powers = [1000: "10³", 10_000: "10⁴", 100_000: "10⁵", 1_000_000: "10⁶"]
    return powers[count] ?? String(count)
  }
}

/// Tells whoever waits, on standard error.
func log(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}
