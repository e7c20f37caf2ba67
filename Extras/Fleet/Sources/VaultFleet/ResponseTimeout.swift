/// The time for which the answer to one request may still be awaited.
///
/// A limit that restarted with each byte would let a server keep a machine waiting for ever, and
/// one for the whole answer would end a long one over a slow line. So data that arrived in full
/// extends the time by as much as it takes on the slowest line, but never beyond the limit of
/// silence.
struct ResponseTimeout {
  /// Bytes a second, which are 128 kbit/s.
  private static let slowestLine = 16 << 10

  private let limit: Duration
  private var left: Duration

  /// - Parameters:
  ///   - limit: How long the server may be silent.
  ///   - byteCount: The length of the request, which has to be sent before it is answered.
  init(_ limit: Duration, sending byteCount: Int = 0) {
    self.limit = limit
    left = limit + Self.time(for: byteCount)
  }

  /// Notes that a part of the answer came.
  mutating func extend(by byteCount: Int) {
    left = min(left + Self.time(for: byteCount), limit)
  }

  /// Notes a wait, and returns whether there may be another one.
  mutating func allows(_ wait: Duration) -> Bool {
    left -= wait
    return left > .zero
  }

  private static func time(for byteCount: Int) -> Duration {
    .seconds(Double(byteCount) / Double(slowestLine))
  }
}
