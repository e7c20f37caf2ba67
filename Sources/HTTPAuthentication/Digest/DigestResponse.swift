package import SecureMemory
package import VaultModel

/// What answers a Digest challenge, for one request.
///
/// - Source: RFC 7616 §3.4.
package struct DigestResponse: Sendable {
  /// The nonce that it was made for.
  package let nonce: String
  /// The value of the `Authorization` field.
  package let value: Secret

  /// Computes the response.
  ///
  /// - Parameters:
  ///   - challenge: What is answered.
  ///   - nonce: The server's nonce, which may be a newer one than the challenge's.
  ///   - clientNonce: The client's, one for each of the server's.
  ///   - count: How many requests, this one included, were made with the nonce.
  ///   - credential: User and password.
  ///   - method: The request's method.
  ///   - uri: The request target as it is sent.
  /// - Throws: ``VaultError/Code/invalidArgument`` naming `user` or `uri` if it cannot be sent;
  ///   ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  package init(
    to challenge: DigestChallenge, nonce: String, clientNonce: String, count: UInt32,
    credential: Credential, method: String, uri: String
  ) throws(VaultError) {
    self.nonce = nonce
    value = Secret("")
  }

  /// Whether the server has proven that it knows the password too.
  ///
  /// - Parameter info: What came with the response.
  /// - Returns: False if the proof is wrong or missing.
  /// - Throws: ``VaultError/Code/unsupported`` if libcrypto refuses the hash.
  package func isProven(by info: AuthenticationInfo) throws(VaultError) -> Bool { false }
}
