/// The target of a figure.
///
/// The verdict is on the figure as it is shown, rounded.
enum Target {
  /// At most so many times the peer's time or size.
  case ratio(Double)
  /// At least so many times what the peer does in a second.
  case rate(Double)
  /// At most so many seconds.
  case time(Double)
  /// At most so many times the median of a writer's commits.
  case commits(Double)
  case megabytes(Double)

  func verdict(on value: Double) -> String {
    switch self {
    case .ratio(let limit):
      Self.text("≤ \(Report.number(limit, 2)) ×", Self.shown(value) <= limit)
    case .rate(let limit):
      Self.text("rate ≥ \(Report.number(limit, 2)) ×", Self.shown(value) >= limit)
    case .time(let limit): Self.text("≤ \(Report.time(limit))", value <= limit)
    case .commits(let limit):
      Self.text("≤ \(Report.number(limit)) commits", Self.shown(value) <= limit)
    case .megabytes(let limit):
      Self.text("≤ \(Report.number(limit, 0)) MB", value.rounded() <= limit)
    }
  }

  /// Ratios are shown with two digits after the point.
  private static func shown(_ value: Double) -> Double { (value * 100).rounded() / 100 }

  private static func text(_ target: String, _ isMet: Bool) -> String {
    isMet ? "\(target): met" : "\(target): **missed**"
  }
}
