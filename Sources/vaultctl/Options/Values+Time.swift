import VaultModel

/// Times as people write them, the same in every option.
extension Values {
  /// Reads a day such as `2027-01-31`, which begins at midnight UTC, a time of RFC 3339, a span
  /// from now such as `90d` or `+90d`, or `never` and empty for none.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  static func expiry(_ text: String) throws(VaultError) -> Timestamp? {
    if text.isEmpty || text == "never" { return nil }
    if let seconds = span(text) {
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
    if let seconds = span(text) {
      guard seconds <= longestSpan else { throw notATime(orNone: false) }
      return Timestamp.now().adding(milliseconds: -seconds * 1000)
    }
    do throws(VaultError) {
      if let time = try expiry(text) { return time }
    } catch {}
    throw notATime(orNone: false)
  }

  /// Reads a span of time such as `30d`; one that is too long to count is the longest.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else.
  static func lifetime(_ text: String) throws(VaultError) -> Duration {
    guard let seconds = span(text) else {
      throw VaultError(.invalidArgument, "not a time like 30d, with s, m, h, d, w or y")
    }
    return .seconds(seconds)
  }

  /// Reads a span of time such as `15m`, in seconds.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything else, and for none at all.
  static func spanSeconds(_ text: String) throws(VaultError) -> Int64 {
    guard let seconds = span(text), seconds > 0 else {
      throw VaultError(.invalidArgument, "not a time like 15m, with s, m, h or d")
    }
    return seconds
  }

  /// Returns the days of a span that is a whole number of them; nil for anything else.
  static func days(_ text: String) -> Int? {
    guard let seconds = span(text), seconds.isMultiple(of: 86_400) else { return nil }
    return Int(seconds / 86_400)
  }

  /// Returns the seconds of a span: digits and a unit, perhaps after a plus sign; nil for anything
  /// else.
  private static func span(_ text: String) -> Int64? {
    TimeSpan.seconds(text.hasPrefix("+") ? text.dropFirst() : text[...])
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
