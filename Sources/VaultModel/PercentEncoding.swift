/// Percent-encoding of RFC 3986 §2.1.
enum PercentEncoding {
  /// The bytes with every `%XX` replaced by its byte, once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `part` if a `%` is not followed by two
  ///   hexadecimal digits.
  static func decode(
    _ bytes: ArraySlice<UInt8>, part: StaticString
  ) throws(VaultError) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
      guard bytes[index] == UInt8(ascii: "%") else {
        decoded.append(bytes[index])
        index += 1
        continue
      }
      guard bytes.endIndex - index > 2,
        let high = bytes[index + 1].hexadecimalValue, let low = bytes[index + 2].hexadecimalValue
      else { throw VaultError(.invalidArgument, "\(part): a % without two hexadecimal digits") }
      decoded.append(high << 4 | low)
      index += 3
    }
    return decoded
  }
}
