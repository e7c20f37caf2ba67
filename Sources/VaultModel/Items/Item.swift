public import SecureMemory

/// The keychain's item: a key, attributes beside it, and a secret.
///
/// Its class, ``Key/itemClass``, says what its key is: an internet password has seven attributes, a
/// generic password a service and an account. Identities and decisions about servers are items as
/// well. Lists return items without their secrets. An item stays small because rare attributes need
/// memory only in the items that have them.
public struct Item: Sendable {
  /// The identity, which does not change with the key.
  public package(set) var id: ItemID
  /// The attributes that together are unique in a vault.
  public var key: Key
  /// The kind of the secret.
  public var secretKind: SecretKind = .password
  /// The persistence of the item.
  public package(set) var persistence: Persistence = .permanent
  /// Whether lists for people omit the item.
  public var isInvisible = false
  /// Whether the item has no password, so that the user is prompted every time.
  public var isNegative = false
  /// The name shown to people; a store fills an empty one from the server, the service or
  /// the account.
  public var label = ""
  /// The time at which the item was added; a store sets it.
  public var created: Timestamp
  /// The time of the item's last change; a store sets it.
  public var modified: Timestamp
  /// The generation of the store that last wrote the item: a change can require that nobody else
  /// made one since.
  ///
  /// It grows with each change; 0 if the item is not stored.
  public package(set) var revision: UInt64 = 0
  /// The secret as stores keep it: sealed, if it needs a PIN.
  package var storedSecret: Secret?
  /// The attributes that few items have.
  package var extended = ExtendedAttributes() {
    didSet {
      if extended.hasCustom || !key.variant.isEmpty { key.variant = Key.variant(of: custom) }
    }
  }

  /// Creates an internet password with a random identity.
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
    storedSecret = secret
  }

  /// Creates a generic password with a random identity.
  ///
  /// API tokens and passphrases of tools are kept in it.
  ///
  /// - Parameters:
  ///   - service: The service; any text without NUL, at most 4096 bytes.
  ///   - account: The account there.
  ///   - secret: The secret.
  public init(service: String, account: String = "", secret: Secret? = nil) {
    let now = Timestamp.now()
    self.init(
      id: ItemID(), key: Key(service: service, account: account), created: now, modified: now)
    storedSecret = secret
  }

  /// Creates an item for a protection space, with the space's port even if it is the default, so
  /// that both a space and a literal port find it.
  public init(space: ProtectionSpace, account: String, secret: Secret? = nil) {
    self.init(
      server: space.host, account: account, secret: secret, protocol: space.protocol,
      port: space.port, realm: space.realm, authenticationMethod: space.authenticationMethod)
  }

  /// Creates an item whose identity and times are known, as a store reads it.
  package init(id: ItemID, key: Key, created: Timestamp, modified: Timestamp) {
    self.id = id
    self.key = key
    self.created = created
    self.modified = modified
  }

  /// The secret; nil if the item was found without it, or if it needs a PIN.
  ///
  /// Setting it makes an item whose secret needs no PIN.
  public var secret: Secret? {
    get { needsPIN ? nil : storedSecret }
    set {
      storedSecret = newValue
      secretKind = secretKind.withoutPIN
    }
  }

  /// Returns the secret of an item that was found with it.
  ///
  /// - Throws: ``VaultError/Code/pinRequired`` if it needs a PIN; ``VaultError/Code/expired`` if
  ///   the store withheld it.
  package func requireSecret() throws(VaultError) -> Secret {
    if let secret { return secret }
    throw needsPIN
      ? VaultError(.pinRequired, "the item needs a PIN", candidates: [withoutSecrets])
      : VaultError(.expired, "the item has expired")
  }

  /// Whether a PIN is needed to open the secret, as well as the vault.
  public var needsPIN: Bool { secretKind.needsPIN }

  /// Whether the item has an expiry, past or future.
  package var mayExpire: Bool { expires != nil || keptUntil != nil }

  /// Returns whether the item has expired, by its own time or by the policy's.
  public func isExpired(at now: Timestamp) -> Bool {
    if let expires, expires <= now { return true }
    if let keptUntil, keptUntil <= now { return true }
    return false
  }

  /// Returns whether a refresh token is still good for a new secret: it outlives the item's own
  /// expiry, but not the time that a policy gives both.
  package func isRenewable(at now: Timestamp) -> Bool {
    hasRefreshToken && keptUntil.map { $0 > now } ?? true
  }

  /// Fills an empty label with the server or service, or without one with the account, as Apple
  /// does on add.
  package mutating func applyDefaultLabel() {
    guard label.isEmpty else { return }
    label = key.server.isUnset ? key.account : key.server.name
  }

  /// Makes the item one that is added at a time; a copy of a stored item gets an id of its own.
  package mutating func becomeNew(at now: Timestamp) {
    applyDefaultLabel()
    if revision > 0 { id = ItemID() }
    date(now)
  }

  /// Sets the times of an item that is added at a time.
  package mutating func date(_ now: Timestamp) {
    created = now
    modified = now
    secretChanged = now
  }

  /// The item without its secrets.
  package var withoutSecrets: Item {
    var item = self
    item.withholdSecrets()
    return item
  }

  /// Removes the secrets: afterwards the item only tells that it has them.
  package mutating func withholdSecrets() {
    storedSecret = nil
    guard !extended.isEmpty else { return }
    for attribute in Attribute.furtherSecrets where extended[attribute] != nil {
      withhold(attribute)
    }
  }
}

extension Item {
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

  /// The server; of a generic password, its service.
  public var server: HostName {
    get { key.server }
    set { key.server = newValue }
  }

  /// The service of a generic password; empty for an item of another class.
  ///
  /// Setting it makes the item a generic password.
  public var service: String {
    get { key.service }
    set { key.service = newValue }
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
