import CVaultLibcrypto
import SecureMemory
public import VaultModel

/// An X.509 certificate, parsed and unverified.
///
/// Two certificates are equal if their bytes are.
public struct Certificate: Sendable {
  /// The encoding, byte for byte as it was read.
  public let der: [UInt8]
  /// The holder's name.
  public let subject: DistinguishedName
  /// The name of the authority that signed it.
  public let issuer: DistinguishedName
  /// The number that its authority gave it: big-endian, as it is encoded.
  public let serialNumber: [UInt8]
  /// The first moment of its validity.
  public let notBefore: Timestamp
  /// The last moment of its validity.
  public let notAfter: Timestamp
  /// The kind and size of its key.
  public let keyAlgorithm: KeyAlgorithm
  /// SHA-256 of the encoding.
  public let fingerprint: Fingerprint
  /// SHA-256 of the encoded public key (SubjectPublicKeyInfo): what a pin names (RFC 7469 §2.4).
  public let publicKeyHash: Fingerprint
  /// The ways in which its key may be used; nil if it does not say.
  package let keyUsage: KeyUsage?
  /// The purposes that its key may be used for; nil if it does not say.
  package let extendedKeyUsage: [ExtendedKeyUsage]?
  /// Its subject alternative names: hosts, addresses, mailboxes and URIs.
  ///
  /// Names that are not printable ASCII are omitted.
  public let names: [SubjectName]
  /// Whether it may sign other certificates.
  package let isAuthority: Bool

  /// The hosts, each with all below it, that it excludes from the certificates that it signs.
  let excludedHosts: [String]
  /// The bits of its public key.
  let publicKey: [UInt8]
  let parsed: ParsedCertificate

  /// Reads a certificate.
  ///
  /// - Parameter der: The encoding of one certificate by DER, at most 1 MiB, and nothing after it.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed; ``VaultError/Code/tooLarge``.
  public init(der: [UInt8]) throws(VaultError) {
    try self.init(der: der) { () throws(VaultError) in try ParsedCertificate(der) }
  }

  /// Takes a certificate that libcrypto has parsed.
  ///
  /// - Throws: As ``init(der:)``.
  init(_ parsed: ParsedCertificate) throws(VaultError) {
    try self.init(der: parsed.encoding()) { parsed }
  }

  private init(
    der: [UInt8], parse: () throws(VaultError) -> ParsedCertificate
  ) throws(VaultError) {
    guard der.count <= 1 << 20 else {
      throw VaultError(.tooLarge, "certificate: longer than 1 MiB")
    }
    let fields: CertificateFields
    do throws(VaultError) {
      parsed = try parse()
      fields = try CertificateFields(der)
    } catch {
      throw error.code == .invalidData ? VaultError(.invalidData, "certificate: malformed") : error
    }
    self.der = der
    subject = DistinguishedName(unchecked: fields.subject)
    issuer = DistinguishedName(unchecked: fields.issuer)
    serialNumber = fields.serialNumber
    (notBefore, notAfter) = (fields.notBefore, fields.notAfter)
    (keyAlgorithm, publicKey) = (fields.keyAlgorithm, fields.publicKey)
    fingerprint = Fingerprint(unchecked: try Hash.sha256(der))
    publicKeyHash = Fingerprint(unchecked: try Hash.sha256(fields.publicKeyInfo))
    keyUsage = fields.keyUsage
    extendedKeyUsage = fields.extendedKeyUsage
    names = fields.names
    isAuthority = fields.isAuthority
    excludedHosts = fields.excludedHosts
  }

  /// Whether subject and issuer are one.
  package var isSelfIssued: Bool { subject.der == issuer.der }

  /// Returns SHA-1 of the bits of its public key, by which older programs name a key (RFC 5280
  /// §4.2.1.2).
  package func keyIdentifier() throws(VaultError) -> [UInt8] { try Hash.sha1(publicKey) }

  /// Returns whether another certificate may be that of its issuer: by names and key identifiers,
  /// not by the signature.
  func mayBeIssued(by other: Certificate) -> Bool {
    // Both objects live as long as their certificates.
    unsafe X509_check_issued(other.parsed.pointer, parsed.pointer) == X509_V_OK
  }
}

extension Certificate: Hashable {
  /// Returns whether the certificates have the same bytes.
  public static func == (left: Certificate, right: Certificate) -> Bool { left.der == right.der }

  /// Hashes the fingerprint.
  public func hash(into hasher: inout Hasher) { hasher.combine(fingerprint) }
}

extension Certificate: CustomStringConvertible {
  /// The subject in words.
  public var description: String { subject.description }
}

/// libcrypto's form of a certificate.
// Proof: it is freed once, and libcrypto locks what it computes later of a certificate.
@safe final class ParsedCertificate: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ der: [UInt8]) throws(VaultError) {
    // Of this object alone.
    unsafe pointer = try Crypto.parsed(der, d2i_X509, free: X509_free)
  }

  /// Shares a certificate of libcrypto's.
  @unsafe init(sharing pointer: OpaquePointer) {
    // A reference of this object's own, which `deinit` gives back.
    unsafe X509_up_ref(pointer)
    unsafe self.pointer = pointer
  }

  /// Returns the encoding, as it was parsed.
  func encoding() throws(VaultError) -> [UInt8] {
    // libcrypto allocates the bytes, which are copied and freed.
    var bytes: UnsafeMutablePointer<UInt8>? = nil
    let count = unsafe i2d_X509(pointer, &bytes)
    guard count > 0, let start = unsafe bytes else { throw Crypto.failed }
    defer { unsafe CRYPTO_free(start, nil, 0) }
    return unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))
  }

  deinit {
    // As above; those who use it hold the object.
    unsafe X509_free(pointer)
  }
}
