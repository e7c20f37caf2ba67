public import CredentialVault
import SecureMemory
public import VaultModel

/// OAuth 2's refresh token: an expired or rejected token's own item gets the next one.
///
/// The item has a refresh token, and in its custom attributes the issuer:
///
/// | custom attribute | holds |
/// |---|---|
/// | `token-url` | the URL of the token endpoint: `https`, or on this machine |
/// | `client-id` | the client's id; none if the issuer wants none |
///
/// A client's secret is a secret, and so the password of an item of its own: for the token
/// endpoint's URL, with the client's id as its account. Without one, the id is sent in the form.
///
/// A refresh token gets no wider scope than before, so it is not used where a scope is lacking.
///
/// - Source: RFC 6749 §§2.3.1, 5 and 6.
public struct RefreshTokenGrant: TokenProvider {
  private static let clientID = "client-id"

  /// Creates a provider.
  public init() {}

  /// Makes the request to the token endpoint; nil if the item has no refresh token, or names none.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/policyRefused`` for a URL that nothing is sent to; the
  ///   errors of looking up.
  public func request(
    for question: TokenQuestion, in vaults: VaultList
  ) throws(VaultError) -> TokenRequest? {
    guard question.cause != .insufficientScope, let token = question.refreshToken,
      let item = question.item, let text = item.custom[Issuer.attribute]
    else { return nil }
    let issuer = try Issuer(text)
    var form = FormWriter()
    form.append("grant_type", "refresh_token")
    form.append("refresh_token", token)
    var authorization: Secret?
    if let client = item.custom[Self.clientID], !client.isEmpty {
      if let login = try vaults.password(at: issuer.url, account: client) {
        // RFC 6749 §2.3.1: both are encoded as in a form, before Basic encodes them.
        authorization = try BasicResponse.value(
          Credential(
            user: FormWriter.encoded(client), secret: FormWriter.encoded(login.secret),
            persistence: .none))
      } else {
        form.append("client_id", client)
      }
    }
    return TokenRequest("POST", url: issuer.url, authorization: authorization, form: form.secret)
  }

  /// Reads the endpoint's response.
  public func token(
    from response: TokenResponse, for question: TokenQuestion
  ) throws(VaultError) -> NewToken {
    try response.newToken(ordinary: nil)
  }
}
