/// Seconds that `body` takes.
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

  func quantile(_ part: Double) -> Double {
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]
  }
}

/// Measures two things in turns, A B A B, so that other load on the machine affects both alike.
///
/// Each closure measures once and returns seconds for one operation. With `warmUp`, one more round
/// is run first and discarded.
func alternating(
  _ rounds: Int, warmUp: Bool = true, ours: () throws -> Double, peer: () throws -> Double
) rethrows -> (ours: Times, peer: Times) {
  if warmUp { _ = (try ours(), try peer()) }
  var times: (ours: [Double], peer: [Double]) = ([], [])
  for _ in 0..<rounds {
    times.ours.append(try ours())
    times.peer.append(try peer())
  }
  return (Times(times.ours), Times(times.peer))
}
