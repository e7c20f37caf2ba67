public import SecureMemory

/// The keychain's other item: a secret under the names of a service and an account.
///
/// API tokens and passphrases of tools are kept in it. No question for an internet password ever
/// returns one, nor the reverse. Lists return items without their secrets.
public struct GenericPassword: Sendable, Identifiable {
  /// The form in which the stores keep items of all classes.
  package var item: InternetPassword

  /// The two attributes that together are unique in a vault, compared on bytes.
  public struct Key: Sendable, Hashable {
    /// The service, which may be any text: `backup`, `com.example.app`.
    public let service: String
    /// The account there.
    public let account: String

    /// Creates a key; a part that is empty is unset.
    public init(service: String, account: String) {
      self.service = service
      self.account = account
    }

    /// Returns whether both parts have the same bytes.
    public static func == (left: Self, right: Self) -> Bool {
      left.service.hasSameBytes(as: right.service) && left.account.hasSameBytes(as: right.account)
    }

    /// Hashes the bytes of both parts.
    public func hash(into hasher: inout Hasher) {
      service.hashBytes(into: &hasher)
      account.hashBytes(into: &hasher)
    }
  }

  /// Creates an item with a random identity.
  ///
  /// - Parameters:
  ///   - service: The service; any text without NUL, at most 4096 bytes.
  ///   - account: The account there.
  ///   - secret: The secret.
  public init(service: String, account: String = "", secret: Secret? = nil) {
    let now = Timestamp.now()
    item = InternetPassword(
      id: ItemID(), key: InternetPassword.Key(service: service, account: account), created: now,
      modified: now)
    item.secret = secret
  }

  /// Creates the public form of an item of this class.
  package init(_ item: InternetPassword) {
    self.item = item
  }

  /// Returns whether it has expired, by its own time or by the policy's.
  public func isExpired(at now: Timestamp) -> Bool { item.isExpired(at: now) }

  /// Checks that the key is within its bounds.
  func validateKey() throws(VaultError) {
    try InternetPassword.check(service, .service)
    try InternetPassword.check(account, .account)
    guard item.key == InternetPassword.Key(service: service, account: account) else {
      throw VaultError(.invalidArgument, "a generic password has a service and an account alone")
    }
  }
}

extension InternetPassword.Key {
  /// The service of a generic password.
  package var service: String {
    get { server.name }
    set { self = Self(service: newValue, account: account) }
  }
}

extension GenericPassword {
  /// The identity, which does not change with the key.
  public var id: ItemID { item.id }

  /// The service and the account.
  public var key: Key { Key(service: service, account: account) }

  /// The service.
  public var service: String {
    get { item.key.service }
    set { item.key.service = newValue }
  }

  /// The account.
  public var account: String {
    get { item.account }
    set { item.account = newValue }
  }

  /// The secret; nil if the item was found without it.
  public var secret: Secret? {
    get { item.secret }
    set { item.secret = newValue }
  }

  /// The kind of the secret.
  public var secretKind: SecretKind {
    get { item.secretKind }
    set { item.secretKind = newValue }
  }

  /// The name shown to people; a store fills an empty one from the service or account.
  public var label: String {
    get { item.label }
    set { item.label = newValue }
  }

  /// A comment, at most 64 KiB.
  public var comment: String {
    get { item.comment }
    set { item.comment = newValue }
  }

  /// A name for the kind of item, Apple's description attribute.
  public var kind: String {
    get { item.kind }
    set { item.kind = newValue }
  }

  /// The origin of the item, such as `app`.
  public var origin: String {
    get { item.origin }
    set { item.origin = newValue }
  }

  /// The creator's four-character code; 0 for unset.
  public var creator: UInt32 {
    get { item.creator }
    set { item.creator = newValue }
  }

  /// The type's four-character code; 0 for unset.
  public var type: UInt32 {
    get { item.type }
    set { item.type = newValue }
  }

  /// Data for the program that made the item, Apple's generic attribute; at most 4096 bytes, and
  /// not secret.
  public var generic: [UInt8] {
    get { item.generic }
    set { item.generic = newValue }
  }

  /// Whether lists for people omit the item.
  public var isInvisible: Bool {
    get { item.isInvisible }
    set { item.isInvisible = newValue }
  }

  /// Whether the item has no password, so that the user is prompted every time.
  public var isNegative: Bool {
    get { item.isNegative }
    set { item.isNegative = newValue }
  }

  /// The user's own attributes, as ``InternetPassword/custom``.
  public var custom: [String: String] {
    get { item.custom }
    set { item.custom = newValue }
  }

  /// The OAuth refresh token that belongs to the secret; nil if it is empty, or was read without
  /// secrets.
  public var refreshToken: Secret? {
    get { item.refreshToken }
    set { item.refreshToken = newValue }
  }

  /// Whether there is a refresh token, also if it was not read.
  public var hasRefreshToken: Bool { item.hasRefreshToken }

  /// The time at which the item expires; nil for never.
  public var expires: Timestamp? {
    get { item.expires }
    set { item.expires = newValue }
  }

  /// The place where the item is kept.
  public var persistence: Persistence { item.persistence }
  /// The time at which the item was added; a store sets it.
  public var created: Timestamp { item.created }
  /// The time of the item's last change; a store sets it.
  public var modified: Timestamp { item.modified }
  /// The date of the last change of the secret; a store sets it.
  public var secretChanged: Timestamp { item.secretChanged }
  /// The end of the retention that a policy allows; nil for none.
  public var keptUntil: Timestamp? { item.keptUntil }
  /// The generation of the store that last wrote the item, as ``InternetPassword/revision``.
  public var revision: UInt64 { item.revision }
}

extension GenericPassword: CustomStringConvertible {
  /// The item without its secret: `ann at the service "backup", permanent`; quotes, control and
  /// formatting characters are escaped.
  public var description: String {
    let user = account.isEmpty ? "" : "\(account.escaped) at "
    return "\(user)the service \"\(service.escaped)\", \(persistence)"
  }
}
