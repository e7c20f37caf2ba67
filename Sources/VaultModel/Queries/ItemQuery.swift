/// Which items are wanted: what each attribute has to be, all of it at once.
///
/// Matches come in a total order: where a request's path is known, the longer the path that covers it, the earlier; then the
/// more of the seven parts of the key are named and match literally; among equals by the key (account, realm, server,
/// protocol, method, port, path; bytes, the port by its number), and then by id. A limit takes the first of them, after
/// everything else was asked.
public struct ItemQuery: Sendable {
  /// What the user name has to be.
  public var account: Match<String> = .any
  /// What the realm has to be.
  public var realm: Match<String> = .any
  /// What the server has to be.
  public var server: Match<HostName> = .any
  /// What the protocol has to be.
  public var `protocol`: Match<NetworkProtocol> = .any
  /// What the authentication method has to be.
  public var authenticationMethod: Match<AuthenticationMethod> = .any
  /// What the port has to be, literally.
  public var port: Match<UInt16> = .any
  /// What the path has to be, literally.
  public var path: Match<String> = .any
  /// The path of the request that the item is for; nil if no path is asked for by this.
  ///
  /// Then only items match that name no path or one that covers the request's, as ``RequestPath`` says. The longest stands
  /// first, above everything else that makes one item match better than another; items without a path are the last.
  public var requestPath: RequestPath?
  /// What the label has to be.
  public var label: Match<String> = .any
  /// The one item that is wanted, or nil for any.
  public var id: ItemID?
  /// Whether subdomains of a named server match too, below the server itself.
  public var includesSubdomains = false
  /// Whether expired items match.
  public var includesExpired = true
  /// The most items that are wanted, the best first; nil for all, none for 0 or less.
  public var limit: Int?
  /// Which values answer beside the one that was asked for.
  package var fallbacks: Fallbacks = []
  /// What is asked of the other attributes.
  var others = AttributeMatches()

  /// What a stored value may stand for, below a literal match.
  package struct Fallbacks: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// An unset port answers for the default port of the protocol that is asked for.
    package static let defaultPort = Fallbacks(rawValue: 1)
    /// The method `default` answers for any password method.
    package static let defaultMethod = Fallbacks(rawValue: 2)
  }

  /// Makes a query that every item matches.
  public init() {}

  /// Makes a query for the items of a protection space.
  ///
  /// Server and protocol are the space's, so that a server's items never answer for a proxy's;
  /// the realm is the space's, unset if it has none; any account, and any path unless it is known
  /// what is requested. An unset port answers for the protocol's default and a stored method
  /// `default` for any password method, both below a literal match.
  ///
  /// - Parameters:
  ///   - space: Where the items are used.
  ///   - requestPath: What is requested there, if that is known.
  public init(_ space: ProtectionSpace, at requestPath: RequestPath? = nil) {
    self.requestPath = requestPath
    server = .equals(space.host)
    `protocol` = .equals(space.protocol)
    realm = .equals(space.realm)
    port = .equals(space.port)
    authenticationMethod = .equals(space.authenticationMethod)
    fallbacks = [.defaultPort, .defaultMethod]
  }

  /// Makes a query for the one item with exactly this key.
  public init(key: InternetPassword.Key) {
    account = .equals(key.account)
    realm = .equals(key.realm)
    server = .equals(key.server)
    `protocol` = .equals(key.protocol)
    authenticationMethod = .equals(key.authenticationMethod)
    port = .equals(key.port)
    path = .equals(key.path)
  }
}
