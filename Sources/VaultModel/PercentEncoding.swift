/// Percent-encoding of RFC 3986 §2.1.
package enum PercentEncoding {
  /// Returns the bytes with every `%XX` replaced by its byte, once.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `part` if a `%` is not followed by two
  ///   hexadecimal digits.
  package static func decode(
    _ bytes: some Collection<UInt8>, part: StaticString
  ) throws(VaultError) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return Array(bytes) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard let high = rest.popFirst()?.hexadecimalValue,
        let low = rest.popFirst()?.hexadecimalValue
      else { throw VaultError(.invalidArgument, "\(part): a % without two hexadecimal digits") }
      decoded.append(high << 4 | low)
    }
    return decoded
  }
}
