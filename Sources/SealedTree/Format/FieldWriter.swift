import VaultCrypto
package import VaultModel

/// A writer of a record's body: fields in ascending order of tag, none of them empty.
///
/// Fields unknown to this version are inserted at their place. Source: `Documentation/format.md`
/// §5.6.
package struct FieldWriter {
  private(set) var bytes: [UInt8] = []
  private var unknown: ArraySlice<UnknownField>

  /// Starts a body; `unknown` are fields from the previous body to keep, in ascending order of tag.
  init(keeping unknown: [UnknownField] = [], capacity: Int = 256) {
    self.unknown = unknown[...]
    bytes.reserveCapacity(capacity)
  }

  mutating func put(_ tag: some RawRepresentable<UInt32>, _ text: String) {
    let utf8 = text.utf8.span
    guard !utf8.isEmpty else { return }
    // Faster than the view, and every item has ten texts. The buffer is valid in the closure.
    unsafe utf8.withUnsafeBufferPointer { unsafe put(tag.rawValue, UnsafeRawBufferPointer($0)) }
  }

  mutating func put(_ tag: some RawRepresentable<UInt32>, _ value: some Collection<UInt8>) {
    guard !value.isEmpty else { return }
    begin(tag.rawValue, value.count)
    bytes.append(contentsOf: value)
  }

  mutating func put(_ tag: some RawRepresentable<UInt32>, _ number: some FixedWidthInteger) {
    guard number != 0 else { return }
    // The number's bytes are valid in the closure.
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe put(tag.rawValue, $0) }
  }

  mutating func put(_ tag: some RawRepresentable<UInt32>, _ id: ItemID) {
    // The numbers' bytes, without padding, are valid in the closure.
    unsafe withUnsafeBytes(of: (id.high.bigEndian, id.low.bigEndian)) {
      unsafe put(tag.rawValue, $0)
    }
  }

  /// Writes a time; time 0 would be an empty field, and becomes the next millisecond.
  mutating func put(_ tag: some RawRepresentable<UInt32>, _ time: Timestamp) {
    put(tag, time.milliseconds == 0 ? 1 : time.milliseconds)
  }

  /// Returns the body, with the unknown fields after the last known one.
  mutating func finish() -> [UInt8] {
    putUnknown(upTo: .max)
    return bytes
  }

  /// Writes a field in one step: an item has up to twenty.
  @unsafe private mutating func put(_ tag: UInt32, _ value: UnsafeRawBufferPointer) {
    if !unknown.isEmpty { putUnknown(upTo: tag) }
    let count = UInt32(value.count)
    let headSize = (tag < 0x80 ? 1 : 5) + (count < 0x80 ? 1 : 5)
    bytes.append(addingCapacity: headSize + value.count) { output in
      output.append(varint: tag)
      output.append(varint: count)
      // The room behind the two numbers is at least as long as the value.
      unsafe output.withUnsafeMutableBufferPointer { buffer, used in
        let room = UnsafeMutableRawBufferPointer(buffer)
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[used...]).copyMemory(from: value)
        used += value.count
      }
    }
  }

  private mutating func begin(_ tag: UInt32, _ count: Int) {
    // No unknown field has the tag of a known one.
    if !unknown.isEmpty { putUnknown(upTo: tag) }
    bytes.append(varint: tag)
    bytes.append(varint: UInt32(count))
  }

  private mutating func putUnknown(upTo tag: UInt32) {
    while let field = unknown.first, field.tag <= tag {
      bytes.append(varint: field.tag)
      bytes.append(varint: UInt32(field.value.count))
      bytes.append(contentsOf: field.value)
      unknown.removeFirst()
    }
  }
}

/// A field unknown to this version; it is kept when the record is rewritten.
struct UnknownField: Equatable, Sendable {
  let tag: UInt32
  let value: [UInt8]
}

extension [UInt8] {
  /// Appends an unsigned LEB128 number in its shortest form.
  mutating func append(varint number: UInt32) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// Appends a text behind the number of its bytes.
  mutating func append(counted text: String) {
    let utf8 = text.utf8.span
    append(varint: UInt32(utf8.count))
    // The buffer is valid in the closure, and copied.
    unsafe utf8.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension OutputSpan<UInt8> {
  /// Appends an unsigned LEB128 number in its shortest form.
  fileprivate mutating func append(varint number: UInt32) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}

extension FieldWriter {
  /// Returns the field of an id: after an item's key, it completes the prefix of only that item's
  /// record.
  package static func field(_ id: ItemID) -> [UInt8] {
    var writer = FieldWriter(capacity: 18)
    writer.put(FieldTag.id, id)
    return writer.finish()
  }
}
