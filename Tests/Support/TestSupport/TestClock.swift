import SecureMemory
package import VaultModel

/// Clocks that a test sets.
package final class TestClock: Sendable {
  private let times: Lock<(now: Timestamp, session: SessionTime)>

  package init(_ now: Timestamp = .now()) {
    times = Lock((now, SessionTime(milliseconds: 1_000_000)))
  }

  package var source: TimeSource {
    TimeSource(
      now: { self.times.withLock { $0.now } }, session: { self.times.withLock { $0.session } })
  }

  /// The same, of which each reading is a millisecond later than the last.
  package var ticking: TimeSource {
    let source = source
    return TimeSource(
      now: {
        self.pass(.milliseconds(1))
        return source.now()
      }, session: source.session)
  }

  package var now: Timestamp { times.withLock { $0.now } }

  /// Advances both clocks.
  package func pass(_ duration: Duration) {
    let milliseconds = duration.wholeMilliseconds
    times.withLock { times in
      times.now = times.now.adding(milliseconds: milliseconds)
      times.session = SessionTime(milliseconds: times.session.milliseconds + milliseconds)
    }
  }

  /// Sets the wall clock forward, or back if negative; the session's is unchanged.
  package func set(by duration: Duration) {
    times.withLock { $0.now = $0.now.adding(duration) }
  }
}
