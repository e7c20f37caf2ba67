import CredentialVault
import SecureMemory
import VaultModel

/// An issuer of tokens, and the credentials that it gets.
struct Issuer {
  /// The custom attribute in which an item names its issuer's URL.
  static let attribute = "token-url"

  /// The URL, without user and password.
  let url: RequestURL

  /// Reads the URL of an issuer.
  ///
  /// - Parameters:
  ///   - text: The URL: `https`, or `http` on this machine.
  ///   - origin: The server that named it; nil if its owner did. A server elsewhere cannot name
  ///     this machine, though a name of its own may still resolve to it.
  /// - Throws: ``VaultError/Code/policyRefused`` for any other URL, without its text.
  init(_ text: String, namedBy origin: Origin? = nil) throws(VaultError) {
    let url: RequestURL
    do throws(VaultError) {
      url = try RequestURL(text)
    } catch {
      throw Self.refused
    }
    guard url.user == nil, url.password == nil else { throw Self.refused }
    let isLocal = url.origin.host.isLoopback
    // Linux connects the unspecified address to this machine, and nothing else is there.
    guard !Self.unspecified.contains(url.origin.host.name) else { throw Self.refused }
    guard isLocal ? origin?.host.isLoopback ?? true : url.origin.protocol == .https else {
      throw Self.refused
    }
    self.url = url
  }

  private static let unspecified: Set = ["0.0.0.0", "::", "::ffff:0.0.0.0"]
  private static let refused = VaultError(
    .policyRefused, "token: the issuer's URL is neither https nor on this machine, or has a user")

  /// Returns whether an item names this issuer.
  func isNamed(by item: Item) -> Bool {
    guard let text = item.custom[Self.attribute] else { return false }
    do throws(VaultError) {
      let named = try Issuer(text).url
      return named.origin == url.origin
        && normalPath(named.target).hasSameBytes(as: normalPath(url.target))
    } catch {
      return false
    }
  }
}

extension VaultList {
  /// Returns the password for a URL, of any realm, in the first vault that has any which `accepts`
  /// takes; nil if there is none.
  ///
  /// - Throws: ``VaultError/Code/ambiguous`` if there are several users, and none is the default.
  func password(
    at url: RequestURL, account: String?, where accepts: (Item) -> Bool = { _ in true }
  ) throws(VaultError) -> Credential? {
    let space = try url.space(.basic)
    var query = ItemQuery(space, at: RequestPath(target: url.target))
    query.realm = .any
    for vault in vaults {
      var choices = Choices(meant: account, preferred: try vault.defaultUsers(of: space))
      choices.add(
        try vault.candidates(query).filter {
          $0.credential.kind == .password && accepts($0.item)
        })
      guard choices.hasMeant else { continue }
      if let chosen = choices.chosen { return chosen.credential }
      throw VaultError(
        .ambiguous, "token: several users for \(url.origin), and none is the default",
        candidates: choices.candidates.map(\.item.withoutSecrets))
    }
    return nil
  }
}

extension RequestURL {
  /// Returns the space of the URL's server, of no realm.
  func space(_ method: AuthenticationMethod) throws(VaultError) -> ProtectionSpace {
    try ProtectionSpace(
      host: origin.host, port: origin.port, protocol: origin.protocol, realm: "",
      authenticationMethod: method)
  }
}
