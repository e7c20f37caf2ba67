/// Which items are wanted: what each attribute has to be, all of it at once.
public struct ItemQuery: Sendable {
  /// What the user name has to be.
  public var account: Match<String> = .any
  /// What the realm has to be.
  public var realm: Match<String> = .any
  /// What the server has to be.
  public var server: Match<Host> = .any
  /// What the protocol has to be.
  public var `protocol`: Match<NetworkProtocol> = .any
  /// What the authentication method has to be.
  public var authenticationMethod: Match<AuthenticationMethod> = .any
  /// What the port has to be, literally.
  public var port: Match<UInt16> = .any
  /// What the path has to be, literally.
  public var path: Match<String> = .any
  /// What the label has to be.
  public var label: Match<String> = .any
  /// What the comment has to be.
  public var comment: Match<String> = .any
  /// What the kind has to be.
  public var kind: Match<String> = .any
  /// What the origin has to be.
  public var origin: Match<String> = .any
  /// What the creator's four-character code has to be.
  public var creator: Match<UInt32> = .any
  /// What the type's four-character code has to be.
  public var type: Match<UInt32> = .any
  /// Whether the item has to be invisible.
  public var isInvisible: Match<Bool> = .any
  /// Whether the item has to be negative.
  public var isNegative: Match<Bool> = .any
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
  /// the realm is the space's, unset if it has none; any path and account. An unset port answers
  /// for the protocol's default and a stored method `default` for any password method, both below
  /// a literal match.
  public init(_ space: ProtectionSpace) {
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
