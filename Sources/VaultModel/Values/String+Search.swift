// The standard library's functions of these names compare characters, so an accent behind a quote
// hides it from what escapes quotes. They also bring regular expressions along, and with them the
// names of all scalars: 2 MB of the static program.
extension Substring {
  /// Returns where the UTF-8 bytes of `text` first occur.
  package func firstRange(of text: String) -> Range<Index>? {
    guard let first = text.utf8.first else { return startIndex..<startIndex }
    var rest = utf8[...]
    while let start = rest.firstIndex(of: first) {
      rest = rest[start...]
      if rest.starts(with: text.utf8) {
        return start..<rest.index(start, offsetBy: text.utf8.count)
      }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Returns whether the UTF-8 bytes of `text` occur.
  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }
}

extension String {
  /// Returns where the UTF-8 bytes of `text` first occur.
  package func firstRange(of text: String) -> Range<Index>? { self[...].firstRange(of: text) }

  /// Returns whether the UTF-8 bytes of `text` occur.
  package func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

  /// Returns the text with each occurrence of the UTF-8 bytes of `text`, which is not empty,
  /// replaced.
  package func replacing(_ text: String, with replacement: String) -> String {
    var result = ""
    var rest = self[...]
    while let range = rest.firstRange(of: text) {
      result += rest[..<range.lowerBound]
      result += replacement
      rest = rest[range.upperBound...]
    }
    return result + rest
  }
}
