import Glibc

/// The rows of the table, printed as they come and as Markdown at the end.
final class Report {
  private var rows: [String] = []
  /// What was measured, for the growth from one size to another.
  private var measured: [String: [(count: Int, seconds: Double)]] = [:]

  /// A row of seconds; `limit` is the largest ratio ours / peer that meets the target, `rate` the
  /// smallest ratio of what is done in a second.
  func add(
    _ work: String, _ count: Int, _ ours: Double, _ peer: Double?, limit: Double? = nil,
    rate: Double? = nil
  ) {
    measured[work, default: []].append((count, ours))
    var ratio = "–"
    var target = "–"
    if let peer {
      ratio = rate == nil ? Self.ratio(ours / peer) : "rate " + Self.ratio(peer / ours)
      if let limit { target = Self.target("≤ \(Self.number(limit, 2)) ×", ours / peer <= limit) }
      if let rate { target = Self.target("rate ≥ \(Self.number(rate)) ×", peer / ours >= rate) }
    }
    row([work, Self.power(count), Self.time(ours), peer.map(Self.time) ?? "–", ratio, target])
  }

  /// A row whose target is an absolute time.
  func add(
    _ work: String, _ count: Int, _ ours: Double, peer: String, ratio: Double? = nil,
    atMost: Double, _ target: String
  ) {
    row([
      work, Self.power(count), Self.time(ours), peer, ratio.map(Self.ratio) ?? "–",
      Self.target(target, ours <= atMost),
    ])
  }

  func add(bytes work: String, _ count: Int, _ ours: Double, _ peer: Double, limit: Double) {
    row([
      work, Self.power(count), "\(Int(ours.rounded())) B", "\(Int(peer.rounded())) B",
      Self.ratio(ours / peer), Self.target("≤ \(Self.number(limit)) ×", ours / peer <= limit),
    ])
  }

  func add(megabytes work: String, _ count: Int, _ ours: Double, limit: Double?) {
    row([
      work, Self.power(count), "\(Int(ours.rounded())) MB", "–", "–",
      limit.map { Self.target("≤ \(Int($0)) MB", ours <= $0) } ?? "–",
    ])
  }

  /// A row for each work that was measured at several sizes: how much longer it takes at the
  /// largest one; `limit` is for work whose time must not depend on the size.
  func addGrowth(of works: [String], limit: Double?) {
    for work in works {
      guard let times = measured[work], let first = times.first, let last = times.last,
        first.count < last.count
      else { continue }
      let growth = last.seconds / first.seconds
      row([
        "growth: " + work, Self.power(first.count) + " → " + Self.power(last.count),
        Self.ratio(growth), "–", "–",
        limit.map { Self.target("≤ \(Self.number($0)) ×", growth <= $0) } ?? "–",
      ])
    }
  }

  func note(_ work: String, _ count: Int, _ text: String) {
    row([work, Self.power(count), text, "–", "–", "not measured"])
  }

  var markdown: String {
    "| work | items | vault | SQLite | vault / SQLite | target |\n|---|--:|--:|--:|--:|---|\n"
      + rows.joined(separator: "\n") + "\n"
  }

  private func row(_ cells: [String]) {
    let line = "| " + cells.joined(separator: " | ") + " |"
    rows.append(line)
    // Standard output is the table's; this is for whoever waits.
    log(line)
  }

  private static func target(_ text: String, _ isMet: Bool) -> String {
    isMet ? "\(text): met" : "\(text): **missed**"
  }

  static func time(_ seconds: Double) -> String {
    switch seconds {
    case ..<1e-6: "\(number(seconds * 1e9, 0)) ns"
    case ..<1e-3: "\(number(seconds * 1e6, seconds < 1e-4 ? 2 : 0)) µs"
    case ..<1: "\(number(seconds * 1e3, 2)) ms"
    default: "\(number(seconds, 2)) s"
    }
  }

  private static func ratio(_ value: Double) -> String { "\(number(value, 2)) ×" }

  /// At most so many digits after the point.
  static func number(_ value: Double, _ digits: Int = 1) -> String {
    guard value.isFinite else { return "–" }
    let scale = pow(10, Double(digits))
    let rounded = (value * scale).rounded() / scale
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }

  private static func power(_ count: Int) -> String {
    let powers = [1000: "10³", 10_000: "10⁴", 100_000: "10⁵", 1_000_000: "10⁶"]
    return powers[count] ?? String(count)
  }
}

/// Tells whoever waits, on standard error.
func log(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}
