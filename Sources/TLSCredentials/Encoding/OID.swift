/// The identifier of an algorithm, an attribute or a type, by the bytes of its encoding.
struct OID: Hashable, Sendable {
  let bytes: [UInt8]

  /// Takes the content of an element; nil if it is not an identifier.
  init?(_ bytes: [UInt8]) {
    guard let last = bytes.last, last & 0x80 == 0, bytes.count <= 64 else { return nil }
    self.bytes = bytes
  }

  /// Creates an identifier from its numbers; only those in this source.
  init(_ numbers: UInt...) {
    var bytes: [UInt8] = []
    for number in [numbers[0] * 40 + numbers[1]] + numbers.dropFirst(2) {
      var groups = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        groups.append(UInt8(rest & 0x7F) | 0x80)
        rest >>= 7
      }
      bytes += groups.reversed()
    }
    self.bytes = bytes
  }

  /// Returns whether it begins with another one, and the number that follows if it is the last.
  func last(below parent: OID) -> UInt8? {
    bytes.count == parent.bytes.count + 1 && bytes.starts(with: parent.bytes) ? bytes.last : nil
  }
}

extension OID: CustomStringConvertible {
  /// The numbers with dots between them.
  var description: String {
    var numbers: [String] = []
    var value: UInt64 = 0
    for byte in bytes {
      // A number above 2^57 is nobody's; its upper bits are lost.
      value = value << 7 | UInt64(byte & 0x7F)
      guard byte & 0x80 == 0 else { continue }
      if numbers.isEmpty {
        let first = min(value / 40, 2)
        numbers = ["\(first)", "\(value - first * 40)"]
      } else {
        numbers.append("\(value)")
      }
      value = 0
    }
    return numbers.joined(separator: ".")
  }
}

extension OID {
  // Keys.
  static let rsa = OID(1, 2, 840, 113549, 1, 1, 1)
  static let rsaPSS = OID(1, 2, 840, 113549, 1, 1, 10)
  static let ec = OID(1, 2, 840, 10045, 2, 1)
  static let ed25519 = OID(1, 3, 101, 112)
  static let ed448 = OID(1, 3, 101, 113)

  // Names and extensions of certificates.
  static let commonName = OID(2, 5, 4, 3)
  static let organization = OID(2, 5, 4, 10)
  static let organizationalUnit = OID(2, 5, 4, 11)
  static let keyUsage = OID(2, 5, 29, 15)
  static let subjectAltName = OID(2, 5, 29, 17)
  static let nameConstraints = OID(2, 5, 29, 30)
  static let basicConstraints = OID(2, 5, 29, 19)
  static let extendedKeyUsage = OID(2, 5, 29, 37)

  // PKCS #7 and #12.
  static let data = OID(1, 2, 840, 113549, 1, 7, 1)
  static let encryptedData = OID(1, 2, 840, 113549, 1, 7, 6)
  static let keyBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 1)
  static let shroudedKeyBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 2)
  static let certificateBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 3)
  static let nestedBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 6)
  static let x509Certificate = OID(1, 2, 840, 113549, 1, 9, 22, 1)
  static let friendlyName = OID(1, 2, 840, 113549, 1, 9, 20)
  static let localKeyID = OID(1, 2, 840, 113549, 1, 9, 21)

  // Encryption with a passphrase.
  static let pbes2 = OID(1, 2, 840, 113549, 1, 5, 13)
  static let pbmac1 = OID(1, 2, 840, 113549, 1, 5, 14)
  static let pbkdf2 = OID(1, 2, 840, 113549, 1, 5, 12)
  static let scrypt = OID(1, 3, 6, 1, 4, 1, 11591, 4, 11)
  static let pkcs12PBE = OID(1, 2, 840, 113549, 1, 12, 1)
  static let pkcs12TripleDES = OID(1, 2, 840, 113549, 1, 12, 1, 3)
  static let hmac = OID(1, 2, 840, 113549, 2)
  static let hmacSHA256 = OID(1, 2, 840, 113549, 2, 9)
  static let aes = OID(2, 16, 840, 1, 101, 3, 4, 1)
  static let aes256CBC = OID(2, 16, 840, 1, 101, 3, 4, 1, 42)
  static let tripleDESCBC = OID(1, 2, 840, 113549, 3, 7)
  static let sha1 = OID(1, 3, 14, 3, 2, 26)
  static let sha2 = OID(2, 16, 840, 1, 101, 3, 4, 2)
  static let sha256 = OID(2, 16, 840, 1, 101, 3, 4, 2, 1)
}
