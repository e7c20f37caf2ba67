import Glibc
import VaultCrypto
package import VaultModel

/// A reader of a record's body, field by field, which accepts only the encoding that is written.
///
/// Source: `Documentation/format.md` §5.6.
struct FieldReader {
  struct Field {
    let tag: UInt32
    let range: Range<Int>
  }

  let bytes: [UInt8]
  private var position: Int
  private let end: Int
  /// The last tag, of which none is 0.
  private var lastTag: UInt32 = 0

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next field, or nil after the last.
  mutating func next() throws(VaultError) -> Field? {
    guard position < end else { return nil }
    let tag = try bytes.varint(at: &position, end: end)
    guard tag > lastTag else { throw Self.damaged("fields are out of order") }
    lastTag = tag
    let count = Int(try bytes.varint(at: &position, end: end))
    guard count > 0, count <= end - position else {
      throw Self.damaged("a field's length is wrong")
    }
    let range = position..<position + count
    position = range.upperBound
    return Field(tag: tag, range: range)
  }

  func text(_ field: Field) throws(VaultError) -> String {
    try bytes.text(in: field.range)
  }

  func number<T: FixedWidthInteger>(_ field: Field) throws(VaultError) -> T {
    guard field.range.count == MemoryLayout<T>.size else {
      throw Self.damaged("a number has the wrong size")
    }
    let number = T(littleEndianIn: bytes, at: field.range.lowerBound)
    guard number != 0 else { throw Self.damaged("a number is zero") }
    return number
  }

  /// Returns a number that counts or numbers something.
  ///
  /// - Throws: ``VaultError/Code/damaged``, also if it is ``SealedNumber/end`` or more.
  func count(_ field: Field) throws(VaultError) -> UInt64 {
    let count: UInt64 = try number(field)
    guard count < SealedNumber.end else { throw Self.damaged("a count is out of bounds") }
    return count
  }

  /// Returns the id of an item, whose bytes are big-endian.
  func id(_ field: Field) throws(VaultError) -> ItemID {
    guard field.range.count == 16 else { throw Self.damaged("an id has the wrong size") }
    return ItemID(
      high: UInt64(littleEndianIn: bytes, at: field.range.lowerBound).byteSwapped,
      low: UInt64(littleEndianIn: bytes, at: field.range.lowerBound + 8).byteSwapped)
  }

  /// Returns any time, even a deadline in the far future.
  func time(_ field: Field) throws(VaultError) -> Timestamp {
    Timestamp(milliseconds: try number(field))
  }

  /// Returns the time of an event.
  ///
  /// - Throws: ``VaultError/Code/damaged``, also if it is after ``SealedNumber/lastMoment``.
  func moment(_ field: Field) throws(VaultError) -> Timestamp {
    let moment = try time(field)
    guard moment <= SealedNumber.lastMoment else {
      throw Self.damaged("a time is out of bounds")
    }
    return moment
  }

  func unknown(_ field: Field) -> UnknownField {
    UnknownField(tag: field.tag, value: Array(bytes[field.range]))
  }

  static func damaged(_ what: String) -> VaultError {
    VaultError(.damaged, "a record is malformed: \(what)")
  }
}

extension [UInt8] {
  /// Returns the text in `range`.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is not UTF-8 or contains NUL.
  func text(in range: Range<Int>) throws(VaultError) -> String {
    // The slice has as many bytes as are looked at.
    let hasNUL = unsafe self[range].withUnsafeBytes { text in
      unsafe text.baseAddress.map { unsafe memchr($0, 0, text.count) != nil } ?? false
    }
    guard !hasNUL else { throw FieldReader.damaged("a text holds NUL") }
    do {
      return String(copying: try UTF8Span(validating: span.extracting(range)))
    } catch {
      throw FieldReader.damaged("a text is not UTF-8")
    }
  }

  /// Reads an unsigned LEB128 number and moves `position` behind it.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if it is cut off, longer than needed or over 2³²−1.
  package func varint(at position: inout Int, end: Int) throws(VaultError) -> UInt32 {
    var number: UInt64 = 0
    var shift: UInt64 = 0
    while position < end, shift < 35 {
      let byte = self[position]
      position += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 {
        guard number <= UInt32.max, byte != 0 || shift == 0 else { break }
        return UInt32(number)
      }
      shift += 7
    }
    throw FieldReader.damaged("a number is cut off or too long")
  }
}
