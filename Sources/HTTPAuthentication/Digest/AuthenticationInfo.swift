/// What a server says after it has accepted a Digest response.
///
/// - Source: RFC 7616 §3.5.
package struct AuthenticationInfo: Sendable {
  /// The nonce to use from now on.
  package let nextNonce: String?
  /// The server's proof that it knows the password too, `rspauth`; nil if there is none to check.
  package let responseProof: String?
  /// The client's nonce, repeated.
  package let clientNonce: String?
  /// The count, repeated.
  package let count: UInt32?
  /// The quality of protection of the response.
  package let qop: String?

  /// Reads all `Authentication-Info` or `Proxy-Authentication-Info` fields of a response.
  package init(_ fieldValues: [String]) {
    nextNonce = nil
    responseProof = nil
    clientNonce = nil
    count = nil
    qop = nil
  }
}
