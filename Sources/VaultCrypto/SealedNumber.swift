package import VaultModel

/// The limits of the format's numbers.
///
/// A seal proves who wrote a number, not that arithmetic with it is safe: a number at the end of
/// its type would end the process at the next addition. Every decoder rejects numbers beyond the
/// limits, and every writer rejects a change that would exceed them. Source:
/// `Documentation/format.md` §1.
package enum SealedNumber {
  /// The limit for numbers of 8 bytes that count or number something.
  ///
  /// The sum of two of them is a valid number, and that of one and the first row of large secrets a
  /// valid row id of SQLite.
  package static let end: UInt64 = 1 << 62

  /// The last possible time of an event: the last millisecond of the year 9999.
  ///
  /// It does not apply to deadlines: one may be as late as a number can express.
  package static let lastMoment = Timestamp(milliseconds: 253_402_300_799_999)

  /// Returns a number plus a count.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if the sum is out of bounds.
  package static func sum(
    _ number: UInt64, _ count: Int, _ what: StaticString
  ) throws(VaultError) -> UInt64 {
    let size = UInt64(count.magnitude)
    let (sum, overflow) =
      count < 0
      ? number.subtractingReportingOverflow(size) : number.addingReportingOverflow(size)
    guard !overflow, sum < end else {
      throw VaultError(.damaged, "\(what), \(number), is out of bounds with \(count) more")
    }
    return sum
  }
}
