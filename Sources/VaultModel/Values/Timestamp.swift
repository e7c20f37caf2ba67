import Glibc

/// A moment in UTC with a resolution of one millisecond.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  public let milliseconds: Int64

  /// Creates a moment from milliseconds since 1970-01-01T00:00:00Z.
  public init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  /// Creates a moment from seconds since 1970-01-01T00:00:00Z, saturating at the extremes.
  public init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    milliseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Returns the time of the system's clock, which can be set and so can go backwards.
  public static func now() -> Timestamp {
    var time = timespec()
    // SAFETY: `time` is ours; the call cannot fail for this clock and a valid address.
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// Returns the moment that many milliseconds later, or earlier if negative, saturating at the
  /// extremes.
  public func adding(milliseconds difference: Int64) -> Timestamp {
    let (sum, overflow) = milliseconds.addingReportingOverflow(difference)
    return Timestamp(milliseconds: overflow ? (difference < 0 ? .min : .max) : sum)
  }

  /// Returns the moment later by a duration, in whole milliseconds, saturating at the extremes.
  public func adding(_ duration: Duration) -> Timestamp {
    adding(milliseconds: duration.wholeMilliseconds)
  }

  /// Returns whether the first is the earlier one.
  public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.milliseconds < right.milliseconds
  }
}

extension Duration {
  /// The number of whole milliseconds, rounded towards zero, saturating at the extremes.
  package var wholeMilliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, carry) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return overflow || carry ? (seconds < 0 ? .min : .max) : sum
  }
}

/// The library's source of time; tests use another one.
package struct TimeSource: Sendable {
  /// The time of day, which can be set and so can jump.
  package let now: @Sendable () -> Timestamp
  /// The session's time: it counts suspend, and never jumps or goes back.
  package let session: @Sendable () -> SessionTime

  package init(
    now: @escaping @Sendable () -> Timestamp, session: @escaping @Sendable () -> SessionTime
  ) {
    self.now = now
    self.session = session
  }

  package static let system = TimeSource(now: Timestamp.now, session: SessionTime.now)
}

/// Milliseconds since the machine was started, suspend included.
package struct SessionTime: Hashable, Comparable, Sendable {
  package let milliseconds: Int64

  package init(milliseconds: Int64) {
    self.milliseconds = milliseconds
  }

  package static func now() -> SessionTime {
    var time = timespec()
    // SAFETY: `time` is ours; the call cannot fail for this clock and a valid address.
    unsafe clock_gettime(CLOCK_BOOTTIME, &time)
    return SessionTime(
      milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  package static func < (left: SessionTime, right: SessionTime) -> Bool {
    left.milliseconds < right.milliseconds
  }
}
