/// Text that is compared, hashed and sorted by its UTF-8 bytes.
struct ByteText: Hashable, Comparable, Sendable {
  var text: String

  static func == (left: ByteText, right: ByteText) -> Bool {
    left.text.hasSameBytes(as: right.text)
  }

  static func < (left: ByteText, right: ByteText) -> Bool {
    left.text.compareBytes(right.text) < 0
  }

  func hash(into hasher: inout Hasher) {
    text.hashBytes(into: &hasher)
  }
}
