import SecureMemory
public import VaultModel

/// A decision about a server, kept in a vault as an item of the method
/// ``AuthenticationMethod/serverTrust``.
///
/// It is for one host and port, is sealed as every item, and has the persistence that the vault's
/// policy grants. Its former state is in the item's history.
public struct TrustDecision: Sendable, Identifiable {
  /// The item, without its secret.
  public let item: Item
  /// The server, without a realm.
  public let space: ProtectionSpace
  /// The decision itself.
  public let content: Content

  /// The kinds of decisions.
  public enum Content: Hashable, Sendable {
    /// One certificate, by its fingerprint, is accepted in spite of these problems and no others.
    case exception(certificate: Fingerprint, problems: Set<TrustProblem>)
    /// The server is known by this public key, in spite of these problems and no others; any other
    /// key is a change.
    case knownKey(Fingerprint, problems: Set<TrustProblem>)
    /// One of these has to be in the server's path. All are of public keys, and their host and
    /// expiry are the item's.
    case pins(PinSet)
  }

  /// The item's identity.
  public var id: ItemID { item.id }
  /// The moment from which it no longer counts; nil for never.
  public var expires: Timestamp? { item.expires }
  /// Whether it is kept for the session or permanently.
  public var persistence: Persistence { item.persistence }

  /// Reads the decision of an item that was found with its secret.
  ///
  /// - Returns: Nil for an item that is none, and for one that has expired.
  /// - Throws: ``VaultError/Code/invalidData`` if it cannot be understood.
  init?(_ item: Item) throws(VaultError) {
    guard item.authenticationMethod == .serverTrust, Content.isAccount(item.account),
      let secret = item.secret, let space = item.space
    else { return nil }
    content = try Content(secret, account: item.account, host: space.host, expires: item.expires)
    self.space = space
    var item = item
    item.secret = nil
    self.item = item
  }
}

extension TrustDecision.Content {
  /// The account of a decision's item: a server has one of each, and an exception for each leaf.
  var account: String {
    switch self {
    case .exception(let certificate, _): Self.exceptions + certificate.description
    case .knownKey: Self.knownKey
    case .pins: Self.pins
    }
  }

  static let exceptions = "exception "
  static let knownKey = "known key"
  static let pins = "pins"

  static func isAccount(_ account: String) -> Bool {
    account == pins || account == knownKey || account.hasPrefix(exceptions)
  }

  /// The text that the item keeps as its secret, so that a change goes to the history: directives
  /// as in RFC 7469 §2.1.
  var text: String {
    switch self {
    case .exception(let certificate, let problems):
      "certificate-sha256=\"\(certificate.base64)\"; \(Self.text(problems))"
    case .knownKey(let key, let problems):
      "known-sha256=\"\(key.base64)\"; \(Self.text(problems))"
    case .pins(let pins): pins.directives + (pins.isReportOnly ? "; report-only" : "")
    }
  }

  private static func text(_ problems: Set<TrustProblem>) -> String {
    "problems=\"\(problems.map(\.rawValue).sorted().joined(separator: " "))\""
  }

  /// Reads the text of an item, or of one of its previous secrets.
  ///
  /// A problem with an unknown name, which a newer version has written, is covered by no decision.
  ///
  /// - Throws: ``VaultError/Code/invalidData`` if it is not that of such an account.
  init(
    _ secret: Secret, account: String, host: HostName, expires: Timestamp?
  ) throws(VaultError) {
    let text = String(decoding: secret.public, as: UTF8.self)
    if account == Self.pins {
      var pins = try PinSet(text: text, host: host, receivedAt: .now())
      pins.isReportOnly = Directive.read(text).contains { $0.name == "report-only" }
      pins.expires = expires
      self = .pins(pins)
      return
    }
    let directives = Directive.read(text)
    let names = directives.first { $0.name == "problems" }?.value.split(separator: " ") ?? []
    let problems = Set(names.compactMap { TrustProblem(rawValue: String($0)) })
    let name = account == Self.knownKey ? "known-sha256" : "certificate-sha256"
    guard let hash = directives.first(where: { $0.name == name }) else {
      throw VaultError(.invalidData, "trust decision: malformed")
    }
    let fingerprint = try Fingerprint(base64: hash.value)
    self =
      account == Self.knownKey
      ? .knownKey(fingerprint, problems: problems)
      : .exception(certificate: fingerprint, problems: problems)
    guard self.account == account else {
      throw VaultError(.invalidData, "trust decision: for another certificate")
    }
  }
}

/// The knowledge about a server's key, as in SSH's `known_hosts`.
public enum FirstUse: Hashable, Sendable {
  /// No key was recorded: somebody has to decide.
  case unknown
  /// The key is the one that was recorded.
  case known
  /// The key is another one than this, which was recorded: refuse, and show both.
  case changed(from: Fingerprint)
}
