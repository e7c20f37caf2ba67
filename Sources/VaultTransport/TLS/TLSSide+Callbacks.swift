import CVaultLibssl
import TLSCredentials
import VaultModel

/// Functions that OpenSSL calls in handshakes.
extension TLSSide {
  /// Has OpenSSL call this side for a context's connections.
  ///
  /// - Parameter settings: libcurl's context, whose connections end before the partition whose
  ///   route keeps this side.
  @unsafe func take(_ settings: OpaquePointer) {
    // As above.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe SSL_CTX_set_verify(settings, SSL_VERIFY_PEER, nil)
    unsafe SSL_CTX_set_cert_verify_callback(settings, Self.verify, context)
    unsafe SSL_CTX_set_cert_cb(settings, Self.choose, context)
  }

  private static func side(_ context: UnsafeMutableRawPointer?) -> TLSSide? {
    // The route of the partition keeps it.
    unsafe context.map { unsafe Unmanaged<TLSSide>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Judges the server: 1 trusts it.
  private static let verify: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
    store, context in
    guard let side = unsafe side(context), let store = unsafe store else { return 0 }
    var chain: [Certificate] = []
    var index: Int32 = 0
    do throws(VaultError) {
      // OpenSSL's certificates live during the call, and are copied.
      while let sent = unsafe vault_tls_sent(store, index) {
        chain.append(try Certificate(der: unsafe OpenSSL.encoding(sent, i2d_X509)))
        index += 1
      }
    } catch {
      // An unreadable certificate has no part in a path; an unreadable leaf is refused.
      if chain.isEmpty { return 0 }
    }
    let isTrusted = side.judge(chain)
    unsafe X509_STORE_CTX_set_error(
      store, isTrusted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
    return isTrusted ? 1 : 0
  }

  /// Answers a server that asks for an identity: 1 goes on, 0 ends the handshake.
  private static let choose: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Int32 = {
    connection, context in
    guard let side = unsafe side(context), let connection = unsafe connection else { return 0 }
    side.note(unsafe request(of: connection))
    switch side.presentation {
    case .nothing: return 1
    case .unknown: return 0
    case .identity(let identity): return unsafe identity.present(to: connection) ? 1 : 0
    }
  }

  /// Reads what the server accepts.
  @unsafe private static func request(of connection: OpaquePointer) -> IdentityRequest {
    var request = IdentityRequest()
    var index: Int32 = 0
    while let name = unsafe vault_tls_authority(connection, index) {
      var start: UnsafePointer<UInt8>? = nil
      var count = 0
      index += 1
      // OpenSSL's bytes live during the handshake, and are copied.
      guard unsafe X509_NAME_get0_der(name, &start, &count) == 1, let start = unsafe start else {
        continue
      }
      let der = unsafe Array(UnsafeBufferPointer(start: start, count: count))
      do throws(VaultError) {
        request.acceptableIssuers.append(try DistinguishedName(der: der))
      } catch {
        // A name that cannot be read is nobody's.
        continue
      }
    }
    let schemes = unsafe SSL_get_sigalgs(connection, -1, nil, nil, nil, nil, nil)
    for index in 0..<max(0, schemes) {
      var (low, high): (UInt8, UInt8) = (0, 0)
      // OpenSSL writes two bytes of ours.
      guard unsafe SSL_get_sigalgs(connection, index, nil, nil, nil, &low, &high) > 0 else {
        continue
      }
      request.signatureSchemes.append(UInt16(high) << 8 | UInt16(low))
    }
    return request
  }
}
