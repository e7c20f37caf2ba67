import CVaultLibcrypto
import SecureMemory
import VaultModel

/// The fields of a certificate (RFC 5280 §4.1).
struct CertificateFields {
  var subject: [UInt8] = []
  var issuer: [UInt8] = []
  var serialNumber: [UInt8] = []
  var notBefore: Timestamp
  var notAfter: Timestamp
  var keyAlgorithm: KeyAlgorithm
  var publicKey: [UInt8]
  var publicKeyInfo: [UInt8]
  var keyUsage: KeyUsage? = nil
  var extendedKeyUsage: [ExtendedKeyUsage]? = nil
  var names: [SubjectName] = []
  var isAuthority = false
  /// The hosts that an authority's certificate excludes.
  var excludedHosts: [String] = []

  init(_ der: [UInt8]) throws(VaultError) {
    var file = ASN1Reader(Secret(copying: der.span), .der)
    var certificate = try file.next(ASN1.sequence).elements
    try file.finish()
    var fields = try certificate.next(ASN1.sequence).elements
    _ = try fields.optional(ASN1.explicit(0))
    serialNumber = try fields.next(ASN1.integer).octets
    _ = try fields.next(ASN1.sequence)
    issuer = try fields.next(ASN1.sequence).encoding
    var validity = try fields.next(ASN1.sequence).elements
    notBefore = try Self.moment(try validity.next())
    // Until the end of its second.
    notAfter = try Self.moment(try validity.next()).adding(milliseconds: 999)
    subject = try fields.next(ASN1.sequence).encoding
    let info = try fields.next(ASN1.sequence)
    publicKeyInfo = info.encoding
    (keyAlgorithm, publicKey) = try Self.key(info)
    _ = try fields.optional(0x81)
    _ = try fields.optional(0x82)
    if let extensions = try fields.optional(ASN1.explicit(3)) {
      var list = try extensions.only(ASN1.sequence).elements
      while !list.isAtEnd { try read(extension: try list.next(ASN1.sequence)) }
    }
    try fields.finish()
  }

  private mutating func read(extension element: ASN1Element) throws(VaultError) {
    var parts = element.elements
    let oid = try parts.next(ASN1.oid).oid()
    _ = try parts.optional(ASN1.boolean)
    let value = try parts.next(ASN1.octetString).secret
    try parts.finish()
    var reader = ASN1Reader(value, .der)
    switch oid {
    case .keyUsage: keyUsage = KeyUsage(bits: try reader.next(ASN1.bitString).octets)
    case .extendedKeyUsage:
      var list = try reader.next(ASN1.sequence).elements
      var purposes: [ExtendedKeyUsage] = []
      while !list.isAtEnd { purposes.append(ExtendedKeyUsage(try list.next().oid().description)) }
      extendedKeyUsage = purposes
    case .basicConstraints:
      var fields = try reader.next(ASN1.sequence).elements
      isAuthority = try fields.optional(ASN1.boolean)?.octets == [0xFF]
    case .nameConstraints:
      var fields = try reader.next(ASN1.sequence).elements
      _ = try fields.optional(ASN1.explicit(0))
      guard var excluded = try fields.optional(ASN1.explicit(1))?.elements else { break }
      while !excluded.isAtEnd {
        var subtree = try excluded.next(ASN1.sequence).elements
        if case .host(let host)? = SubjectName(try subtree.next()) { excludedHosts.append(host) }
      }
    case .subjectAltName:
      var list = try reader.next(ASN1.sequence).elements
      while !list.isAtEnd {
        if let name = SubjectName(try list.next()) { names.append(name) }
      }
    default: break
    }
  }

  /// Returns algorithm and bits of an encoded public key.
  static func key(_ info: ASN1Element) throws(VaultError) -> (KeyAlgorithm, [UInt8]) {
    var parts = info.elements
    let algorithm = try AlgorithmIdentifier(try parts.next(ASN1.sequence))
    let bits = try parts.next(ASN1.bitString).bitString()
    try parts.finish()
    return (try KeyAlgorithm(algorithm, publicKey: bits), bits)
  }

  /// Returns the moment of a time in either form that RFC 5280 §4.1.2.5 allows.
  static func moment(_ element: ASN1Element) throws(VaultError) -> Timestamp {
    var digits = element.octets
    guard digits.popLast() == UInt8(ascii: "Z"), digits.allSatisfy(\.isDigit) else {
      throw ASN1.malformed
    }
    switch (element.tag, digits.count) {
    case (0x17, 12): digits = Array((digits[0] < UInt8(ascii: "5") ? "20" : "19").utf8) + digits
    case (0x18, 14): break
    default: throw ASN1.malformed
    }
    func text(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
    do throws(VaultError) {
      return try Timestamp(
        rfc3339: "\(text(0..<4))-\(text(4..<6))-\(text(6..<8))T\(text(8..<10)):\(text(10..<12)):"
          + "\(text(12..<14))Z")
    } catch {
      throw ASN1.malformed
    }
  }
}

/// An algorithm with its parameters (RFC 5280 §4.1.1.2).
struct AlgorithmIdentifier {
  let oid: OID
  let parameters: ASN1Element?

  init(_ element: ASN1Element) throws(VaultError) {
    guard element.tag == ASN1.sequence else { throw ASN1.malformed }
    var parts = element.elements
    oid = try parts.next(ASN1.oid).oid()
    parameters = parts.isAtEnd ? nil : try parts.next()
    try parts.finish()
  }

  /// Returns the parameters, which it must have.
  func required() throws(VaultError) -> ASN1Element {
    guard let parameters else { throw ASN1.malformed }
    return parameters
  }
}

extension KeyAlgorithm {
  /// Finds the algorithm of a public key.
  ///
  /// - Parameters:
  ///   - algorithm: The identifier and its parameters.
  ///   - publicKey: The bits of the key; those of RSA tell its size.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed.
  init(_ algorithm: AlgorithmIdentifier, publicKey: [UInt8]) throws(VaultError) {
    self =
      switch algorithm.oid {
      case .rsa: .rsa(bits: try RSAKey.bits(of: publicKey))
      case .rsaPSS: .rsaPSS(bits: try RSAKey.bits(of: publicKey))
      case .ec: try Self.curve(algorithm)
      case .ed25519: .ed25519
      case .ed448: .ed448
      default: .other(algorithm.oid.description)
      }
  }

  /// Returns the curve of a key; its own parameters instead of a name make it `other`.
  static func curve(_ algorithm: AlgorithmIdentifier) throws(VaultError) -> KeyAlgorithm {
    let parameters = try algorithm.required()
    guard parameters.tag == ASN1.oid else { return .other(algorithm.oid.description) }
    return curve(try parameters.oid())
  }

  static func curve(_ oid: OID) -> KeyAlgorithm {
    // The name is a constant of libcrypto's, or null.
    let number = unsafe OBJ_txt2nid(oid.description)
    guard number != NID_undef, let name = unsafe OBJ_nid2sn(number) else {
      return .other(oid.description)
    }
    return .ec(curve: unsafe String(cString: name))
  }
}
