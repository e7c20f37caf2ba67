import Glibc

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
