import CredentialVault
import Foundation
public import FoundationNetworking
public import HTTPAuthentication
import SecureMemory
public import VaultModel

/// Sends the requests of ``HTTPAuthentication/TokenProviders`` with `URLSession`.
///
/// ```swift
/// let issuers = TokenSession()
/// let tokens = TokenProviders(in: vaults, send: issuers.send)
/// let authenticator = Authenticator(vaults: vaults, refreshToken: tokens.token)
/// let session = URLSession.shared.authenticated(by: authenticator)
/// ```
///
/// It follows no redirect and answers no challenge. Foundation holds requests and responses in
/// memory that is not wiped.
public final class TokenSession: Sendable {
  private let session: AuthenticatedSession

  /// Creates a sender with a session of its own.
  ///
  /// - Parameter configuration: The session's; one that keeps neither cookies nor a cache.
  public init(configuration: URLSessionConfiguration = .ephemeral) {
    let session = URLSession(
      configuration: configuration, delegate: WithoutRedirects(), delegateQueue: nil)
    // A vault without credentials: an issuer that is not content gets nothing more.
    self.session = session.authenticated(
      by: Authenticator(vault: .inMemory(), beforeChallenge: .never))
  }

  deinit {
    session.session.finishTasksAndInvalidate()
  }

  /// Sends a request for a token.
  ///
  /// - Returns: The response.
  /// - Throws: ``VaultModel/VaultError/Code/unavailable`` if there is none;
  ///   ``VaultModel/VaultError/Code/interrupted`` if the task is cancelled;
  ///   ``VaultModel/VaultError/Code/invalidData`` if it is not of HTTP.
  public func send(_ request: TokenRequest) async throws(VaultError) -> TokenResponse {
    do {
      let (data, response) = try await session.data(for: URLRequest(request))
      guard let response = response as? HTTPURLResponse else {
        throw VaultError(.invalidData, "token: not a response of HTTP")
      }
      return TokenResponse(status: response.statusCode, body: Secret(copying: data.span))
    } catch let error as VaultError {
      throw error
    } catch {
      if Task.isCancelled { throw VaultError(.interrupted, "the task was cancelled") }
      throw VaultError(.unavailable, "token: the issuer cannot be reached")
    }
  }
}

/// A delegate that gives the caller the response that redirects.
private final class WithoutRedirects: NSObject, URLSessionTaskDelegate, Sendable {
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest: URLRequest,
    completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}

extension URLRequest {
  fileprivate init(_ request: TokenRequest) throws(VaultError) {
    guard let url = URL(string: request.url.description) else {
      throw VaultError(.invalidArgument, "token: a URL that Foundation cannot read")
    }
    self.init(url: url)
    httpMethod = request.method
    setValue("application/json", forHTTPHeaderField: "Accept")
    if let authorization = request.authorization {
      setValue(Self.text(of: authorization), forHTTPHeaderField: "Authorization")
    }
    guard let form = request.form else { return }
    setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    httpBody = Data(Self.text(of: form).utf8)
  }

  /// Returns a secret of visible ASCII in the form that Foundation takes: a string that cannot be
  /// wiped.
  private static func text(of secret: Secret) -> String {
    secret.withRawBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}
