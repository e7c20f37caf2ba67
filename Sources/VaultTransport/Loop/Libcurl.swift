import CVaultCurl
import CVaultLibssl
import VaultModel

/// The libcurl that this process has loaded.
enum Libcurl {
  /// The oldest version of which a cancelled name resolution holds nobody up: 7.87.
  private static let oldest: UInt32 = 0x075700

  /// Checks that libcurl does all that is asked of it, and initializes it.
  ///
  /// - Throws: ``VaultError/Code/unsupported``, saying what it lacks.
  static func require() throws(VaultError) {
    // The loop's thread and the vault's may be within libcrypto when the process exits, which would
    // free libcrypto's locks under them: seen as a segfault in pthread_rwlock_unlock.
    _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    // The loop calls this once, with a lock held. libcurl's description lives as long as libcurl.
    guard curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK,
      let version = unsafe curl_version_now()
    else { throw VaultError(.unsupported, "transport: libcurl cannot be initialized") }
    let tls = unsafe version.pointee.ssl_version.map { unsafe String(cString: $0) } ?? "none"
    try check(version: unsafe version.pointee.version_num, tls: tls)
  }

  /// Checks a version of libcurl and its library for TLS.
  ///
  /// With GnuTLS, identities in memory are ignored without a word, and nobody judges the server.
  static func check(version: UInt32, tls: String) throws(VaultError) {
    guard tls.hasPrefix("OpenSSL/") else {
      throw VaultError(
        .unsupported, "transport: libcurl is built with \(tls), and needs to be with OpenSSL")
    }
    guard version >= oldest else {
      let text = "\(version >> 16).\(version >> 8 & 0xFF)"
      throw VaultError(.unsupported, "transport: libcurl \(text) is older than 7.87")
    }
  }
}
