import VaultModel

/// Returns the path of a request target in normal form, for comparison.
///
/// The query is dropped. Percent-encoded letters, digits and `-._~` are decoded, other escapes are
/// converted to upper case, and then dot segments are removed. In this order, `%2e%2e` has the same
/// effect as `..`. An encoded slash stays encoded.
///
/// - Source: RFC 3986 §§5.2.4, 6.2.2.
func normalPath(_ target: String) -> String {
  if let path = alreadyNormal(target) { return path }
  let path = unreservedDecoded(target.utf8.prefix { $0 != UInt8(ascii: "?") })
  var segments: [ArraySlice<UInt8>] = []
  let written = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
  // The segment before the first slash is empty.
  for (index, segment) in written.enumerated().dropFirst() {
    let isParent = segment.elementsEqual("..".utf8)
    guard isParent || segment.elementsEqual(".".utf8) else {
      segments.append(segment)
      continue
    }
    if isParent, !segments.isEmpty { segments.removeLast() }
    // "/a/b/.." is "/a/".
    if index == written.count - 1 { segments.append([]) }
  }
  return "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
}

/// Returns the path if it is clearly in normal form, as most are; nil if it has to be processed.
private func alreadyNormal(_ target: String) -> String? {
  var before = UInt8(ascii: "x")
  var count = 0
  for byte in target.utf8 {
    if byte == UInt8(ascii: "?") { break }
    guard byte != UInt8(ascii: "%"), byte != UInt8(ascii: ".") || before != UInt8(ascii: "/") else {
      return nil
    }
    before = byte
    count += 1
  }
  guard target.utf8.first == UInt8(ascii: "/") else { return nil }
  return String(Substring(target.utf8.prefix(count)))
}

/// Returns the bytes with escapes of unreserved characters decoded and all others in upper case.
private func unreservedDecoded(_ bytes: some Sequence<UInt8>) -> [UInt8] {
  let digits = Array("0123456789ABCDEF".utf8)
  var decoded: [UInt8] = []
  var rest = Array(bytes)[...]
  while let byte = rest.popFirst() {
    guard byte == UInt8(ascii: "%"), rest.count >= 2,
      let high = rest[rest.startIndex].hexadecimalValue,
      let low = rest[rest.startIndex + 1].hexadecimalValue
    else {
      decoded.append(byte)
      continue
    }
    rest = rest.dropFirst(2)
    let value = high << 4 | low
    if value.isLetter || value.isDigit || "-._~".utf8.contains(value) {
      decoded.append(value)
    } else {
      decoded += [byte, digits[Int(high)], digits[Int(low)]]
    }
  }
  return decoded
}
