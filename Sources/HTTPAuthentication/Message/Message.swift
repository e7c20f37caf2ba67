public import SecureMemory
public import VaultModel

/// The parts of a request that authentication needs.
public struct RequestHead: Sendable {
  /// The method, such as `GET`; case-sensitive.
  public var method: String
  /// The URL of the request; a user in it is the one that is wanted, with a password a credential.
  public var url: RequestURL
  /// The proxy that it goes through.
  public var proxy: Proxy?
  /// The body, which Digest covers if the server requires `auth-int`; nil if it is not at hand.
  ///
  /// Nil means no body for the methods that usually have none: `GET`, `HEAD`, `OPTIONS`, `TRACE`.
  public var body: [UInt8]?
  /// The caller's credential for the server itself; once it is accepted, it is stored as its
  /// persistence asks, and the policy allows.
  public var credential: Credential?
  /// The caller's credential for the proxy itself, stored in the same way.
  public var proxyCredential: Credential?
  /// The user whose credential is wanted at the server; nil leaves it to the vault.
  public var user: String?
  /// The user whose credential is wanted at the proxy; nil leaves it to the vault.
  public var proxyUser: String?
  /// Whether the client can send a request over one certain connection, or one that nobody else
  /// uses, as ``Exchange/owner`` says; without it, neither Negotiate nor NTLM is answered.
  public var tellsConnectionsApart = false
  /// The switches of this request; those that are not set are the authenticator's.
  public var options = RequestOptions()

  /// Creates a request; the caller sets its other attributes.
  public init(_ method: String = "GET", url: RequestURL, proxy: Proxy? = nil) {
    self.method = method
    self.url = url
    self.proxy = proxy
  }

  /// Whether the proxy only relays bytes, after `CONNECT`: it sees only the server's host and port.
  package var isTunnelled: Bool { proxy != nil && url.origin.protocol == .https }

  /// The body that is sent, as far as it is known.
  var bodyAtHand: [UInt8]? {
    body ?? (["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) ? [] : nil)
  }
}

/// The HTTP proxy that a request goes through.
public struct Proxy: Hashable, Sendable {
  /// The proxy's own host, never that of the server behind it.
  public let host: HostName
  /// The proxy's port.
  public let port: UInt16
  /// ``NetworkProtocol/httpProxy``, or ``NetworkProtocol/httpsProxy`` if the connection to the
  /// proxy is encrypted.
  public let type: NetworkProtocol

  /// Creates a proxy.
  ///
  /// - Parameters:
  ///   - host: A host as ``HostName/init(_:)`` reads it, not empty.
  ///   - port: 1 to 65535.
  ///   - overTLS: Whether the connection to the proxy itself uses TLS.
  /// - Throws: ``VaultError/Code/invalidArgument`` if host or port is invalid.
  public init(host: String, port: Int, overTLS: Bool = false) throws(VaultError) {
    guard let number = UInt16(exactly: port), number > 0 else {
      throw VaultError(.invalidArgument, "port: not in 1 to 65535")
    }
    self.host = try HostName(host)
    guard !self.host.isUnset else { throw VaultError(.invalidArgument, "proxy: no host") }
    self.port = number
    type = overTLS ? .httpsProxy : .httpProxy
  }

  /// Creates the proxy that a URL names, as in `http_proxy`; its user and password are left to the
  /// caller.
  public init(_ url: RequestURL) {
    host = url.origin.host
    port = url.origin.port
    type = url.origin.protocol == .https ? .httpsProxy : .httpProxy
  }

  /// Whether data sent there does not leave this machine unencrypted.
  package var isTrustworthy: Bool { type.isEncrypted || host.isLoopback }
}

/// The parts of a response that authentication needs.
public struct ResponseHead: Sendable {
  /// One field line.
  public struct Field: Sendable {
    /// The name, in any case.
    public let name: String
    /// The value, without surrounding blanks.
    public let value: String

    /// Creates a field from its name and value.
    public init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// The status code.
  public let status: Int
  /// All fields in their order; a name may occur several times.
  public let fields: [Field]

  /// Creates a response.
  public init(status: Int, fields: [Field]) {
    self.status = status
    self.fields = fields
  }

  /// Returns the names of the fields that authentication reads in a response with this status.
  package static func namesRead(of status: Int) -> [String] {
    switch status {
    // A 403 says there which scope a token lacks (RFC 6750 §3.1).
    case 401, 403: ["WWW-Authenticate"] + proofs
    case 407: ["Proxy-Authenticate"] + proofs
    // A server proves there that Negotiate has reached the right one (RFC 4559 §5).
    case 200..<400, 404: ["WWW-Authenticate"] + proofs
    default: proofs
    }
  }

  private static let proofs = ["Authentication-Info", "Proxy-Authentication-Info"]

  /// Returns the values of all fields with a name, in any case of ASCII letters, in their order.
  func values(of name: String) -> [String] {
    fields.lazy.filter { $0.name.hasSameBytesIgnoringCase(as: name) }.map(\.value)
  }
}

/// An `Authorization` or `Proxy-Authorization` field that is ready to be sent.
///
/// It is for one request, to the origin or proxy that it was made for; a redirect elsewhere must
/// not carry it.
public struct AuthorizationField: Sendable {
  /// `Authorization` or `Proxy-Authorization`.
  public let name: String
  /// The value: visible ASCII and blanks, never a line end; other bytes only if the server's realm
  /// has them, or the user's name in a Digest response to a server that offers no charset.
  ///
  /// A Basic value contains the password itself and a Bearer value the token, so it is a secret.
  public let value: Secret
  /// Whether the field is for a proxy.
  package let isProxy: Bool
  /// The response that the server's proof is checked against; nil except for Digest.
  package let digest: DigestResponse?
  /// Whether the nonce is from an earlier response than the challenge that is answered.
  package let usesOldNonce: Bool

  package init(
    isProxy: Bool, value: Secret, digest: DigestResponse? = nil, usesOldNonce: Bool = false
  ) {
    name = isProxy ? "Proxy-Authorization" : "Authorization"
    self.value = value
    self.isProxy = isProxy
    self.digest = digest
    self.usesOldNonce = usesOldNonce
  }
}
