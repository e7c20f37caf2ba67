public import CredentialVault

import SecureMemory
public import VaultModel

/// The tokens of container registries.
///
/// A registry's challenge names the URL of its token service as its realm, and `service` and
/// `scope`. The service gets a `GET` with them, and a user and a password as Basic, or without; for
/// an identity token, which Docker stores for the user `<token>`, a `POST` of a form. Its URL must
/// be `https`, or on the same machine as a registry on this one.
///
/// Because the registry chooses that URL, its own credential does not go there. In this order the
/// service gets:
///
/// 1. the credential that is stored for its URL;
/// 2. the registry's, if the service is at the same origin, or a ``Rule`` says so;
/// 3. the registry's whose item names the URL in its custom attribute `token-url`;
/// 4. none.
///
/// The token is kept for the session, under `/v2/NAME` if it is for the one repository that is
/// requested.
///
/// - Source: The token authentication specification of the CNCF's Distribution.
public struct RegistryTokens: TokenProvider {
  /// A registry whose credential another origin's token service gets.
  public struct Rule: Sendable, Hashable {
    /// The registry.
    public let registry: Origin
    /// The token service.
    public let service: Origin

    /// Creates a rule, such as that of `https://registry-1.docker.io` and `https://auth.docker.io`.
    ///
    /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if either is no URL.
    public init(registry: String, service: String) throws(VaultError) {
      self.registry = try RequestURL(registry).origin
      self.service = try RequestURL(service).origin
    }
  }

  /// The rules.
  public let rules: Set<Rule>

  /// The name that the service gets, which it may log.
  private static let client = "credential-vault"
  /// The user with whom Docker stores an identity token.
  private static let tokenUser = "<token>"
  /// The lifetime of a token whose service names none.
  private static let ordinaryLifetime: Int64 = 60

  /// Creates a provider.
  public init(rules: Set<Rule> = []) {
    self.rules = rules
  }

  /// Makes the request to the token service; nil if the challenge is not a registry's.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/policyRefused`` for a URL that nothing is sent to;
  ///   ``VaultModel/VaultError/Code/ambiguous`` if several users are stored, and none is the
  ///   default; the errors of looking up.
  public func request(
    for question: TokenQuestion, in vaults: VaultList
  ) throws(VaultError) -> TokenRequest? {
    guard !question.space.isProxy, let service = question.challenge.value(of: "service"),
      question.challenge.realm.contains("://")
    else { return nil }
    let issuer = try Issuer(question.challenge.realm, namedBy: question.url.origin)
    if let token = try identityToken(issuer, question, vaults) {
      var form = FormWriter()
      form.append("grant_type", "refresh_token")
      form.append("service", service)
      form.append("client_id", Self.client)
      if let scope = question.challenge.scope { form.append("scope", scope) }
      form.append("refresh_token", token)
      return TokenRequest("POST", url: issuer.url, form: form.secret)
    }
    let login = try password(issuer, question, vaults)
    var query = FormWriter()
    if let login { query.append("account", login.user) }
    query.append("service", service)
    for scope in question.scopes { query.append("scope", scope) }
    let separator = issuer.url.target.contains("?") ? "&" : "?"
    return TokenRequest(
      url: try RequestURL("\(issuer.url.description)\(separator)\(query.text)"),
      authorization: try login.map { (login) throws(VaultError) in try BasicResponse.value(login) })
  }

  /// Reads the service's response.
  public func token(
    from response: TokenResponse, for question: TokenQuestion
  ) throws(VaultError) -> NewToken {
    var token = try response.newToken(ordinary: Self.ordinaryLifetime)
    // It is for a new identity token, which nobody asked for.
    token.refreshToken = nil
    token.user = question.account ?? ""
    token.path = question.repositoryPath ?? ""
    return token
  }

  private func password(
    _ issuer: Issuer, _ question: TokenQuestion, _ vaults: VaultList
  ) throws(VaultError) -> Credential? {
    if let own = try vaults.password(at: issuer.url, account: question.account) { return own }
    if sendsRegistrysOwn(to: issuer, question) {
      return try vaults.password(at: question.url, account: question.account)
    }
    return try vaults.password(at: question.url, account: question.account) {
      issuer.isNamed(by: $0)
    }
  }

  private func identityToken(
    _ issuer: Issuer, _ question: TokenQuestion, _ vaults: VaultList
  ) throws(VaultError) -> Secret? {
    let sendsRegistrysOwn = sendsRegistrysOwn(to: issuer, question)
    for (url, isOwn) in [(issuer.url, true), (question.url, sendsRegistrysOwn)] {
      var query = ItemQuery(try url.space(.bearer), at: RequestPath(target: url.target))
      query.realm = .any
      query.account = .equals(Self.tokenUser)
      query.includesExpired = false
      for vault in vaults.vaults {
        let items = try vault.findAll(query, secrets: true)
        if let item = items.first(where: { isOwn || issuer.isNamed(by: $0) }) {
          return item.secret
        }
      }
    }
    return nil
  }

  /// Returns whether the registry's own credential goes to an issuer.
  private func sendsRegistrysOwn(to issuer: Issuer, _ question: TokenQuestion) -> Bool {
    let registry = question.url.origin
    return issuer.url.origin == registry
      || rules.contains { $0.registry == registry && $0.service == issuer.url.origin }
  }
}

extension TokenQuestion {
  /// The scopes of the challenge.
  fileprivate var scopes: [String] {
    (challenge.scope ?? "").utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) }
  }

  /// The path of the one repository that the scope is for and that is requested; nil if that is not
  /// clear.
  fileprivate var repositoryPath: String? {
    guard scopes.count == 1, let scope = scopes.first else { return nil }
    let parts = scope.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].elementsEqual("repository".utf8) else { return nil }
    let path = "/v2/\(Substring(parts[1]))"
    let depth = RequestPath(target: url.target).depth(of: path)
    return normalPath(path).hasSameBytes(as: path) && depth ?? 0 > 0 ? path : nil
  }
}
