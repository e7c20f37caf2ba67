public import SecureMemory

/// An `Authorization` or `Proxy-Authorization` field that is ready to be sent.
///
/// For that one request, to the origin or proxy that it was made for: a redirect elsewhere must not carry it.
public struct AuthorizationField: Sendable {
  /// `Authorization` or `Proxy-Authorization`.
  public let name: String
  /// The value: visible ASCII and blanks, never a line end.
  ///
  /// A Basic one is the password itself, so it is a secret.
  public let value: Secret
  /// What the server's proof is checked against; nil unless it is Digest.
  package let digest: DigestResponse?

  package init(isProxy: Bool, value: Secret, digest: DigestResponse? = nil) {
    name = isProxy ? "Proxy-Authorization" : "Authorization"
    self.value = value
    self.digest = digest
  }
}
