import VaultModel

/// One moment on both clocks, by which a session's times are told as times of day, and the other way round.
///
/// The clock of the day can be set; what was 2 days from now when it was stored is 2 days of the session's clock from
/// then, whatever the clock of the day says meanwhile.
struct Moment {
  let day: Timestamp
  let session: SessionTime

  /// Two moments differ by as much as each of them is off, and this much is no jump.
  private static let tolerance: Int64 = 1000
  /// How long reading both clocks may take for the two to be of one moment; much less than the tolerance.
  private static let longestReading: Int64 = 100
  /// Whoever pauses each of so many readings is paused for good.
  private static let mostReadings = 10

  /// Reads the clock of the day between two readings of the session's, which tell how long that took.
  ///
  /// A thread can be paused between any two: by others on a loaded machine, with the whole of a virtual one. Then both are
  /// read again.
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

  /// The session's time of a time of day, saturating at the extremes.
  func session(of time: Timestamp) -> SessionTime {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(day.milliseconds)
    let distance = overflow ? (time < day ? .min : .max) : difference
    return SessionTime(
      milliseconds: Timestamp(milliseconds: session.milliseconds).adding(milliseconds: distance)
        .milliseconds)
  }

  /// The time of day of a session's time: `known`, which it was when it was stored, unless a clock jumped since.
  func day(of time: SessionTime, known: Timestamp) -> Timestamp {
    let (difference, overflow) = time.milliseconds.subtractingReportingOverflow(
      session.milliseconds)
    let distance = overflow ? (time < session ? .min : .max) : difference
    let exact = day.adding(milliseconds: distance)
    // By their difference: at the last of all times nothing is later, and a millisecond of rounding would be a jump.
    let (gap, isFar) = known.milliseconds.subtractingReportingOverflow(exact.milliseconds)
    let isNear = !isFar && gap.magnitude < Self.tolerance.magnitude
    // Which of them is past, the session's clock alone decides.
    return isNear && (known <= day) == (time <= session) ? known : exact
  }
}
