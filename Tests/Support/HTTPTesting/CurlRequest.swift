package import HTTPAuthentication
package import VaultModel

/// One request, as ``CurlClient`` sends it.
package struct CurlRequest: Sendable {
  /// The user for whom curl itself answers the challenges.
  package struct Login: Sendable {
    let credential: Credential
    let method: AuthenticationMethod

    /// Creates a login with the one scheme that it is for: Basic or Digest.
    package init(_ credential: Credential, method: AuthenticationMethod) {
      self.credential = credential
      self.method = method
    }
  }

  /// The method.
  package var method: String
  /// The URL, without user and password.
  package var url: String
  /// The fields for the server and the proxy, each sent only there.
  package var fields: [AuthorizationField]
  /// The proxy's URL; nil for none, whatever the environment says.
  package var proxy: String?
  /// Whether the proxy is asked for a tunnel, also to a server without TLS.
  package var isTunnelled = false
  /// The login with which curl answers the server.
  package var login: Login?
  /// The login with which curl answers the proxy.
  package var proxyLogin: Login?

  /// Describes a request; the other attributes are the caller's to set.
  package init(_ method: String = "GET", url: String, fields: [AuthorizationField] = []) {
    self.method = method
    self.url = url
    self.fields = fields
  }
}

/// The reply to a ``CurlRequest``.
package struct CurlReply: Sendable {
  /// All responses in their order: those to `CONNECT`, then the server's; several if curl answers
  /// challenges.
  package let responses: [ResponseHead]
  /// The body of the last response, read as UTF-8.
  package let body: String

  /// The last response: the server's, or the proxy's if it opened no tunnel.
  package var response: ResponseHead { responses.last ?? ResponseHead(status: 0, fields: []) }
  /// The last response's status.
  package var status: Int { response.status }

  /// Returns the values of a field of the last response, in their order.
  package func values(of name: String) -> [String] {
    response.fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
  }
}

/// A failure of libcurl.
package struct CurlFailure: Error, CustomStringConvertible {
  /// libcurl's own message.
  package let description: String
}
