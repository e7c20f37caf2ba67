public import SecureMemory

/// An `Authorization` or `Proxy-Authorization` field that is ready to be sent.
///
/// It is for one request, to the origin or proxy that it was made for; a redirect elsewhere must
/// not carry it.
public struct AuthorizationField: Sendable {
  /// `Authorization` or `Proxy-Authorization`.
  public let name: String
  /// The value: visible ASCII and blanks, never a line end; other bytes only if the server's realm
  /// has them.
  ///
  /// A Basic value contains the password itself, so it is a secret.
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
