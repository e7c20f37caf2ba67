import CVaultLibcrypto
import SecureMemory
import VaultModel

/// The authorities that a chain has to lead to.
///
/// Making it parses and indexes them: keep it for many evaluations.
public struct TrustAnchors: Sendable {
  let store: AnchorStore

  /// The system's authorities, as OpenSSL finds them.
  ///
  /// Debian's are in `/etc/ssl/certs`; `SSL_CERT_FILE` and `SSL_CERT_DIR` name others. They are
  /// read once in a process.
  public static let system = TrustAnchors(store: AnchorStore(isSystem: true))

  /// Creates anchors of one's own authorities, and no others.
  ///
  /// - Parameter certificates: Roots, or other certificates that are trusted as they are. None of
  ///   them trusts nobody.
  public init(_ certificates: [Certificate]) {
    store = AnchorStore(isSystem: false)
    store.add(certificates)
  }

  /// Creates anchors of the system's authorities and one's own.
  public init(systemAnd certificates: [Certificate]) {
    store = AnchorStore(isSystem: true)
    store.add(certificates)
  }

  private init(store: AnchorStore) {
    self.store = store
  }
}

/// libcrypto's store of trusted certificates.
// Proof: nothing is added after `init` and `add`, which precede every use; libcrypto locks its
// lists, and reads the folder of the system's under that lock. The other field has its own lock.
@safe final class AnchorStore: @unchecked Sendable {
  /// Nil if there is no memory; then every chain leads nowhere.
  let pointer: OpaquePointer?
  /// The anchors that are one's own or ended a path, by the addresses of libcrypto's objects, which
  /// these keep alive: reading a certificate costs as much as verifying a signature.
  private let read = Lock<[UInt: Certificate]>([:])

  init(isSystem: Bool) {
    // Of this object alone.
    unsafe pointer = X509_STORE_new()
    // Files that cannot be read leave the store empty, which trusts nobody.
    if isSystem { _ = unsafe X509_STORE_set_default_paths(pointer) }
    ERR_clear_error()
  }

  fileprivate func add(_ certificates: [Certificate]) {
    for certificate in certificates {
      // The store holds a reference of its own; one that it has already is not a failure.
      _ = unsafe X509_STORE_add_cert(pointer, certificate.parsed.pointer)
    }
    ERR_clear_error()
    read.withLock { read in
      // Compared only.
      for known in certificates {
        read[unsafe UInt(bitPattern: known.parsed.pointer)] = known
      }
    }
  }

  /// Returns an anchor of a path.
  ///
  /// - Parameter anchor: One of the store's, which is valid during the call.
  /// - Returns: The certificate, which shares libcrypto's object.
  /// - Throws: ``VaultError/Code/invalidData`` for one that only libcrypto can read.
  @unsafe func certificate(_ anchor: OpaquePointer) throws(VaultError) -> Certificate {
    let address = UInt(bitPattern: anchor)
    if let known = read.withLock({ $0[address] }) { return known }
    // It is valid here, and shared from now on.
    let certificate = try Certificate(unsafe ParsedCertificate(sharing: anchor))
    read.withLock { $0[address] = certificate }
    return certificate
  }

  deinit {
    // As above; an evaluation holds the object.
    unsafe X509_STORE_free(pointer)
  }
}

/// A list of certificates that an authority has revoked (RFC 5280 §5).
public struct RevocationList: Sendable {
  /// The encoding.
  public let der: [UInt8]
  /// The authority that signed it.
  public let issuer: DistinguishedName

  let parsed: ParsedRevocationList

  /// Reads a list.
  ///
  /// - Parameter der: One list encoded by DER, 16 MiB at most.
  /// - Throws: ``VaultError/Code/invalidData`` if it is malformed; ``VaultError/Code/tooLarge``.
  public init(der: [UInt8]) throws(VaultError) {
    guard der.count <= 16 << 20 else {
      throw VaultError(.tooLarge, "revocation list: longer than 16 MiB")
    }
    do throws(VaultError) {
      parsed = try ParsedRevocationList(der)
      var reader = ASN1Reader(Secret(copying: der.span), .der)
      var list = try reader.next(ASN1.sequence).elements
      var fields = try list.next(ASN1.sequence).elements
      _ = try fields.optional(ASN1.integer)
      _ = try fields.next(ASN1.sequence)
      issuer = DistinguishedName(unchecked: try fields.next(ASN1.sequence).encoding)
    } catch {
      throw error.code == .invalidData
        ? VaultError(.invalidData, "revocation list: malformed") : error
    }
    self.der = der
  }
}

/// libcrypto's form of a revocation list.
// Proof: it is freed once, and libcrypto locks what it computes later of a list.
@safe final class ParsedRevocationList: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ der: [UInt8]) throws(VaultError) {
    // Of this object alone.
    unsafe pointer = try Crypto.parsed(der, d2i_X509_CRL, free: X509_CRL_free)
  }

  deinit {
    // As above; an evaluation holds the object.
    unsafe X509_CRL_free(pointer)
  }
}
