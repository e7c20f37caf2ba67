extension Timestamp: CustomStringConvertible {
  /// The text of RFC 3339 in UTC: `2026-01-15T03:15:00Z`, with `.250` only if not zero.
  ///
  /// Years outside 0000 to 9999, which RFC 3339 does not have, are written with a sign and at least
  /// five digits.
  public var rfc3339: String {
    let (days, inDay) = milliseconds.flooredDivision(by: 86_400_000)
    let date = CivilDate(days: days)
    let (seconds, fraction) = inDay.flooredDivision(by: 1000)
    let year =
      (0...9999).contains(date.year)
      ? padded(date.year, 4) : (date.year < 0 ? "-" : "+") + padded(abs(date.year), 5)
    return year + "-" + padded(date.month, 2) + "-" + padded(date.day, 2)
      + "T" + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2)
      + ":" + padded(seconds % 60, 2)
      + (fraction == 0 ? "" : "." + padded(fraction, 3)) + "Z"
  }

  /// The value of ``rfc3339``.
  public var description: String { rfc3339 }

  /// Reads the text of RFC 3339 with any offset, and the longer years of ``rfc3339``.
  ///
  /// Fractions beyond milliseconds are cut off. A leap second is read as the second after it, as in
  /// POSIX.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is malformed, names a day or time that
  ///   does not exist, or cannot be represented.
  public init(rfc3339 text: String) throws(VaultError) {
    var reader = DigitReader(bytes: Array(text.utf8)[...])
    guard let moment = reader.moment(), reader.bytes.isEmpty else {
      throw VaultError(.invalidArgument, "not a date and time of RFC 3339")
    }
    milliseconds = moment
  }

  private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

/// A day of the proleptic Gregorian calendar.
private struct CivilDate {
  var year: Int64
  var month: Int64
  var day: Int64

  /// Creates the date a number of days after 1970-01-01.
  init(days: Int64) {
    // Counted in eras of 400 years from 0000-03-01, so that the leap day ends a year.
    let (era, dayOfEra) = (days + 719_468).flooredDivision(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  }

  /// Creates a date, or nil if it does not exist.
  init?(year: Int64, month: Int64, day: Int64) {
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    guard (1...12).contains(month), day >= 1, day <= lengths[Int(month) - 1] else { return nil }
    self.year = year
    self.month = month
    self.day = day
  }

  /// The number of days after 1970-01-01.
  var days: Int64 {
    let (era, yearOfEra) = (month <= 2 ? year - 1 : year).flooredDivision(by: 400)
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }
}

/// Reads a date and time piece by piece, from the front.
private struct DigitReader {
  var bytes: ArraySlice<UInt8>

  mutating func moment() -> Int64? {
    guard let year = year(), take("-"), let month = number(2), take("-"), let day = number(2),
      let date = CivilDate(year: year, month: month, day: day), take("T") || take("t"),
      let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60, take(":"),
      let second = number(2), second <= 60, let fraction = fraction(), let offset = offset()
    else { return nil }
    let seconds = date.days * 86_400 + hour * 3600 + (minute - offset) * 60 + second
    let (product, isTooFar) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isBeyond) = product.addingReportingOverflow(fraction)
    if isTooFar || isBeyond {
      // Int64.min itself is within its first second, whose start is not representable.
      let (next, stillTooFar) = (seconds + 1).multipliedReportingOverflow(by: 1000)
      let (back, stillBeyond) = next.addingReportingOverflow(fraction - 1000)
      return stillTooFar || stillBeyond ? nil : back
    }
    return sum
  }

  private mutating func year() -> Int64? {
    let isNegative = take("-")
    guard isNegative || take("+") else { return number(4) }
    let digits = bytes.prefix(while: \.isDigit).count
    guard (5...9).contains(digits), let value = number(digits) else { return nil }
    return isNegative ? -value : value
  }

  /// Reads a fraction and returns its milliseconds.
  private mutating func fraction() -> Int64? {
    guard take(".") else { return 0 }
    let digits = bytes.prefix(while: \.isDigit)
    guard !digits.isEmpty else { return nil }
    bytes = bytes.dropFirst(digits.count)
    return (Array(digits.prefix(3)) + [UInt8](repeating: UInt8(ascii: "0"), count: 3)).prefix(3)
      .reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  /// Reads an offset and returns its minutes east of UTC.
  private mutating func offset() -> Int64? {
    if take("Z") || take("z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hours = number(2), hours < 24, take(":"),
      let minutes = number(2), minutes < 60
    else { return nil }
    return (isWest ? -1 : 1) * (hours * 60 + minutes)
  }

  private mutating func number(_ digits: Int) -> Int64? {
    let text = bytes.prefix(digits)
    guard text.count == digits, text.allSatisfy(\.isDigit) else { return nil }
    bytes = bytes.dropFirst(digits)
    return text.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes = bytes.dropFirst()
    return true
  }
}

extension Int64 {
  /// Returns quotient and remainder with a remainder that is never negative.
  fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
