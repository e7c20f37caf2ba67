import CVaultLibssl
import SecureMemory
import TLSCredentials
import VaultModel

/// An identity in OpenSSL's form, ready for handshakes.
///
/// The key is in OpenSSL's memory for as long as connections may need it.
// Proof: the objects are this one's own and never change after `init`; OpenSSL counts the
// references that connections take.
@safe final class PresentedIdentity: @unchecked Sendable {
  let fingerprint: Fingerprint
  private let certificate: OpaquePointer
  private let chain: OpaquePointer
  private let key: OpaquePointer

  /// Converts an identity.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if OpenSSL cannot read it.
  init(_ identity: Identity) throws(VaultError) {
    fingerprint = identity.certificate.fingerprint
    func read(_ certificate: Certificate) throws(VaultError) -> OpaquePointer {
      // The bytes are read during the call.
      let read = unsafe certificate.der.withUnsafeBufferPointer { bytes in
        var start = bytes.baseAddress
        return unsafe d2i_X509(nil, &start, bytes.count)
      }
      guard let read = unsafe read else { throw Self.malformed }
      return unsafe read
    }
    // Each is freed here if a later one fails.
    let certificate = try unsafe read(identity.certificate)
    guard let chain = unsafe vault_tls_stack() else {
      unsafe X509_free(certificate)
      throw VaultError(.outOfMemory, "identity: no memory")
    }
    do throws(VaultError) {
      for issuer in identity.chain {
        let issuer = try unsafe read(issuer)
        defer { unsafe X509_free(issuer) }
        guard unsafe vault_tls_push(chain, issuer) == 1 else { throw Self.malformed }
      }
      let key = unsafe identity.key.pkcs8.withBytes { bytes in
        // The bytes are read during the call.
        unsafe bytes.withUnsafeBufferPointer { bytes in
          var start = bytes.baseAddress
          return unsafe d2i_AutoPrivateKey(nil, &start, bytes.count)
        }
      }
      guard let key = unsafe key else { throw Self.malformed }
      unsafe self.key = key
    } catch {
      unsafe X509_free(certificate)
      unsafe vault_tls_free_stack(chain)
      ERR_clear_error()
      throw error
    }
    unsafe self.certificate = certificate
    unsafe self.chain = chain
  }

  deinit {
    // As above; freeing the key wipes it.
    unsafe X509_free(certificate)
    unsafe vault_tls_free_stack(chain)
    unsafe EVP_PKEY_free(key)
  }

  /// Gives a connection the identity.
  @unsafe func present(to connection: OpaquePointer) -> Bool {
    // OpenSSL takes references of its own.
    unsafe SSL_use_cert_and_key(connection, certificate, key, chain, 1) == 1
  }

  private static var malformed: VaultError {
    VaultError(.invalidData, "identity: OpenSSL cannot read it")
  }
}

extension PresentedIdentity: Equatable {
  /// Returns whether both are of the same certificate.
  static func == (left: PresentedIdentity, right: PresentedIdentity) -> Bool {
    left.fingerprint == right.fingerprint
  }
}

/// Conversions of OpenSSL's objects.
enum OpenSSL {
  /// Returns the encoding of an object, which lives during the call.
  ///
  /// - Throws: ``VaultError/Code/invalidData``.
  @unsafe static func encoding(
    _ object: OpaquePointer,
    _ encode: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
  ) throws(VaultError) -> [UInt8] {
    let count = unsafe encode(object, nil)
    guard count > 0 else { throw VaultError(.invalidData, "certificate: malformed") }
    var bytes = [UInt8](repeating: 0, count: Int(count))
    // As many bytes as it has just said.
    unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      _ = unsafe encode(object, &start)
    }
    return bytes
  }
}
