/// The conditions on the items of a lookup; an item matches if it meets all of them.
///
/// Matches have a total order. If the path of the request is known, items with a longer path that
/// covers it come first; then those of which more of the seven parts of the key are named and match
/// literally. Equals are ordered by key (account, realm, server, protocol, method, port, path; text
/// by bytes, the port by its number), then by id. The limit applies last.
///
/// A query asks for the items of one ``itemClass`` unless that is nil, and is never answered with
/// one of another.
public struct ItemQuery: Sendable {
  /// The condition on the user name.
  public var account: Match<String> = .any
  /// The condition on the realm.
  public var realm: Match<String> = .any
  /// The condition on the server, or on the service of a generic password.
  public var server: Match<HostName> = .any
  /// The condition on the protocol.
  public var `protocol`: Match<NetworkProtocol> = .any
  /// The condition on the authentication method.
  public var authenticationMethod: Match<AuthenticationMethod> = .any
  /// The condition on the port, literally.
  public var port: Match<UInt16> = .any
  /// The condition on the path, literally.
  public var path: Match<String> = .any
  /// The condition on ``Item/Key/variant``.
  var variant: Match<String> = .any
  /// The path of the request that the item is for; nil if the request is not known.
  ///
  /// If it is set, only items match that have no path or one that covers the request's, as
  /// ``RequestPath`` says. The longest path comes first, above every other rank; items without a
  /// path come last.
  public var requestPath: RequestPath?
  /// The condition on the label.
  public var label: Match<String> = .any
  /// The id of the one item that matches; nil for any.
  public var id: ItemID?
  /// Whether subdomains of a named server match too, ranked below the server itself.
  public var includesSubdomains = false
  /// Whether expired items match.
  public var includesExpired = true
  /// The maximum number of items, the best first; nil for all, none for 0 or less.
  public var limit: Int?
  /// Whether only passwords and tokens match: no question for one of them is answered by a private
  /// key or by a decision about a server.
  package var hasPassword = false
  /// The stored values that match beside the requested one.
  package var fallbacks: Fallbacks = []
  /// The class of the items; nil for all classes.
  public var itemClass: ItemClass?
  /// The conditions on the other attributes.
  var others = AttributeMatches()

  /// The stored values that stand for another one, ranked below a literal match.
  package struct Fallbacks: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// An unset port matches the default port of the requested protocol.
    package static let defaultPort = Fallbacks(rawValue: 1)
    /// The method `default` matches any password method, and if the secret is a token `bearer`
    /// alone.
    package static let defaultMethod = Fallbacks(rawValue: 2)
  }

  /// Creates a query that every item of a class matches; of every class, if that is nil.
  public init(itemClass: ItemClass? = .internetPassword) {
    self.itemClass = itemClass
  }

  /// Creates a query for the items of a server, or for those of an account there.
  ///
  /// Any protocol, port, realm and path match. Networking code knows these, and uses a query for a
  /// protection space instead.
  ///
  /// - Parameters:
  ///   - server: The server; unset for items without one.
  ///   - account: The account; nil for any, empty for items without one.
  public init(server: HostName, account: String? = nil) {
    self.init()
    self.server = .equals(server)
    if let account { self.account = .equals(account) }
  }

  /// Creates a query for the generic passwords of a service, or for the one of an account there.
  ///
  /// - Parameters:
  ///   - service: The service; empty for items without one.
  ///   - account: The account; nil for any, empty for items without one.
  public init(service: String, account: String? = nil) {
    self.init(itemClass: .genericPassword)
    self.service = .equals(service)
    if let account { self.account = .equals(account) }
  }

  /// Creates a query for the items of a protection space.
  ///
  /// Server and protocol are the space's, so a server's items never match a proxy's space. The
  /// realm is the space's, unset if it has none. Any account matches, and any path unless the
  /// request's is known. An unset port matches the protocol's default, and a stored method
  /// `default` any password method, or `bearer` if the secret is a token: both ranked below a
  /// literal match. Private keys match only if the method is
  /// ``AuthenticationMethod/clientCertificate``.
  ///
  /// - Parameters:
  ///   - space: The space in which the items are used.
  ///   - requestPath: The path of the request, if it is known.
  public init(_ space: ProtectionSpace, at requestPath: RequestPath? = nil) {
    self.init()
    self.requestPath = requestPath
    server = .equals(space.host)
    `protocol` = .equals(space.protocol)
    realm = .equals(space.realm)
    port = .equals(space.port)
    authenticationMethod = .equals(space.authenticationMethod)
    fallbacks = [.defaultPort, .defaultMethod]
    let method = space.authenticationMethod
    hasPassword = method != .clientCertificate && method != .serverTrust
  }

  /// Creates a query for the one item with exactly this key.
  public init(key: Item.Key) {
    self.init(itemClass: key.itemClass)
    account = .equals(key.account)
    realm = .equals(key.realm)
    server = .equals(key.server)
    `protocol` = .equals(key.protocol)
    authenticationMethod = .equals(key.authenticationMethod)
    port = .equals(key.port)
    path = .equals(key.path)
    variant = .equals(key.variant)
  }

  /// A query that every item of every class matches.
  public static var everything: ItemQuery { ItemQuery(itemClass: nil) }
}
