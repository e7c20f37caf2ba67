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
  /// The connection of a login, which is held while the response arrives; nil for others.
  var place: LoginPlace?
}

/// The options of a handle that stay when it sends another plain request of the same route.
///
/// Setting all of them again costs as much as a small request.
struct HandleShape: Hashable, Sendable {
  let limits: TimeLimits
  let allowsHTTP2: Bool
  let decodesContent: Bool
  let capacity: Int

  /// Returns that of a request; nil for one with more than a URL and fields.
  init?(_ attempt: TransferAttempt) {
    guard attempt.method == "GET", attempt.body == nil, attempt.socksCredential == nil else {
      return nil
    }
    limits = attempt.limits
    allowsHTTP2 = attempt.allowsHTTP2
    decodesContent = attempt.decodesContent
    capacity = attempt.capacity
  }
}
