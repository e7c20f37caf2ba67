/// A host in canonical form: two spellings of one host are equal, and are compared on bytes.
///
/// The canonical form is in lower case, without a trailing dot, with A-labels for internationalised
/// names, dotted quads for IPv4, and IPv6 in the text of RFC 5952 without brackets. ``unset`` is an
/// absent or empty host.
public struct HostName: Sendable {
  /// The canonical text: ASCII, empty if unset.
  public let name: String

  /// No host: absent and empty in the keychain.
  public static let unset = HostName(canonical: "")

  /// Reads a host as people, URLs and certificates write it.
  ///
  /// Accepts upper case, one trailing dot, percent-encoding (RFC 3986 §3.2.2), U-labels, and IPv6
  /// with or without brackets. Link-local addresses may have a zone (`fe80::1%eth0`, inside
  /// brackets also `%25eth0` as in RFC 6874). Names have labels of 1 to 63 letters, digits, hyphens
  /// and underscores with no hyphen at either end, 253 octets in all.
  ///
  /// A name whose last label is a number is refused unless it is a strict dotted quad, because
  /// programs disagree on what `010.0.0.1`, `0x7f.1` and `1.2.3` mean. Internationalised names are
  /// converted by IDNA 2008 with the mapping of UTS 46, nontransitional. Names that IDNA disallows,
  /// emoji included, are refused. Empty text is ``unset``.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` saying what is wrong, without the text itself.
  /// - Source: RFC 1123 §2.1, RFC 3986 §3.2.2, RFC 4007 §11, RFC 5890, RFC 5952.
  public init(_ text: String) throws(VaultError) {
    guard !Self.isPlain(text.utf8.span) else {
      name = text
      return
    }
    guard text.utf8.count <= Self.longestText else {
      throw VaultError(.invalidArgument, "host: longer than \(Self.longestText) bytes")
    }
    let bytes = Array(text.utf8)
    guard let first = bytes.first, let last = bytes.last else {
      self = .unset
      return
    }
    if first == UInt8(ascii: "[") {
      guard last == UInt8(ascii: "]"), bytes.count > 2 else {
        throw VaultError(.invalidArgument, "host: brackets without an IPv6 address between them")
      }
      name = try Self.canonicalIPv6(bytes[1..<(bytes.count - 1)], isBracketed: true)
    } else if bytes.contains(UInt8(ascii: ":")) {
      name = try Self.canonicalIPv6(bytes[...], isBracketed: false)
    } else {
      let decoded = try PercentEncoding.decode(bytes[...], part: "host")
      let ascii = try decoded.allSatisfy { $0 < 0x80 } ? decoded : Self.asciiLabels(decoded)
      name = try Self.canonicalName(ascii)
    }
  }

  /// Returns whether a name is its own canonical form and obviously so; most hosts are.
  static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    let (dot, hyphen) = (UInt8(ascii: "."), UInt8(ascii: "-"))
    guard (1...253).contains(bytes.count) else { return false }
    var (start, before) = (0, dot)
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == dot {
        guard before != dot, before != hyphen, index - start <= 63 else { return false }
        start = index + 1
      } else if byte == hyphen {
        // Two of them may be those of an A-label.
        guard before != dot, before != hyphen else { return false }
      } else {
        guard byte.isLowercaseLetter || byte.isDigit || byte == UInt8(ascii: "_") else {
          return false
        }
      }
      before = byte
    }
    // A last label that begins with a letter is not a number, not even after "0x".
    return start < bytes.count && bytes[start].isLowercaseLetter && before != hyphen
      && bytes.count - start <= 63
  }

  /// Takes a name that is known to be canonical, because it was checked before it was sealed.
  package init(canonical name: String) {
    self.name = name
  }

  /// Whether there is no host.
  public var isUnset: Bool { name.isEmpty }

  /// Whether it is an IPv4 or IPv6 address and not a name.
  package var isIPAddress: Bool {
    // Canonical names end in a number only if they are dotted quads.
    isIPv6 || name.utf8.last.map { $0.isDigit && Self.endsInNumber(name.utf8) } ?? false
  }

  /// Whether it is this machine: `localhost` and names below it (RFC 6761 §6.3), 127.0.0.0/8 in
  /// both families, `::1`.
  package var isLoopback: Bool {
    if isIPAddress {
      name == "::1" || name.hasPrefix("127.") || name.hasPrefix("::ffff:127.")
    } else {
      name == "localhost" || name.hasSuffix(".localhost")
    }
  }

  /// Returns whether this is a name below the other.
  ///
  /// `git.example.com` is a subdomain of `example.com`, which is not a subdomain of itself. IP
  /// addresses have no subdomains.
  package func isSubdomain(of other: HostName) -> Bool {
    let difference = name.utf8.count - other.name.utf8.count
    guard difference > 1, !other.isUnset, !isIPAddress, !other.isIPAddress else { return false }
    let dot = name.utf8.index(name.utf8.startIndex, offsetBy: difference - 1)
    return name.utf8[dot] == UInt8(ascii: ".") && name.hasSuffix(other.name)
  }

  /// The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2), or else the host itself.
  var unmapped: HostName {
    // With a dot, because ::ffff:1:2:3 is another prefix.
    let prefix = "::ffff:"
    guard name.hasPrefix(prefix), name.utf8.contains(UInt8(ascii: ".")) else { return self }
    return HostName(canonical: String(name.dropFirst(prefix.count)))
  }

  /// The host as written in a URL: IPv6 in brackets, its zone after `%25` (RFC 6874).
  package var urlText: String {
    guard isIPv6 else { return name }
    let parts = name.split(separator: "%", maxSplits: 1)
    return parts.count == 2 ? "[\(parts[0])%25\(parts[1])]" : "[\(name)]"
  }

  private var isIPv6: Bool { name.utf8.contains(UInt8(ascii: ":")) }

  /// Room for 253 octets of A-labels written as percent-encoded U-labels.
  private static let longestText = 4096
}

extension HostName: Hashable, Comparable, CustomStringConvertible {
  /// Returns whether the names have the same bytes.
  public static func == (left: HostName, right: HostName) -> Bool {
    left.name.hasSameBytes(as: right.name)
  }

  /// Returns whether the first name's bytes sort first.
  public static func < (left: HostName, right: HostName) -> Bool {
    left.name.compareBytes(right.name) < 0
  }

  /// Hashes the name's bytes.
  public func hash(into hasher: inout Hasher) {
    name.hashBytes(into: &hasher)
  }

  /// The canonical text.
  public var description: String { name }
}
