package import VaultModel

/// How far the numbers of the format go.
///
/// A seal proves who wrote a number, not that it can be counted on: one at the end of its type would end the process
/// at the next addition. Every decoder refuses what lies beyond, and every writer what would come to lie there.
/// Source: `Documentation/format.md` §1.
package enum SealedNumber {
  /// What numbers of 8 bytes that count or number something stay below: so the sum of two is a number, and that of
  /// one and the first row of large secrets a row id of SQLite's.
  package static let end: UInt64 = 1 << 62

  /// The last time at which something can have happened: the last millisecond of the year 9999.
  ///
  /// Not so for deadlines: one may lie as late as a number can say.
  package static let lastMoment = Timestamp(milliseconds: 253_402_300_799_999)

  /// The number so many later.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if that is none any more, or `count` is so far below zero.
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
