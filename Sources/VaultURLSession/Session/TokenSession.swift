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
/// let authenticator = Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token))
/// let session = URLSession.shared.authenticated(by: authenticator)
/// ```
///
/// It follows no redirect, answers no challenge, and keeps neither cookies nor a cache; each
/// request has a connection of its own. Foundation holds requests and responses in memory that is
/// not wiped.
public final class TokenSession: Sendable {
  private let configuration: URLSessionConfiguration
  private let environment: @Sendable (String) -> String?

  /// Creates a sender.
  ///
  /// - Parameter configuration: The configuration of its sessions, without its cookies and cache. A
  ///   request may take as long as its `timeoutIntervalForResource`, and at most a minute.
  public convenience init(configuration: URLSessionConfiguration = .ephemeral) {
    self.init(configuration: configuration, environment: EnvironmentProxy.variable)
  }

  /// Creates a sender that reads the proxy's variables with a function.
  init(
    configuration: URLSessionConfiguration, environment: @escaping @Sendable (String) -> String?
  ) {
    let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    // On Linux, an ephemeral session also has both.
    own.httpCookieStorage = nil
    own.httpShouldSetCookies = false
    own.urlCache = nil
    own.requestCachePolicy = .reloadIgnoringLocalCacheData
    own.urlCredentialStorage = nil
    own.timeoutIntervalForResource = min(own.timeoutIntervalForResource, 60)
    self.configuration = own
    self.environment = environment
  }

  /// Sends a request for a token.
  ///
  /// - Returns: The response.
  /// - Throws: ``VaultModel/VaultError/Code/unavailable`` if there is none;
  ///   ``VaultModel/VaultError/Code/interrupted`` if the task is cancelled;
  ///   ``VaultModel/VaultError/Code/invalidData`` if it is not of HTTP, or longer than 64 KiB;
  ///   ``VaultModel/VaultError/Code/policyRefused`` if the URL is `http` and a proxy that is
  ///   neither encrypted nor on this machine, or a SOCKS proxy, would get the request.
  public func send(_ request: TokenRequest) async throws(VaultError) -> TokenResponse {
    // libcurl exempts no host, not even this machine, unless `no_proxy` does.
    guard EnvironmentProxy.isTrustworthy(for: request.url.origin, in: environment) else {
      throw VaultError(.policyRefused, "token: no request for one is sent in clear to a proxy")
    }
    let load = TokenLoader(try URLRequest(request), configuration)
    do {
      let (data, response) = try await load.run()
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
