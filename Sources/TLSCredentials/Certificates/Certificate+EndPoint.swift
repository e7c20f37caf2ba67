import CVaultLibcrypto
import VaultModel

extension Certificate {
  /// The data that bind a login to a server with this certificate: a name, and a hash of it.
  ///
  /// The hash is that of the certificate's signature, or SHA-256 for a weaker one; empty for a
  /// signature without a hash.
  ///
  /// - Source: RFC 5929 §4.1.
  package var endPointBinding: [UInt8] {
    var digest: Int32 = 0
    // The object lives as long as its certificate; the number is ours.
    guard unsafe X509_get_signature_info(parsed.pointer, &digest, nil, nil, nil) == 1,
      let hash = Self.endPointHashes[digest]
    else { return [] }
    do throws(VaultError) {
      return Array("tls-server-end-point:".utf8) + (try hash(der))
    } catch {
      // A login without a binding, which a server that requires one refuses.
      return []
    }
  }

  private static let endPointHashes: [Int32: Hash] = [
    NID_md5: .sha256, NID_sha1: .sha256, NID_md5_sha1: .sha256, NID_sha224: .sha224,
    NID_sha256: .sha256, NID_sha384: .sha384, NID_sha512: .sha512, NID_sha512_224: .sha512_224,
    NID_sha512_256: .sha512_256,
  ]
}
