/// The conditions on the generic passwords of a lookup; an item matches if it meets all of them.
///
/// Of several matches the one of which more of the key is named comes first; equals are ordered by
/// account, then by service, both by their bytes, then by id. The limit applies last.
public struct GenericPasswordQuery: Sendable {
  /// The same query over the stores' form of items.
  package private(set) var query = ItemQuery()

  /// Creates a query that every generic password matches.
  public init() {
    query.itemClass = .genericPassword
  }

  /// Creates a query for the items of a service, or for the one of an account there.
  ///
  /// - Parameters:
  ///   - service: The service; empty for items without one.
  ///   - account: The account; nil for any, empty for items without one.
  public init(service: String, account: String? = nil) {
    self.init()
    self.service = .equals(service)
    if let account { self.account = .equals(account) }
  }

  /// Creates a query for the one item with exactly this key.
  public init(key: GenericPassword.Key) {
    self.init(service: key.service, account: key.account)
  }
}

extension GenericPasswordQuery {
  /// The condition on the service.
  public var service: Match<String> {
    get { query.server.map(\.name) }
    set { query.server = newValue.map { HostName(canonical: $0) } }
  }

  /// The condition on the account.
  public var account: Match<String> {
    get { query.account }
    set { query.account = newValue }
  }

  /// The condition on the label.
  public var label: Match<String> {
    get { query.label }
    set { query.label = newValue }
  }

  /// The condition on the comment.
  public var comment: Match<String> {
    get { query.comment }
    set { query.comment = newValue }
  }

  /// The condition on the kind.
  public var kind: Match<String> {
    get { query.kind }
    set { query.kind = newValue }
  }

  /// The condition on the origin.
  public var origin: Match<String> {
    get { query.origin }
    set { query.origin = newValue }
  }

  /// The condition on the creator's four-character code.
  public var creator: Match<UInt32> {
    get { query.creator }
    set { query.creator = newValue }
  }

  /// The condition on the type's four-character code.
  public var type: Match<UInt32> {
    get { query.type }
    set { query.type = newValue }
  }

  /// The condition on ``GenericPassword/generic``.
  public var generic: Match<[UInt8]> {
    get { query.generic }
    set { query.generic = newValue }
  }

  /// The condition on whether the item is invisible.
  public var isInvisible: Match<Bool> {
    get { query.isInvisible }
    set { query.isInvisible = newValue }
  }

  /// The condition on whether the item is negative.
  public var isNegative: Match<Bool> {
    get { query.isNegative }
    set { query.isNegative = newValue }
  }

  /// The condition on the kind of the secret.
  public var secretKind: Match<SecretKind> {
    get { query.secretKind }
    set { query.secretKind = newValue }
  }

  /// The condition on whether the item has an expiry of its own.
  public var hasExpiry: Match<Bool> {
    get { query.hasExpiry }
    set { query.hasExpiry = newValue }
  }

  /// The condition on whether the item has a refresh token.
  public var hasRefreshToken: Match<Bool> {
    get { query.hasRefreshToken }
    set { query.hasRefreshToken = newValue }
  }

  /// The conditions on custom attributes, by their names; those not named match any value.
  public var custom: [String: Match<String>] {
    get { query.custom }
    set { query.custom = newValue }
  }

  /// The id of the one item that matches; nil for any.
  public var id: ItemID? {
    get { query.id }
    set { query.id = newValue }
  }

  /// Whether expired items match.
  public var includesExpired: Bool {
    get { query.includesExpired }
    set { query.includesExpired = newValue }
  }

  /// The maximum number of items, the best first; nil for all, none for 0 or less.
  public var limit: Int? {
    get { query.limit }
    set { query.limit = newValue }
  }
}
