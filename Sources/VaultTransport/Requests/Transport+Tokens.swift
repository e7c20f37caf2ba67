public import HTTPAuthentication
import SecureMemory
public import VaultModel

extension Transport {
  /// Sends a request for a token, as ``HTTPAuthentication/TokenProviders`` need it.
  ///
  /// ```swift
  /// let issuers = try Transport(vault: vault)
  /// let tokens = TokenProviders(in: vaults, send: issuers.send)
  /// let authenticator = Authenticator(vaults: vaults, settings: .init(refreshToken: tokens.token))
  /// let transport = try Transport(authenticator: authenticator)
  /// ```
  ///
  /// It follows no redirect, answers no challenge, and takes a minute at most. The request is held
  /// in memory that is not wiped.
  ///
  /// - Returns: The response.
  /// - Throws: ``VaultError/Code/unavailable`` if there is none; ``VaultError/Code/interrupted`` if
  ///   the task is cancelled; ``VaultError/Code/invalidData`` if it is not of HTTP, or longer than
  ///   64 KiB; ``VaultError/Code/policyRefused`` if the URL is `http` and a proxy that is neither
  ///   encrypted nor on this machine, or a SOCKS proxy, would get the request;
  ///   ``VaultError/Code/configuration`` for a proxy of the environment that is none.
  public func send(_ request: TokenRequest) async throws(VaultError) -> TokenResponse {
    try await send(request, in: ProxyChoice.variable)
  }

  /// Sends it with a proxy that a function looks up in the environment.
  func send(
    _ request: TokenRequest, in environment: ProxyChoice.Environment
  ) async throws(VaultError) -> TokenResponse {
    if request.url.origin.protocol == .http,
      let proxy = try configuration.proxy.server(for: request.url.origin, in: environment),
      try proxy.challenging?.isTrustworthy != true
    {
      throw VaultError(.policyRefused, "token: no request for one is sent in clear to a proxy")
    }
    do {
      let (response, body) = try await data(
        for: TransportRequest(request, within: configuration.limits), upTo: 1 << 16)
      return TokenResponse(status: response.status, body: Secret(copying: body.span))
    } catch let error as VaultError where error.code == .tooLarge {
      throw VaultError(.invalidData, "token: a response of more than 64 KiB")
    } catch let error as VaultError {
      throw error
    } catch {
      throw VaultError(.unavailable, "token: the issuer cannot be reached")
    }
  }
}

extension TransportRequest {
  fileprivate init(_ request: TokenRequest, within limits: TimeLimits) {
    self.init(request.method, url: request.url)
    fields = [ResponseHead.Field("Accept", "application/json")]
    if let authorization = request.authorization {
      fields.append(ResponseHead.Field("Authorization", Self.text(of: authorization)))
    }
    if let form = request.form {
      fields.append(ResponseHead.Field("Content-Type", "application/x-www-form-urlencoded"))
      body = .bytes(Array(Self.text(of: form).utf8))
    }
    options.schemes = []
    handlers.redirect = { _, _, _ in nil }
    var limits = limits
    limits.total = min(limits.total ?? .seconds(60), .seconds(60))
    self.limits = limits
  }

  /// Returns a secret of visible ASCII in the form of a field.
  private static func text(of secret: Secret) -> String {
    secret.withRawBytes { bytes in
      // A view of bytes: every bit pattern is valid as UInt8.
      unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }
}
