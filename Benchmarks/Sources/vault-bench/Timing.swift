/// Returns the seconds that `body` takes.
func seconds(_ body: () throws -> Void) rethrows -> Double {
  let duration = try ContinuousClock().measure(body)
  return Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
}

/// Many measurements of one thing.
struct Times {
  private(set) var sorted: [Double] = []

  init(_ values: [Double] = []) {
    sorted = values.sorted()
  }

  var median: Double { quantile(0.5) }

  /// The middle half; of fewer than four measurements, all of them. A single one has no spread.
  var spread: (low: Double, high: Double)? {
    guard sorted.count > 1 else { return nil }
    let quarter = sorted.count / 4
    return (sorted[quarter], sorted[sorted.count - 1 - quarter])
  }

  func quantile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}

/// Measurements of two things that were made in turns, one pair after another.
///
/// Ratios are taken within each pair: what slows the machine for a while slows both of a pair, but
/// not all pairs.
struct Pairs {
  private var values: [(ours: Double, peer: Double)] = []

  mutating func append(_ ours: Double, _ peer: Double) { values.append((ours, peer)) }

  var ours: Times { Times(values.map { $0.ours }) }
  var peer: Times { Times(values.map { $0.peer }) }
  /// The time that ours takes, as a multiple of the peer's.
  var ratio: Times { Times(values.map { $0.ours / $0.peer }) }
  /// The work that ours does in a second, as a multiple of the peer's.
  var rate: Times { Times(values.map { $0.peer / $0.ours }) }
  /// The time by which ours takes longer.
  var difference: Times { Times(values.map { $0.ours - $0.peer }) }
}

/// Measures two things in turns, A B A B, so that other load on the machine affects both alike.
///
/// Each closure measures once and returns seconds for one operation. With `warmUp`, one more round
/// is run first and discarded.
func alternating(
  _ rounds: Int, warmUp: Bool = true, ours: () throws -> Double, peer: () throws -> Double
) rethrows -> Pairs {
  if warmUp { _ = (try ours(), try peer()) }
  var pairs = Pairs()
  for _ in 0..<rounds { pairs.append(try ours(), try peer()) }
  return pairs
}
