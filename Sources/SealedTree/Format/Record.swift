import Glibc
import VaultCrypto
package import VaultModel

/// The kind of a record in a bucket; unknown kinds are kept unchanged.
///
/// Source: `Documentation/format.md` §6.
package enum RecordKind {
  package static let item: UInt8 = 1
  package static let defaultUser: UInt8 = 2
  package static let policyRule: UInt8 = 3
  package static let previousSecret: UInt8 = 4
  package static let removedItem: UInt8 = 5
  package static let logEntry: UInt8 = 6
  package static let tree: UInt8 = 7
}

/// A record for a bucket.
package struct Record {
  package let kind: UInt8
  package let body: [UInt8]

  package init(kind: UInt8, body: [UInt8]) {
    self.kind = kind
    self.body = body
  }

  /// The bytes in a bucket.
  ///
  /// Source: `Documentation/format.md` §5.6.
  package var encoded: [UInt8] {
    var bytes = [kind]
    bytes.append(varint: UInt32(body.count))
    return bytes + body
  }
}

/// A reader that goes through a bucket's content without copying it.
package struct RecordReader {
  package let bytes: [UInt8]
  private var position = 0
  /// Whether a length was wrong, so that the start of the next record is unknown.
  package private(set) var isLost = false

  package init(_ content: [UInt8]) {
    bytes = content
  }

  /// Returns the next record's kind and the range of its body, or nil after the last.
  package mutating func next() throws(VaultError) -> (kind: UInt8, body: Range<Int>)? {
    guard position < bytes.count else { return nil }
    let kind = bytes[position]
    position += 1
    isLost = true
    let count = Int(try bytes.varint(at: &position, end: bytes.count))
    guard count <= bytes.count - position else {
      throw FieldReader.damaged("a record's length is wrong")
    }
    isLost = false
    let body = position..<position + count
    position = body.upperBound
    return (kind, body)
  }
}

extension RecordReader {
  /// Calls `body` with each record and its offset, and continues after a malformed one.
  ///
  /// - Parameters:
  ///   - content: The content of a bucket.
  ///   - body: May throw for a record that is not as it should be.
  ///   - fault: Called with any error of `body`, and with the last error, after which nothing can
  ///     be found: `isLost` is then true.
  /// - Throws: Any error of `fault`.
  package static func each(
    of content: [UInt8],
    _ body: (_ offset: Int, _ kind: UInt8, Range<Int>) throws(VaultError) -> Void,
    fault: (VaultError, _ kind: UInt8, _ isLost: Bool) throws(VaultError) -> Void
  ) throws(VaultError) {
    var records = RecordReader(content)
    while records.position < content.count {
      let offset = records.position
      do throws(VaultError) {
        guard let record = try records.next() else { return }
        try body(offset, record.kind, record.body)
      } catch {
        try fault(error, content[offset], records.isLost)
        // After a bad length, later offsets cannot be trusted.
        guard !records.isLost else { return }
      }
    }
  }
}

extension [UInt8] {
  /// Returns whether both have the same bytes; `==` compares them one by one.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    count == other.count && has(other, at: 0..<count)
  }

  /// Returns whether `range` begins with `prefix`.
  package func has(_ prefix: [UInt8], at range: Range<Int>) -> Bool {
    guard prefix.count <= range.count, range.upperBound <= count else { return false }
    // Both buffers hold prefix.count bytes at these places, as was checked above.
    return unsafe withUnsafeBytes { bytes in
      unsafe prefix.withUnsafeBytes { prefix in
        guard let start = prefix.baseAddress, let all = bytes.baseAddress else { return true }
        return unsafe memcmp(all + range.lowerBound, start, prefix.count) == 0
      }
    }
  }
}
