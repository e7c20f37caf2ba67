import CredentialVault
import SecureMemory
public import VaultModel

extension Identity {
  /// The programs that have to read an exported PKCS #12 file.
  public enum PKCS12Form: Sendable, CaseIterable {
    /// AES-256 and SHA-256: OpenSSL, Java, NSS, Windows from 2019 on.
    case modern
    /// 3DES and SHA-1, which macOS and older Windows require. Keep such a file for the transfer
    /// only.
    case compatible
  }

  /// Writes the identity as PKCS #12: the key, its certificate and the chain.
  ///
  /// Blocking: derives three keys, some tenths of a second.
  ///
  /// - Parameters:
  ///   - passphrase: The passphrase of the file, in UTF-8.
  ///   - form: The programs that have to read it.
  /// - Returns: The bytes of the file.
  /// - Throws: ``VaultError/Code/invalidArgument`` for an empty passphrase or one that is not
  ///   UTF-8.
  public func pkcs12(
    passphrase: Secret, form: PKCS12Form = .modern
  ) throws(VaultError) -> Secret {
    try pkcs12(passphrase: passphrase, form: form, iterations: 100_000)
  }

  /// Writes the same with another cost, for tests.
  package func pkcs12(
    passphrase: Secret, form: PKCS12Form, iterations: Int
  ) throws(VaultError) -> Secret {
    guard passphrase.count > 0 else {
      throw VaultError(.invalidArgument, "identity: an exported file needs a passphrase")
    }
    guard let phrase = try FilePassphrase.forms(of: passphrase).first else { throw Crypto.failed }
    let writer = PKCS12Writer(passphrase: phrase, form: form, iterations: iterations)
    return try writer.file(of: self)
  }
}

/// Writes a file of PKCS #12 (RFC 7292).
private struct PKCS12Writer {
  let passphrase: FilePassphrase
  let form: Identity.PKCS12Form
  let iterations: Int

  func file(of identity: Identity) throws(VaultError) -> Secret {
    // As OpenSSL does: it only has to be the same for both.
    let id = try Hash.sha1(identity.certificate.der)
    var bags = [bag(of: identity.certificate, [localKeyID(id)] + name(identity.label))]
    bags += identity.chain.map { bag(of: $0, []) }
    let certificates = DER.constructed(ASN1.sequence, bags).secret
    let (algorithm, bytes) = try encrypt(certificates)
    let encrypted = DER.sequence(
      .integer(0),
      .sequence(
        .oid(.data), algorithm, DER.primitive(0x80, bytes.public)))

    let (keyAlgorithm, key) = try encrypt(identity.key.pkcs8)
    let keys = DER.sequence(
      .sequence(
        .oid(.shroudedKeyBag), .explicit(0, .sequence(keyAlgorithm, .octetString(key))),
        .constructed(ASN1.set, [localKeyID(id)] + name(identity.label))))

    let contents = DER.sequence(
      .sequence(.oid(.encryptedData), .explicit(0, encrypted)),
      .sequence(.oid(.data), .explicit(0, .octetString(keys.secret)))
    ).secret
    return DER.sequence(
      .integer(3), .sequence(.oid(.data), .explicit(0, .octetString(contents))),
      try mac(of: contents)
    ).secret
  }

  private func bag(of certificate: Certificate, _ attributes: [DER]) -> DER {
    let value = DER.sequence(
      .oid(.x509Certificate), .explicit(0, .octetString(certificate.der)))
    let parts = [.oid(.certificateBag), DER.explicit(0, value)]
    return .constructed(
      ASN1.sequence, attributes.isEmpty ? parts : parts + [.constructed(ASN1.set, attributes)])
  }

  private func localKeyID(_ id: [UInt8]) -> DER {
    .sequence(.oid(.localKeyID), .constructed(ASN1.set, [.octetString(id)]))
  }

  private func name(_ label: String) -> [DER] {
    guard !label.isEmpty else { return [] }
    let units = label.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    return [.sequence(.oid(.friendlyName), .constructed(ASN1.set, [.primitive(0x1E, units)]))]
  }

  private func encrypt(_ bytes: Secret) throws(VaultError) -> (algorithm: DER, bytes: Secret) {
    let salt = try Crypto.random(16)
    switch form {
    case .modern:
      let iv = try Crypto.random(16)
      let key = try KeyDerivation.pbkdf2(
        passphrase.utf8, salt: salt, iterations: iterations, .sha256, count: 32)
      let function = DER.sequence(
        .oid(.pbkdf2),
        .sequence(
          .octetString(salt), .integer(iterations), .sequence(.oid(.hmacSHA256), .null)))
      let algorithm = DER.sequence(
        .oid(.pbes2), .sequence(function, .sequence(.oid(.aes256CBC), .octetString(iv))))
      return (algorithm, try Cipher.aes256.encrypt(bytes, key: key, iv: iv))
    case .compatible:
      func derived(_ purpose: KeyDerivation.Purpose, _ count: Int) throws(VaultError) -> Secret {
        try KeyDerivation.pkcs12(
          passphrase.utf16, salt: salt, iterations: iterations, .sha1, purpose, count: count)
      }
      let algorithm = DER.sequence(
        .oid(.pkcs12TripleDES), .sequence(.octetString(salt), .integer(iterations)))
      let encrypted = try Cipher.tripleDES.encrypt(
        bytes, key: try derived(.key, 24), iv: try derived(.iv, 8).public)
      return (algorithm, encrypted)
    }
  }

  private func mac(of contents: Secret) throws(VaultError) -> DER {
    let salt = try Crypto.random(16)
    let (hash, oid): (Hash, OID) = form == .modern ? (.sha256, .sha256) : (.sha1, .sha1)
    let key = try KeyDerivation.pkcs12(
      passphrase.utf16, salt: salt, iterations: iterations, hash, .mac, count: hash.count)
    let code = try hash.authenticationCode(of: contents, key: key)
    return .sequence(
      .sequence(.sequence(.oid(oid), .null), .octetString(code)), .octetString(salt),
      .integer(iterations))
  }
}
