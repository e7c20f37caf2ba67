package import VaultModel

/// Times as people write them, the same in every option.
extension Values {
  /// Reads a day such as `2027-01-31`, which begins at midnight UTC, a time of RFC 3339, a span
  /// from now such as `90d` or `+90d`, or `never` and empty for none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  package static func expiry(_ text: String) throws(VaultError) -> Timestamp? {
    if text.isEmpty || text == "never" { return nil }
    if let seconds = TimeSpan.seconds(text) {
      guard seconds <= longestSpan else { throw notATime(orNone: true) }
      return Timestamp.now().adding(milliseconds: seconds * 1000)
    }
    let isDay = text.utf8.count == 10 && !text.utf8.contains(UInt8(ascii: "T"))
    do throws(VaultError) {
      return try Timestamp(rfc3339: isDay ? text + "T00:00:00Z" : text)
    } catch {
      throw notATime(orNone: true)
    }
  }

  /// Reads the beginning of a time that ends now: a day, a time of RFC 3339, or a span such as `7d`
  /// before now.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  static func since(_ text: String) throws(VaultError) -> Timestamp {
    if let seconds = TimeSpan.seconds(text) {
      guard seconds <= longestSpan else { throw notATime(orNone: false) }
      return Timestamp.now().adding(milliseconds: -seconds * 1000)
    }
    return try moment(text)
  }

  /// Reads the end of a time that begins now, by the clock of the vault that is open: a day, a time
  /// of RFC 3339, or a span such as `30d`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  package static func end(_ text: String) throws(VaultError) -> Timestamp {
    guard let seconds = TimeSpan.seconds(text) else { return try moment(text) }
    return Clock.now().adding(.seconds(seconds))
  }

  private static func moment(_ text: String) throws(VaultError) -> Timestamp {
    do throws(VaultError) {
      if let time = try expiry(text) { return time }
    } catch {}
    throw notATime(orNone: false)
  }

  /// Reads a span of time such as `30d`; one that is too long to count is the longest.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  package static func lifetime(_ text: String) throws(VaultError) -> Duration {
    guard let seconds = TimeSpan.seconds(text) else { throw notASpan(text) }
    return .seconds(seconds)
  }

  /// Reads a span of time such as `15m`, in seconds.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, and for none at all.
  static func spanSeconds(_ text: String) throws(VaultError) -> Int64 {
    guard let seconds = TimeSpan.seconds(text), seconds > 0 else { throw notASpan(text) }
    return seconds
  }

  /// Reads a time to wait: seconds, with an optional fraction, or a span such as `2m`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, and for more than a day.
  static func wait(_ text: String) throws(VaultError) -> Duration {
    guard let seconds = TimeSpan.seconds(text).map({ Double($0) }) ?? Double(text),
      (0...86_400).contains(seconds)
    else {
      throw VaultError(
        .invalidArgument, "not a number of seconds from 0 to 86400, nor a time like 90s or 2m")
    }
    return .milliseconds(Int64(seconds * 1000))
  }

  /// Reads a number of days, or a span of whole days such as `4w`.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, and outside the limits.
  static func days(_ text: String, in limits: ClosedRange<Int>) throws(VaultError) -> Int {
    let span = TimeSpan.seconds(text).flatMap { seconds in
      seconds.isMultiple(of: 86_400) ? Int(seconds / 86_400) : nil
    }
    guard let days = span ?? Int(text), limits.contains(days) else {
      throw VaultError(
        .invalidArgument,
        "not a number of days from 0 to \(limits.upperBound), nor a time like 30d or 4w")
    }
    return days
  }

  private static func notASpan(_ text: String) -> VaultError {
    let isDay = TimeSpan.seconds(text) == nil && text.utf8.count { $0 == UInt8(ascii: "-") } == 2
    return VaultError(
      .invalidArgument,
      "not a time like 15m or 30d (s m h d w y)"
        + (isDay ? ": it is how long, and no day" : ""))
  }

  private static func notATime(orNone: Bool) -> VaultError {
    VaultError(
      .invalidArgument,
      "not a time: a day like 2027-01-31, a span like 90d (s m h d w y), or RFC 3339"
        + (orNone ? ", or never" : ""))
  }

  /// About 3000 years: more than anybody means.
  private static let longestSpan: Int64 = 100_000_000_000
}
