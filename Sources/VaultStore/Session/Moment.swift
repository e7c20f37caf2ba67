import VaultModel

/// One moment on both clocks, which converts between session time and time of day.
///
/// The clock of the day can be set. An item stored for 2 days is kept for 2 days of the session's
/// clock, whatever the clock of the day says meanwhile.
struct Moment {
  let day: Timestamp
  let session: SessionTime

  /// The allowed error of a moment: a difference up to this is not a clock jump.
  private static let tolerance: Int64 = 1000
  /// The longest time for reading both clocks as one moment; much less than the tolerance.
  private static let longestReading: Int64 = 100
  /// The maximum number of readings, in case all of them are interrupted.
  private static let mostReadings = 10

  /// Reads the clock of the day between two readings of the session's clock, which measure how long
  /// that took.
  ///
  /// A thread can be suspended between any two: by others on a loaded machine, or with a whole
  /// virtual machine. Then both clocks are read again.
  init(_ time: TimeSource) {
    var before = time.session()
    var best = (day: time.now(), session: time.session())
    var shortest = best.session.milliseconds - before.milliseconds
    for _ in 1..<Self.mostReadings where shortest > Self.longestReading {
      before = time.session()
      let next = (day: time.now(), session: time.session())
      let taken = next.session.milliseconds - before.milliseconds
      if taken < shortest { (best, shortest) = (next, taken) }
    }
    (day, session) = best
  }

  /// Converts a time of day to the session's time, saturating at the extremes.
  func session(of time: Timestamp) -> SessionTime {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(day.milliseconds)
    let distance = overflow ? (time < day ? .min : .max) : difference
    return SessionTime(
      milliseconds: Timestamp(milliseconds: session.milliseconds).adding(milliseconds: distance)
        .milliseconds)
  }

  /// Converts a session's time to a time of day: `known`, the value when it was stored, unless a
  /// clock jumped since.
  func day(of time: SessionTime, known: Timestamp) -> Timestamp {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(
      session.milliseconds)
    let distance = overflow ? (time < session ? .min : .max) : difference
    let exact = day.adding(milliseconds: distance)
    // By their difference: at the maximum nothing is later, and a millisecond of rounding would
    // count as a jump.
    let (gap, isFar) = known.milliseconds.subtractingReportingOverflow(exact.milliseconds)
    let isNear = !isFar && gap.magnitude < Self.tolerance.magnitude
    // Only the session's clock decides which of them is past.
    return isNear && (known <= day) == (time <= session) ? known : exact
  }
}
