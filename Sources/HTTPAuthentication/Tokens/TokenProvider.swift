public import CredentialVault
import HTTPChallenge
public import SecureMemory
import VaultModel

/// A way to get tokens from an issuer: it makes a request, which the client sends, and reads the
/// response.
public protocol TokenProvider: Sendable {
  /// Makes the request for a token.
  ///
  /// - Parameters:
  ///   - question: The token that is wanted.
  ///   - vaults: The vaults in which the issuer's credential is found; unlocked.
  /// - Returns: The request; nil if the token is not one of this kind.
  /// - Throws: The error that ends the requests that wait for the token.
  func request(for question: TokenQuestion, in vaults: VaultList) throws -> TokenRequest?

  /// Reads the response to the request.
  ///
  /// - Throws: The error that ends the requests that wait for the token.
  func token(from response: TokenResponse, for question: TokenQuestion) throws -> NewToken
}

/// A request for a token.
///
/// The client sends exactly this, once: it follows no redirect, answers no challenge, and keeps
/// neither cookies nor copies. It sends an `http` request without a proxy, or through one that is
/// on this machine or encrypted, else throws ``VaultModel/VaultError/Code/policyRefused``.
public struct TokenRequest: Sendable {
  /// `GET` or `POST`.
  public let method: String
  /// The URL of the issuer, without user and password: `https`, or on this machine.
  public let url: RequestURL
  /// The value of the `Authorization` field; nil for none.
  public let authorization: Secret?
  /// The body, of the type `application/x-www-form-urlencoded`; nil for none.
  public let form: Secret?

  /// Creates a request from its parts.
  public init(
    _ method: String = "GET", url: RequestURL, authorization: Secret? = nil, form: Secret? = nil
  ) {
    self.method = method
    self.url = url.withoutUserInfo
    self.authorization = authorization
    self.form = form
  }
}

/// A response to a request for a token.
public struct TokenResponse: Sendable {
  /// The status code.
  public let status: Int
  /// The body, at most 64 KiB.
  public let body: Secret

  /// Creates a response.
  public init(status: Int, body: Secret) {
    self.status = status
    self.body = body
  }
}

/// Several providers, and the client's way to send their requests: a ``TokenRefresh`` for an
/// ``Authenticator``.
///
/// ```swift
/// let tokens = TokenProviders(in: vaults) { request in try await client.send(request) }
/// let authenticator = Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token))
/// ```
public struct TokenProviders: Sendable {
  /// A function that sends a request for a token.
  public typealias Send = @Sendable (TokenRequest) async throws -> TokenResponse

  private let providers: [any TokenProvider]
  private let vaults: VaultList
  private let send: Send

  /// Creates providers.
  ///
  /// - Parameters:
  ///   - providers: The providers in order: the first one that makes a request counts.
  ///   - vaults: The vaults of the authenticator, in which they find the issuers' credentials.
  ///   - send: Sends a request, as ``TokenRequest`` says.
  public init(
    _ providers: [any TokenProvider] = [RefreshTokenGrant(), RegistryTokens()],
    in vaults: VaultList, send: @escaping Send
  ) {
    self.providers = providers
    self.vaults = vaults
    self.send = send
  }

  /// Gets a token; nil if no provider has a request for it.
  ///
  /// - Throws: The errors of the provider and of sending;
  ///   ``VaultModel/VaultError/Code/policyRefused`` for a request that would be sent in clear.
  public func token(for question: TokenQuestion) async throws -> NewToken? {
    for provider in providers {
      let vaults = vaults
      let request = try await vaults.defaultOrFirst.perform { _ in
        try provider.request(for: question, in: vaults)
      }
      guard let request else { continue }
      // Through which proxy this goes, only the client knows: `TokenRequest` says what is safe.
      guard request.url.origin.isTrustworthy else {
        throw VaultError(.policyRefused, "token: no request for one is sent in clear")
      }
      return try provider.token(from: try await send(request), for: question)
    }
    return nil
  }
}

extension TokenResponse {
  /// Reads the token of a response.
  ///
  /// - Parameter ordinary: The lifetime of a token whose issuer names none, in seconds; nil for
  ///   ever.
  /// - Returns: The token.
  /// - Throws: ``VaultError/Code/authenticationFailed`` if the issuer refuses;
  ///   ``VaultError/Code/unavailable`` if it has failed, is busy, or sends the client elsewhere;
  ///   ``VaultError/Code/invalidData`` if it sends no token.
  func newToken(ordinary: Int64?) throws(VaultError) -> NewToken {
    switch status {
    case 200..<300: break
    // Too slow, too early, too often: the same request may succeed later.
    case 400..<500 where ![408, 425, 429].contains(status):
      throw VaultError(.authenticationFailed, "token: the issuer refuses, with status \(status)")
    default: throw VaultError(.unavailable, "token: the issuer answers with status \(status)")
    }
    let document = try TokenDocument(body)
    guard let token = document.token else {
      throw VaultError(.invalidData, "token: the issuer sends none")
    }
    guard document.type.isEmpty || document.type.hasSameBytesIgnoringCase(as: "bearer") else {
      throw VaultError(.unsupported, "token: one of another type than Bearer")
    }
    // A bound, so that no sum overflows: ten years.
    let lifetime = (document.lifetime ?? ordinary).map { min(max($0, 0), 315_360_000) }
    return NewToken(
      token, expires: lifetime.map { Timestamp.now().adding(milliseconds: $0 * 1000) },
      refreshToken: document.refreshToken)
  }
}
