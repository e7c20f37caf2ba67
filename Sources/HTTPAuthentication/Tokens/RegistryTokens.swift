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
/// The registry chooses that URL, and gets the token. So a credential is used only if the two
/// belong together: they are at one origin, a ``Rule`` names both, or an item of the registry's
/// names the URL in its custom attribute `token-url`. In this order the service gets:
///
/// 1. the credential that is stored for its URL;
/// 2. the registry's; if only an item names the URL, that item's;
/// 3. none, as from any other registry.
///
/// The service's own credential would not be safe elsewhere, though it is sent to its own host
/// alone: any registry can name a service and a scope, and would get a token for what the user may
/// do there.
///
/// The token is kept for the session, under `/v2/NAME` if it is for the one repository that is
/// requested. It replaces no token that somebody has stored.
///
/// - Source: The token authentication specification of the CNCF's Distribution.
public struct RegistryTokens: TokenProvider {
  /// A registry and the token service of another origin that belongs to it: the service gets the
  /// registry's credential, and the registry gets the tokens that the service issues for the
  /// service's own credential.
  public struct Rule: Sendable, Hashable {
    /// The registry.
    let registry: Origin
    /// The token service.
    let service: Origin

    /// Creates a rule, such as that of `https://registry-1.docker.io` and `https://auth.docker.io`.
    ///
    /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if either is not a URL.
    public init(registry: String, service: String) throws(VaultError) {
      self.registry = try RequestURL(registry).origin
      self.service = try RequestURL(service).origin
    }
  }

  /// The rules.
  let rules: Set<Rule>

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
    let bond = try bond(issuer, question, vaults)
    if let bond, let token = try identityToken(of: issuer, bond: bond, for: question, in: vaults) {
      var form = FormWriter()
      form.append("grant_type", "refresh_token")
      form.append("service", service)
      form.append("client_id", Self.client)
      if let scope = question.challenge.scope { form.append("scope", scope) }
      form.append("refresh_token", token)
      return TokenRequest("POST", url: issuer.url, form: form.secret)
    }
    let login = try bond.flatMap { (bond) throws(VaultError) in
      try password(of: issuer, bond: bond, for: question, in: vaults)
    }
    var query = FormWriter()
    if let login { query.append("account", NormalForm.composed(login.user)) }
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
    // An item of Docker's user would be taken for an identity token.
    token.user = question.user.flatMap { $0.hasSameBytes(as: Self.tokenUser) ? nil : $0 } ?? ""
    token.path = question.repositoryPath ?? ""
    guard let item = question.item else { return token }
    // The registry decides when one is fetched, and it may be for fewer repositories, or anyone's:
    // only one that was fetched gives way to it, and the session has one of each path.
    let isInPlace =
      item.persistence == .session
      && (token.path.isEmpty || item.path.hasSameBytes(as: token.path))
    token.replacesItem = isInPlace && item.expires != nil
    if isInPlace && item.expires == nil { token.persistence = .none }
    return token
  }

  /// The evidence that a token service belongs to a registry.
  private enum Bond {
    /// The origin or a rule: the service may get any credential of the registry's.
    case registry
    /// An item of the registry's: the service may get those of items that name it.
    case item
  }

  /// Returns what says that an issuer belongs to a registry; nil if nothing does.
  private func bond(
    _ issuer: Issuer, _ question: TokenQuestion, _ vaults: VaultList
  ) throws(VaultError) -> Bond? {
    if isRegistrys(issuer.url.origin, question.url.origin) { return .registry }
    for method in [AuthenticationMethod.basic, .bearer] {
      var query = ItemQuery(
        try question.url.space(method), at: RequestPath(target: question.url.target))
      query.realm = .any
      for vault in vaults.vaults
      where try vault.findAll(query).contains(where: { issuer.isNamed(by: $0) }) {
        return .item
      }
    }
    return nil
  }

  private func isRegistrys(_ service: Origin, _ registry: Origin) -> Bool {
    service == registry || rules.contains { $0.registry == registry && $0.service == service }
  }

  private func password(
    of issuer: Issuer, bond: Bond, for question: TokenQuestion, in vaults: VaultList
  ) throws(VaultError) -> Credential? {
    if let own = try vaults.password(at: issuer.url, account: question.user) { return own }
    return try vaults.password(at: question.url, account: question.user) {
      bond == .registry || issuer.isNamed(by: $0)
    }
  }

  /// Returns Docker's identity token, unless the request is for another user.
  private func identityToken(
    of issuer: Issuer, bond: Bond, for question: TokenQuestion, in vaults: VaultList
  ) throws(VaultError) -> Secret? {
    guard question.user.map({ $0.hasSameBytes(as: Self.tokenUser) }) ?? true else { return nil }
    for (url, isForAll) in [(issuer.url, true), (question.url, bond == .registry)] {
      var query = ItemQuery(try url.space(.bearer), at: RequestPath(target: url.target))
      query.realm = .any
      query.account = .equals(Self.tokenUser)
      query.includesExpired = false
      for vault in vaults.vaults {
        let items = try vault.findAll(query, withSecrets: true)
        if let item = items.first(where: { isForAll || issuer.isNamed(by: $0) }) {
          return item.secret
        }
      }
    }
    return nil
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
