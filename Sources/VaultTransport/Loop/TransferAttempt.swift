import HTTPAuthentication
import SecureMemory
import VaultModel

/// One request as libcurl gets it, without redirects and challenges.
struct TransferAttempt: Sendable {
  let route: Route
  let method: String
  let url: RequestURL
  /// The fields for the server, without those that log in.
  var fields: [ResponseHead.Field]
  /// The fields for the proxy.
  var proxyFields: [ResponseHead.Field] = []
  /// The fields that log in.
  var authorization: [AuthorizationField] = []
  /// The credential of a SOCKS proxy, which libcurl uses itself.
  var socksCredential: Credential?
  /// The body; nil for none.
  var body: (any UploadSource)?
  var limits: TimeLimits
  var mostConnections: Int
  var allowsHTTP2: Bool
  var decodesContent: Bool
  var capacity: Int
  var progress: (@Sendable (TransportProgress) -> Void)?
}
