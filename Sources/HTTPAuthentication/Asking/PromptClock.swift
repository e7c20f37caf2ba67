/// The clock of a queue of prompts, as the time since some start.
package struct PromptClock: Sendable {
  /// The time now.
  let now: @Sendable () -> Duration
  private let wait: @Sendable (Duration) async -> Void

  /// Creates a clock from a closure that reads it, and one that waits until a time or until the
  /// task is cancelled.
  package init(
    now: @escaping @Sendable () -> Duration, wait: @escaping @Sendable (Duration) async -> Void
  ) {
    self.now = now
    self.wait = wait
  }

  /// The clock that continues while the machine sleeps.
  package static let continuous: PromptClock = {
    let beginning = ContinuousClock.now
    return PromptClock(
      now: { beginning.duration(to: .now) },
      wait: { time in
        do {
          try await Task.sleep(until: beginning.advanced(by: time), clock: .continuous)
        } catch {
          // Cancelled: nobody needs this timer any more.
        }
      })
  }()

  /// Waits until a time, or until the task is cancelled.
  func sleep(until time: Duration) async { await wait(time) }

  /// Returns a limit that can be added to any time: not negative, and at most some 34 years.
  static func bounded(_ limit: Duration) -> Duration {
    min(max(limit, .zero), .seconds(1 << 30))
  }
}
