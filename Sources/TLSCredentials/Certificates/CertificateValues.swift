import VaultModel

/// The kind and size of a key.
public enum KeyAlgorithm: Hashable, Sendable {
  /// RSA, with the bits of its modulus.
  case rsa(bits: Int)
  /// RSA for signatures by PSS only, with the bits of its modulus.
  case rsaPSS(bits: Int)
  /// An elliptic curve, by the name that OpenSSL has for it: `prime256v1`.
  case ec(curve: String)
  /// Ed25519.
  case ed25519
  /// Ed448.
  case ed448
  /// Another one, by its object identifier: `1.2.840.10040.4.1`.
  case other(String)
}

extension KeyAlgorithm: CustomStringConvertible {
  /// The name for people: `RSA 2048`, `EC P-256`, `Ed25519`.
  public var description: String {
    switch self {
    case .rsa(let bits): "RSA \(bits)"
    case .rsaPSS(let bits): "RSA-PSS \(bits)"
    case .ec("prime256v1"): "EC P-256"
    case .ec("secp384r1"): "EC P-384"
    case .ec("secp521r1"): "EC P-521"
    case .ec(let curve): "EC \(curve)"
    case .ed25519: "Ed25519"
    case .ed448: "Ed448"
    case .other(let identifier): identifier
    }
  }
}

/// SHA-256 of a certificate or of a public key.
public struct Fingerprint: Hashable, Sendable {
  /// The 32 bytes.
  public let bytes: [UInt8]

  /// Takes the bytes of a hash.
  ///
  /// - Parameter bytes: Exactly 32.
  /// - Throws: ``VaultError/Code/invalidArgument`` for another number.
  public init(_ bytes: [UInt8]) throws(VaultError) {
    guard bytes.count == 32 else {
      throw VaultError(.invalidArgument, "fingerprint: not the 32 bytes of SHA-256")
    }
    self.bytes = bytes
  }

  init(unchecked bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The bytes in Base64, as pins are written (RFC 7469 §2.1.1).
  public var base64: String { Base64.encode(bytes) }
}

extension Fingerprint: CustomStringConvertible {
  /// The bytes as browsers and `openssl x509 -fingerprint` show them: `AB:01:…`.
  public var description: String {
    bytes.map { String(hexadecimal: $0).uppercased() }.joined(separator: ":")
  }
}

/// The ways in which a key may be used (RFC 5280 §4.2.1.3).
package struct KeyUsage: OptionSet, Hashable, Sendable {
  /// The bits, the first of the extension as the lowest.
  package let rawValue: UInt16

  /// Creates usages from their bits.
  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Signatures other than on certificates, as TLS makes.
  package static let digitalSignature = KeyUsage(rawValue: 1)
  /// Agreement on keys.
  package static let keyAgreement = KeyUsage(rawValue: 1 << 4)
  /// Signatures on certificates.
  package static let certificateSigning = KeyUsage(rawValue: 1 << 5)
  /// Signatures on revocation lists.
  package static let revocationSigning = KeyUsage(rawValue: 1 << 6)

  /// Reads the content of a bit string; its first octet counts the bits that are unused.
  init(bits octets: [UInt8]) {
    var value: UInt16 = 0
    for (index, octet) in octets.dropFirst().prefix(2).enumerated() {
      for bit in 0..<8 where octet & (0x80 >> UInt8(bit)) != 0 {
        value |= 1 << UInt16(8 * index + bit)
      }
    }
    rawValue = value
  }
}

/// A purpose that a key may be used for (RFC 5280 §4.2.1.12).
package struct ExtendedKeyUsage: Hashable, Sendable, CustomStringConvertible {
  /// The object identifier: `1.3.6.1.5.5.7.3.2`.
  package let identifier: String

  /// Creates a purpose from its object identifier.
  package init(_ identifier: String) {
    self.identifier = identifier
  }

  /// A server of TLS.
  package static let serverAuthentication = ExtendedKeyUsage("1.3.6.1.5.5.7.3.1")
  /// A client of TLS.
  package static let clientAuthentication = ExtendedKeyUsage("1.3.6.1.5.5.7.3.2")
  /// Every purpose.
  package static let any = ExtendedKeyUsage("2.5.29.37.0")

  /// The object identifier.
  package var description: String { identifier }
}

/// A name that a certificate is for, beside its subject (RFC 5280 §4.2.1.6).
public enum SubjectName: Hashable, Sendable {
  /// A host, or hosts by a wildcard: `*.example.com`.
  case host(String)
  /// An IPv4 or IPv6 address in its canonical text.
  case address(String)
  /// A mailbox.
  case email(String)
  /// A URI.
  case uri(String)

  /// Reads a name; nil for those of other kinds, and for what is not printable ASCII.
  init?(_ element: ASN1Element) {
    let octets = element.octets
    if element.tag == 0x87 {
      guard let address = Self.address(octets) else { return nil }
      self = .address(address)
      return
    }
    // A NUL in a name ends it for other programs: CVE-2009-2408.
    guard !octets.isEmpty, octets.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
    let text = String(decoding: octets, as: UTF8.self)
    switch element.tag {
    case 0x81: self = .email(text)
    case 0x82: self = .host(text)
    case 0x86: self = .uri(text)
    default: return nil
    }
  }

  private static func address(_ octets: [UInt8]) -> String? {
    let text: String
    switch octets.count {
    case 4: text = octets.map { String($0) }.joined(separator: ".")
    case 16:
      text = stride(from: 0, to: 16, by: 2).map {
        String(UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1]), radix: 16)
      }.joined(separator: ":")
    default: return nil
    }
    do throws(VaultError) {
      return try HostName(text).name
    } catch {
      // unreachable: every four or sixteen bytes are an address.
      return nil
    }
  }
}
