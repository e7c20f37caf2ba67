import CVaultText

extension HostName {
  /// Returns the canonical form of a name in ASCII.
  static func canonicalName(_ text: [UInt8]) throws(VaultError) -> String {
    var bytes = text.map(\.lowercasedASCII)
    let isAbsolute = bytes.last == UInt8(ascii: ".")
    if isAbsolute { bytes.removeLast() }
    guard bytes.count <= 253 else {
      throw VaultError(.invalidArgument, "host: longer than 253 octets")
    }
    let labels = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    for label in labels { try check(label) }
    if endsInNumber(bytes) {
      // "1.2.3.4." is a name to a resolver and an address to a browser.
      guard !isAbsolute, IPAddress.octets(dottedQuad: bytes[...]) != nil else {
        throw VaultError(
          .invalidArgument, "host: ends in a number but is not an IPv4 address a.b.c.d")
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the canonical form of an IPv6 address.
  ///
  /// In a URL the zone's `%` is written `%25` (RFC 6874); elsewhere it is a plain one (RFC 4007).
  static func canonicalIPv6(
    _ text: ArraySlice<UInt8>, isBracketed: Bool
  ) throws(VaultError) -> String {
    let percent = text.firstIndex(of: UInt8(ascii: "%")) ?? text.endIndex
    guard let groups = IPAddress.groups(ipv6: text[..<percent]) else {
      throw VaultError(
        .invalidArgument, "host: a ':' outside of an IPv6 address (a port is given apart)")
    }
    let address = IPAddress.text(groups)
    guard percent < text.endIndex else { return address }
    var zone = text[(percent + 1)...]
    if isBracketed, zone.starts(with: "25".utf8), zone.count > 2 { zone = zone.dropFirst(2) }
    guard groups[0] & 0xFFC0 == 0xFE80 else {
      throw VaultError(.invalidArgument, "host: a zone on an address that is not link-local")
    }
    // RFC 6874's ZoneID, without percent-encoding.
    guard (1...63).contains(zone.count), zone.allSatisfy(\.isUnreserved) else {
      throw VaultError(.invalidArgument, "host: a malformed zone")
    }
    return "\(address)%\(String(decoding: zone, as: UTF8.self))"
  }

  /// Returns whether the last label is a number to some resolver: all digits, or hexadecimal after
  /// `0x`.
  static func endsInNumber(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    let label = name.reversed().prefix { $0 != UInt8(ascii: ".") }
    if !label.isEmpty, label.allSatisfy(\.isDigit) { return true }
    // The label is reversed, so a leading "0x" is at its end.
    return label.suffix(2).elementsEqual("x0".utf8)
      && label.dropLast(2).allSatisfy { $0.hexadecimalValue != nil }
  }

  private static func check(_ label: ArraySlice<UInt8>) throws(VaultError) {
    guard let first = label.first, let last = label.last else {
      throw VaultError(.invalidArgument, "host: an empty label")
    }
    guard label.count <= 63 else {
      throw VaultError(.invalidArgument, "host: a label longer than 63 octets")
    }
    let hyphen = UInt8(ascii: "-")
    for byte in label
    where !(byte.isLowercaseLetter || byte.isDigit || byte == hyphen || byte == UInt8(ascii: "_")) {
      throw VaultError(
        .invalidArgument, "host: a character that is no letter, digit, hyphen or underscore")
    }
    // RFC 1123 §2.1. A leading hyphen would also be an option to a program that takes a host.
    guard first != hyphen, last != hyphen else {
      throw VaultError(.invalidArgument, "host: a label that begins or ends with a hyphen")
    }
    if label.starts(with: "xn--".utf8) {
      guard try asciiLabels(Array(label)).elementsEqual(label) else {
        throw VaultError(.invalidArgument, "host: an xn-- label that is not a valid A-label")
      }
    }
  }
}

extension HostName {
  /// Returns the A-labels of an internationalised name; also checks A-labels, which it returns
  /// unchanged.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is not UTF-8 or IDNA refuses it.
  static func asciiLabels(_ name: [UInt8]) throws(VaultError) -> [UInt8] {
    // NFC and punycode cost more than linear time; no valid name needs more room than this.
    guard name.count <= 1024, !name.contains(0) else {
      throw VaultError(
        .invalidArgument, "host: an internationalised name that is too long or holds NUL")
    }
    let flags = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    var output: UnsafeMutablePointer<CChar>? = nil
    // SAFETY: the input ends with the NUL appended here and is only read during the call; the
    // output, set only on success, is a NUL-terminated string that is ours to free.
    let status = unsafe (name + [0]).withUnsafeBytes { input in
      unsafe idn2_to_ascii_8z(
        input.baseAddress?.assumingMemoryBound(to: CChar.self), &output, flags)
    }
    guard status == IDN2_OK.rawValue, let ascii = unsafe output else {
      throw VaultError(
        .invalidArgument, "host: not a valid internationalised name (\(reason(status)))")
    }
    // SAFETY: as above; the bytes are copied before they are freed.
    defer { unsafe idn2_free(ascii) }
    return unsafe Array(String(cString: ascii).utf8)
  }

  /// Returns libidn2's name for a status, such as `IDN2_DISALLOWED`.
  private static func reason(_ status: Int32) -> String {
    // SAFETY: the result is a static NUL-terminated string, or NULL for an unknown status.
    guard let name = unsafe idn2_strerror_name(status) else { return "status \(status)" }
    return unsafe String(cString: name)
  }
}

/// The library that converts hosts which are not ASCII.
package enum HostLibrary {
  /// The version that this process runs.
  package static var version: String {
    // A constant string of the library's; null only if a newer version were asked for.
    guard let version = unsafe idn2_check_version(nil) else { return "unknown" }
    return unsafe String(cString: version)
  }

  /// The version that this was compiled with.
  package static var builtVersion: String { IDN2_VERSION }
}
