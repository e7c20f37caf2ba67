import CVaultLibcrypto
import SecureMemory
public import VaultModel

/// A name of X.501, as subjects and issuers have.
///
/// Two are equal if their encodings are; ``matches(_:)`` ignores what authorities may spell in
/// several ways.
public struct DistinguishedName: Hashable, Sendable {
  /// The encoding by DER, as a challenge lists acceptable issuers.
  public let der: [UInt8]

  /// Takes an encoded name.
  ///
  /// - Parameter der: One name encoded by DER.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed.
  public init(der: [UInt8]) throws(VaultError) {
    // Freed at once: only its existence counts.
    guard let name = unsafe Self.parsed(der) else {
      throw VaultError(.invalidData, "distinguished name: malformed")
    }
    unsafe X509_NAME_free(name)
    self.der = der
  }

  init(unchecked der: [UInt8]) {
    self.der = der
  }

  /// Returns whether both name the same, by the rules of RFC 5280 §7.1: upper case, blanks and the
  /// kind of string make no difference.
  public func matches(_ other: DistinguishedName) -> Bool {
    if der == other.der { return true }
    // Both are freed below.
    guard let mine = unsafe Self.parsed(der) else { return false }
    defer { unsafe X509_NAME_free(mine) }
    guard let theirs = unsafe Self.parsed(other.der) else { return false }
    defer { unsafe X509_NAME_free(theirs) }
    return unsafe X509_NAME_cmp(mine, theirs) == 0
  }

  /// The part that tells a person whose it is: the common name, else the organizational unit or
  /// the organization, else all of it.
  public var summary: String {
    for oid in [OID.commonName, .organizationalUnit, .organization] {
      if let value = values(of: oid).last { return value }
    }
    return description
  }

  /// The common names, the most specific last.
  public var commonNames: [String] { values(of: .commonName) }

  private func values(of oid: OID) -> [String] {
    do throws(VaultError) {
      var found: [String] = []
      var reader = ASN1Reader(Secret(copying: der.span), .der)
      var parts = try reader.next(ASN1.sequence).elements
      while !parts.isAtEnd {
        var values = try parts.next(ASN1.set).elements
        while !values.isAtEnd {
          var pair = try values.next(ASN1.sequence).elements
          let isWanted = try pair.next(ASN1.oid).oid() == oid
          let value = try pair.next()
          if isWanted, let text = value.text { found.append(text) }
        }
      }
      return found
    } catch {
      // A name whose parts cannot be read has none; `description` shows what libcrypto sees.
      return []
    }
  }

  /// Returns libcrypto's form, which the caller frees; nil if the bytes are not one name.
  @unsafe private static func parsed(_ der: [UInt8]) -> OpaquePointer? {
    let count = der.count
    return unsafe der.withUnsafeBufferPointer { bytes -> OpaquePointer? in
      var position = bytes.baseAddress
      // It reads no more than `count` bytes, and moves the position behind what it read.
      let name = unsafe d2i_X509_NAME(nil, &position, count)
      guard unsafe name != nil, unsafe position == bytes.baseAddress?.advanced(by: count) else {
        unsafe X509_NAME_free(name)
        ERR_clear_error()
        return nil
      }
      return unsafe name
    }
  }
}

extension DistinguishedName: CustomStringConvertible {
  /// The text of RFC 2253, the most specific part first: `CN=ann,O=Example`.
  public var description: String {
    // Both are freed here.
    guard let name = unsafe Self.parsed(der) else { return "" }
    defer { unsafe X509_NAME_free(name) }
    guard let text = unsafe BIO_new(BIO_s_mem()) else { return "" }
    defer { unsafe BIO_free(text) }
    guard unsafe X509_NAME_print_ex(text, name, 0, vault_name_flags) >= 0 else { return "" }
    var bytes = [UInt8](repeating: 0, count: 4 * der.count + 64)
    // It writes no more than there is room for.
    let count = unsafe BIO_read(text, &bytes, Int32(bytes.count))
    return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
  }
}

extension ASN1Element {
  /// The text of a string of a name (RFC 5280 §4.1.2.4); nil for another type.
  var text: String? {
    switch tag {
    // UTF-8, numeric, printable, IA5 and visible strings.
    case 0x0C, 0x12, 0x13, 0x16, 0x1A: String(validating: octets, as: UTF8.self)
    // T.61, which everybody takes for Latin-1.
    case 0x14: String(String.UnicodeScalarView(octets.map { Unicode.Scalar($0) }))
    // UTF-16, big-endian.
    case 0x1E where content.count % 2 == 0:
      String(
        decoding: stride(from: 0, to: content.count, by: 2).map {
          UInt16(octets[$0]) << 8 | UInt16(octets[$0 + 1])
        }, as: UTF16.self)
    default: nil
    }
  }
}
