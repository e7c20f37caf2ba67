import SecureMemory
import VaultModel

/// Rows that a quotation mark without a partner has made one: it opens a field that ends at the
/// next quotation mark, rows later.
extension CSVRecords {
  /// Returns whether a field of the present record seems to hold a line end between two rows.
  ///
  /// The record alone cannot tell: a note may have lines. But the lines of one that has swallowed
  /// others have as many fields as the rows of the table have before, behind and around it.
  ///
  /// - Parameters:
  ///   - count: The number of the table's columns.
  ///   - hasMore: Whether a row may have more.
  /// - Returns: Whether one does.
  func mayHoldRows(of count: Int, hasMore: Bool) -> Bool {
    lastLine > line
      && record.bytes.withRawBytes { bytes in
        fields.enumerated().contains { index, range in
          let counts = fieldCounts(bytes.extracting(range))
          guard counts.count > 1, let last = counts.last else { return false }
          let isJoined = counts[0] == count - index && last == index + 1
          return isJoined && index < count
            || counts.dropFirst().contains { $0 == count || hasMore && $0 > count }
        }
      }
  }

  /// Returns the number of fields that each line of a text would have as a row; a negative one for
  /// prose, with a blank behind a separator.
  private func fieldCounts(_ text: RawSpan) -> [Int] {
    var counts = [1]
    for index in 0..<text.byteCount {
      let isLast = index + 1 == text.byteCount
      switch Bytes.at(text, index) {
      case UInt8(ascii: "\n"): counts.append(1)
      case record.separator where !isLast && Bytes.at(text, index + 1) == UInt8(ascii: " "):
        counts[counts.count - 1] = Int.min
      case record.separator: counts[counts.count - 1] += 1
      default: continue
      }
    }
    return counts
  }
}
