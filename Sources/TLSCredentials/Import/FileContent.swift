import SecureMemory
public import VaultModel

/// The content of a file with keys or certificates, by its form.
enum FileContent {
  case pem([PEMBlock])
  case der(Secret)

  private static let longest = 4 << 20

  /// Finds the form of a file.
  init(_ file: Secret) throws(VaultError) {
    guard file.count <= Self.longest else {
      throw VaultError(.tooLarge, "identity file: longer than 4 MiB")
    }
    guard file.count > 0 else { throw VaultError(.invalidData, "identity file: empty") }
    if file[0] == ASN1.sequence, file.count > 1, file[1] >= 0x20 {
      self = .der(file)
      return
    }
    let blocks = try PEMBlock.read(file)
    guard blocks.isEmpty else {
      self = .pem(blocks)
      return
    }
    var text = SecretBuffer(capacity: file.count)
    for index in 0..<file.count where file[index] > 0x20 { text.append(file[index]) }
    guard !text.isEmpty,
      let bytes = Base64.bytes(of: text.secret(0..<text.count), isCanonical: false)
    else {
      throw VaultError(.invalidData, "identity file: neither PKCS #12 nor PEM")
    }
    self = .der(bytes)
  }

  /// Adds what the file has.
  func read(
    into found: inout KeysAndCertificates, _ passphrase: Secret?,
    _ budget: inout DerivationBudget
  ) throws(VaultError) {
    switch self {
    case .der(let bytes): try Self.read(bytes, into: &found, passphrase, &budget)
    case .pem(let blocks):
      for block in blocks { try block.read(into: &found, passphrase, &budget) }
    }
  }

  /// Reads what is in DER, by the beginning of its structure.
  private static func read(
    _ bytes: Secret, into found: inout KeysAndCertificates, _ passphrase: Secret?,
    _ budget: inout DerivationBudget
  ) throws(VaultError) {
    var reader = ASN1Reader(bytes, .ber)
    let whole = try reader.next(ASN1.sequence)
    try reader.finish()
    var parts = whole.elements
    let first = try parts.next()
    let second = try parts.next()
    switch (first.tag, second.tag) {
    case (ASN1.integer, ASN1.sequence) where try first.integer() == 3:
      let opened = try PKCS12Reader(bytes).open(passphrase, &budget)
      found.keys += opened.keys
      found.certificates += opened.certificates
    case (ASN1.integer, ASN1.sequence):
      found.keys.append(.init(value: try PrivateKey(pkcs8: bytes)))
    case (ASN1.integer, ASN1.integer):
      found.keys.append(.init(value: try PrivateKey(rsa: bytes)))
    case (ASN1.integer, ASN1.octetString):
      found.keys.append(.init(value: try PrivateKey(ec: bytes)))
    case (ASN1.sequence, ASN1.octetString):
      found.keys.append(.init(value: try EncryptedKey.open(whole, passphrase, &budget)))
    case (ASN1.sequence, ASN1.sequence):
      found.certificates.append(.init(value: try Certificate(der: bytes.public)))
    default: throw ASN1.malformed
    }
  }
}

extension PEMBlock {
  fileprivate func read(
    into found: inout KeysAndCertificates, _ passphrase: Secret?,
    _ budget: inout DerivationBudget
  ) throws(VaultError) {
    switch label {
    case "CERTIFICATE", "X509 CERTIFICATE":
      found.certificates.append(.init(value: try Certificate(der: content.public)))
    case "PRIVATE KEY":
      found.keys.append(.init(value: try PrivateKey(pkcs8: content)))
    case "ENCRYPTED PRIVATE KEY":
      var reader = ASN1Reader(content, .ber)
      let element = try reader.next(ASN1.sequence)
      try reader.finish()
      found.keys.append(.init(value: try EncryptedKey.open(element, passphrase, &budget)))
    case "RSA PRIVATE KEY":
      found.keys.append(.init(value: try PrivateKey(rsa: try opened(passphrase))))
    case "EC PRIVATE KEY":
      found.keys.append(.init(value: try PrivateKey(ec: try opened(passphrase))))
    case "TSS2 PRIVATE KEY":
      throw VaultError(
        .unsupportedAlgorithm, "key: it is in this machine's TPM, and the file only names it")
    case let label where label.hasSuffix("PRIVATE KEY"):
      throw VaultError(.unsupportedAlgorithm, "key: its kind is not supported")
    // Parameters, public keys, revocation lists.
    default: break
    }
  }

  private func opened(_ passphrase: Secret?) throws(VaultError) -> Secret {
    guard let information = fields["DEK-Info"] else { return content }
    return try TraditionalEncryption.open(content, information, passphrase)
  }
}

extension Certificate {
  /// Reads the certificates of a file: all of a PEM file in its order, or the one of a DER file.
  ///
  /// Other blocks of a PEM file, keys among them, are skipped.
  ///
  /// - Parameter file: The bytes of the file, 4 MiB at most.
  /// - Returns: No certificate if the file is text without any.
  /// - Throws: ``VaultError/Code/invalidData`` for one that is malformed;
  ///   ``VaultError/Code/tooLarge``.
  public static func all(in file: [UInt8]) throws(VaultError) -> [Certificate] {
    guard file.count <= 4 << 20 else {
      throw VaultError(.tooLarge, "certificates: longer than 4 MiB")
    }
    guard file.first != ASN1.sequence else { return [try Certificate(der: file)] }
    var certificates: [Certificate] = []
    for block in try PEMBlock.read(Secret(copying: file.span)) where block.isCertificate {
      certificates.append(try Certificate(der: block.content.public))
    }
    return certificates
  }
}
