/// Text forms of IP addresses, on bytes.
package enum IPAddress {
  /// Returns the four octets of a strict dotted quad: decimal, no leading zeros, nothing left out.
  ///
  /// `inet_aton` also reads `0x7f.1` and `010.0.0.1`, and programs disagree on what they mean.
  package static func octets(dottedQuad text: ArraySlice<UInt8>) -> [UInt8]? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var octets: [UInt8] = []
    for part in parts {
      guard let first = part.first, part.count <= 3, part.count == 1 || first != UInt8(ascii: "0"),
        part.allSatisfy(\.isDigit)
      else { return nil }
      let value = part.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
      guard let octet = UInt8(exactly: value) else { return nil }
      octets.append(octet)
    }
    return octets
  }

  /// Returns the eight groups of an IPv6 address in any text form of RFC 4291 §2.2, without a zone.
  package static func groups(ipv6 text: ArraySlice<UInt8>) -> [UInt16]? {
    let colon = UInt8(ascii: ":")
    var head: [UInt16] = []
    var tail: [UInt16] = []
    var isCompressed = false
    var index = text.startIndex
    if text.starts(with: [colon, colon]) {
      isCompressed = true
      index += 2
    }
    while index < text.endIndex {
      let end = text[index...].firstIndex(of: colon) ?? text.endIndex
      let part = text[index..<end]
      var values: [UInt16]
      if end == text.endIndex, part.contains(UInt8(ascii: ".")) {
        guard let octets = octets(dottedQuad: part) else { return nil }
        values = [
          UInt16(octets[0]) << 8 | UInt16(octets[1]), UInt16(octets[2]) << 8 | UInt16(octets[3]),
        ]
      } else {
        guard let group = group(part) else { return nil }
        values = [group]
      }
      if isCompressed { tail += values } else { head += values }
      guard head.count + tail.count <= 8 else { return nil }
      guard end < text.endIndex else { break }
      index = end + 1
      // A colon that ends the text is valid only as half of a "::".
      guard index < text.endIndex else { return nil }
      if text[index] == colon {
        guard !isCompressed else { return nil }
        isCompressed = true
        index += 1
      }
    }
    let missing = 8 - head.count - tail.count
    // "::" stands for at least one group (RFC 5952 §4.2.2 lets a reader accept just one).
    guard isCompressed ? missing >= 1 : missing == 0 else { return nil }
    return head + [UInt16](repeating: 0, count: missing) + tail
  }

  /// Returns the canonical text of RFC 5952: lower case, no leading zeros, the first longest run of
  /// two or more zero groups as `::`, and IPv4-mapped addresses with a dotted quad (§5).
  static func text(_ groups: [UInt16]) -> String {
    if groups[0..<5].allSatisfy({ $0 == 0 }), groups[5] == 0xFFFF {
      let octets = [groups[6] >> 8, groups[6] & 0xFF, groups[7] >> 8, groups[7] & 0xFF]
      return "::ffff:" + octets.map { String($0) }.joined(separator: ".")
    }
    let run = longestZeroRun(groups)
    let hex = groups.map { String($0, radix: 16) }
    guard run.count >= 2 else { return hex.joined(separator: ":") }
    return hex[..<run.lowerBound].joined(separator: ":") + "::"
      + hex[run.upperBound...].joined(separator: ":")
  }

  private static func group(_ text: ArraySlice<UInt8>) -> UInt16? {
    guard (1...4).contains(text.count) else { return nil }
    var value: UInt16 = 0
    for byte in text {
      guard let digit = byte.hexadecimalValue else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 {
        start = index + 1
      } else if index + 1 - start > longest.count {
        longest = start..<(index + 1)
      }
    }
    return longest
  }
}
