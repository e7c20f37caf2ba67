/// Spans of time as people write them: `15m`, `30d`.
package enum TimeSpan {
  /// The seconds of each unit; a year has 365 days.
  private static let units: [Character: Int64] = [
    "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "y": 31_536_000,
  ]

  /// Returns the seconds of a span: digits and a unit, perhaps after a plus sign; nil for anything
  /// else.
  ///
  /// One that is too long to count is the longest.
  package static func seconds(_ text: some StringProtocol) -> Int64? {
    let digits = (text.hasPrefix("+") ? text.dropFirst() : text[...]).dropLast()
    guard let unit = text.last.flatMap({ units[$0] }), !digits.isEmpty,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    let (seconds, isTooLong) = (Int64(digits) ?? .max).multipliedReportingOverflow(by: unit)
    return isTooLong ? .max : seconds
  }
}
