public import SecureMemory

/// The keychain's item: a key of seven attributes, attributes beside it, and a secret.
///
/// Listing gives items without their secrets. Attributes that few items have take room
/// only in those, so that an item stays small.
public struct InternetPassword: Sendable {
  /// The identity, which stays when the key changes.
  public package(set) var id: ItemID
  /// The seven attributes that are unique in a vault.
  public var key: Key
  /// What the secret is.
  public var secretKind: SecretKind = .password
  /// Where the item is kept.
  public package(set) var persistence: Persistence = .permanent
  /// Whether lists for people leave the item out.
  public var isInvisible = false
  /// Whether the item says that there is no password and one has to be asked for every time.
  public var isNegative = false
  /// The name that is shown to people; a store fills an empty one from the server or account.
  public var label = ""
  /// When the item was added; a store sets it.
  public var created: Timestamp
  /// When the item was last changed; a store sets it.
  public var modified: Timestamp
  /// The generation of the store that last wrote the item, for a change that is made only if nobody else made one since.
  ///
  /// It grows with each change; 0 if no store has the item.
  public package(set) var revision: UInt64 = 0
  /// The secret; nil if the item was found without it.
  public var secret: Secret?
  /// The attributes that few items have.
  package var extended = ExtendedAttributes()
  /// When the item expires; nil for never.
  public var expires: Timestamp?

  /// Makes a new item with a random identity.
  ///
  /// - Parameters:
  ///   - server: The server.
  ///   - account: The user name.
  ///   - secret: The secret.
  ///   - protocol: The protocol.
  ///   - port: The port, literal; 0 for unset.
  ///   - realm: The realm, which Apple calls the security domain.
  ///   - path: The path, literal.
  ///   - authenticationMethod: The method, ``AuthenticationMethod/default`` unless given.
  public init(
    server: HostName = .unset, account: String = "", secret: Secret? = nil,
    protocol: NetworkProtocol = .unset, port: UInt16 = 0, realm: String = "", path: String = "",
    authenticationMethod: AuthenticationMethod = .default
  ) {
    let now = Timestamp.now()
    self.init(
      id: ItemID(),
      key: Key(
        account: account, realm: realm, server: server, protocol: `protocol`,
        authenticationMethod: authenticationMethod, port: port, path: path),
      created: now, modified: now)
    self.secret = secret
  }

  /// Makes a new item for a protection space, with the space's port even where it is the default,
  /// so that both a space and a literal port find it.
  public init(space: ProtectionSpace, account: String, secret: Secret?) {
    self.init(
      server: space.host, account: account, secret: secret, protocol: space.protocol,
      port: space.port, realm: space.realm, authenticationMethod: space.authenticationMethod)
  }

  /// Makes an item whose identity and times are known, as a store reads it.
  package init(id: ItemID, key: Key, created: Timestamp, modified: Timestamp) {
    self.id = id
    self.key = key
    self.created = created
    self.modified = modified
  }

  /// Whether it will be expired one day, or is.
  package var mayExpire: Bool { expires != nil || keptUntil != nil }

  /// Whether the item has expired, by its own time or by the policy's.
  public func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }

  /// Fills an empty label with the server, or without one with the account, as Apple does on add.
  package mutating func applyDefaultLabel() {
    guard label.isEmpty else { return }
    label = key.server.isUnset ? key.account : key.server.name
  }

  /// Makes it an item that is added at that moment; one that a store gave is a copy, and gets an id of its own.
  package mutating func becomeNew(at now: Timestamp) {
    applyDefaultLabel()
    if revision > 0 { id = ItemID() }
    date(now)
  }

  /// Dates it as one that was added at that moment.
  package mutating func date(_ now: Timestamp) {
    created = now
    modified = now
    secretChanged = now
  }

  /// The item without its secret and refresh token.
  package var withoutSecrets: InternetPassword {
    var item = self
    item.secret = nil
    item.refreshToken = nil
    return item
  }
}

extension InternetPassword {
  /// The user name.
  public var account: String {
    get { key.account }
    set { key.account = newValue }
  }

  /// The realm, which Apple calls the security domain.
  public var realm: String {
    get { key.realm }
    set { key.realm = newValue }
  }

  /// The server.
  public var server: HostName {
    get { key.server }
    set { key.server = newValue }
  }

  /// The protocol.
  public var `protocol`: NetworkProtocol {
    get { key.protocol }
    set { key.protocol = newValue }
  }

  /// The authentication method.
  public var authenticationMethod: AuthenticationMethod {
    get { key.authenticationMethod }
    set { key.authenticationMethod = newValue }
  }

  /// The port, literal; 0 for unset.
  public var port: UInt16 {
    get { key.port }
    set { key.port = newValue }
  }

  /// The path, literal.
  public var path: String {
    get { key.path }
    set { key.path = newValue }
  }
}

/// What an item's secret is.
///
/// The raw value is what the sealed file holds; unknown values are kept.
public struct SecretKind: RawRepresentable, Hashable, Sendable {
  /// The value in the sealed file.
  public let rawValue: UInt8

  /// Makes a kind from its value in the sealed file.
  public init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// A password that a person chose or that stands for one.
  public static let password = SecretKind(rawValue: 0)
  /// A token that a service issued, sent as a bearer or in a password's place.
  public static let token = SecretKind(rawValue: 1)
  /// A private key with its certificates.
  public static let identity = SecretKind(rawValue: 2)
}
