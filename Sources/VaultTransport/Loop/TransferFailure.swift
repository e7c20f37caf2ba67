import CVaultCurl
import Glibc
import HTTPAuthentication
import VaultModel

/// The end of a transfer that has no whole response.
struct TransferFailure: Error {
  /// The kinds that a request does not just end with.
  enum Kind: Sendable {
    /// The server or its proxy was not trusted.
    case untrusted
    /// TLS failed otherwise, or the connection broke, which may be the server's answer to an
    /// identity.
    case tls
    /// The proxy refused a tunnel; its own response says why.
    case tunnel(ResponseHead)
    case other
  }

  let kind: Kind
  let error: any Error

  init(_ error: any Error, _ kind: Kind = .other) {
    self.error = error
    self.kind = kind
  }

  static let outOfMemory = TransferFailure(VaultError(.outOfMemory, "transport: no memory"))
  static let cancelled = TransferFailure(VaultError.cancelled)
  static let unfinished = TransferFailure(
    VaultError(.invalidData, "transport: a response without a status"))
  static let idle = TransferFailure(
    VaultError(
      .unavailable, "transport: nothing was sent or received for too long",
      underlying: .errno(ETIMEDOUT)))

  /// Maps a code of libcurl.
  ///
  /// - Parameters:
  ///   - code: The code.
  ///   - text: libcurl's words, which contain hosts and numbers only; empty if it has none.
  ///   - system: The error of the last system call that failed; 0 if there was none.
  init(_ code: CURLcode, _ text: String, system: Int32) {
    // libcurl's description of a code is static.
    let words = text.isEmpty ? unsafe String(cString: curl_easy_strerror(code)) : text
    let context = "transport: \(words)"
    func unavailable(_ number: Int32) -> VaultError {
      VaultError(.unavailable, context, underlying: .errno(number))
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
      self.init(unavailable(EHOSTUNREACH))
    case CURLE_COULDNT_CONNECT, CURLE_PROXY, CURLE_INTERFACE_FAILED:
      self.init(unavailable(system == 0 ? ECONNREFUSED : system))
    case CURLE_OPERATION_TIMEDOUT: self.init(unavailable(ETIMEDOUT))
    case CURLE_PEER_FAILED_VERIFICATION: self.init(unavailable(EKEYREJECTED), .untrusted)
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
      self.init(unavailable(EPROTO), .tls)
    // A server refuses a certificate after the handshake, when the response is read.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR: self.init(unavailable(ECONNRESET), .tls)
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_SEND_FAIL_REWIND:
      self.init(unavailable(ECONNRESET))
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING:
      self.init(VaultError(.invalidData, context))
    case CURLE_URL_MALFORMAT: self.init(VaultError(.invalidArgument, context))
    case CURLE_OUT_OF_MEMORY: self.init(VaultError(.outOfMemory, context))
    default: self.init(VaultError(.unavailable, context))
    }
  }
}
