public import SecureMemory

/// One change of an item; other attributes are kept.
public struct ItemChange: Sendable {
  /// The attribute to change.
  package let attribute: Attribute
  /// The new value; nil unsets the attribute, or the named custom attribute.
  package let value: AttributeValue?
  /// The name of the custom attribute to change.
  package let customName: String?
  /// Whether it was made with the item's PIN; nothing else changes a secret that needs one.
  package var isWithPIN = false

  /// Creates a change of any attribute but the custom ones.
  package init(_ attribute: Attribute, _ value: AttributeValue?) {
    self.attribute = attribute
    self.value = value
    customName = nil
  }

  private init(custom name: String, _ value: String?) {
    attribute = .custom
    self.value = value.map { .text($0) }
    customName = name
  }

  private init(_ attribute: Attribute, _ value: some AttributeType) {
    self.init(attribute, value.attributeValue)
  }
}

extension ItemChange {
  /// Changes the user name.
  public static func account(_ account: String) -> Self { Self(.account, account) }

  /// Changes the realm.
  public static func realm(_ realm: String) -> Self { Self(.realm, realm) }

  /// Changes the server; the label is kept.
  public static func server(_ server: HostName) -> Self { Self(.server, server) }

  /// Changes the service of a generic password; the label is kept.
  public static func service(_ service: String) -> Self { Self(.service, service) }

  /// Changes the protocol.
  public static func `protocol`(_ name: NetworkProtocol) -> Self { Self(.protocol, name) }

  /// Changes the authentication method.
  public static func authenticationMethod(_ method: AuthenticationMethod) -> Self {
    Self(.authenticationMethod, method)
  }

  /// Changes the port; 0 unsets it.
  public static func port(_ port: UInt16) -> Self { Self(.port, port) }

  /// Changes the path.
  public static func path(_ path: String) -> Self { Self(.path, path) }

  /// Changes the label.
  public static func label(_ label: String) -> Self { Self(.label, label) }

  /// Changes the comment.
  public static func comment(_ comment: String) -> Self { Self(.comment, comment) }

  /// Changes the kind.
  public static func kind(_ kind: String) -> Self { Self(.kind, kind) }

  /// Changes the origin.
  public static func origin(_ origin: String) -> Self { Self(.origin, origin) }

  /// Changes NTLM's account domain.
  public static func accountDomain(_ domain: String) -> Self { Self(.accountDomain, domain) }

  /// Changes the creator's four-character code.
  public static func creator(_ code: UInt32) -> Self { Self(.creator, code) }

  /// Changes the type's four-character code.
  public static func type(_ code: UInt32) -> Self { Self(.type, code) }

  /// Changes a generic password's data for its program's own use.
  public static func generic(_ data: [UInt8]) -> Self { Self(.generic, data) }

  /// Changes the certificates of an identity or of a decision about a server.
  package static func certificates(_ der: [UInt8]) -> Self { Self(.certificates, der) }

  /// Changes whether the item is invisible.
  public static func isInvisible(_ isInvisible: Bool) -> Self { Self(.isInvisible, isInvisible) }

  /// Changes whether the item is negative.
  public static func isNegative(_ isNegative: Bool) -> Self { Self(.isNegative, isNegative) }

  /// Changes the expiry; nil for never.
  public static func expires(_ time: Timestamp?) -> Self {
    Self(.expires, time.map { .time($0) })
  }

  /// Changes the custom attribute of this name; nil removes it.
  public static func custom(_ name: String, _ value: String?) -> Self { Self(custom: name, value) }

  /// Changes the kind of the secret.
  public static func secretKind(_ kind: SecretKind) -> Self { Self(.secretKind, kind) }

  /// Changes the secret.
  public static func secret(_ secret: Secret) -> Self { Self(.secret, .secret(secret)) }

  /// Changes the refresh token; nil removes it.
  public static func refreshToken(_ token: Secret?) -> Self {
    Self(.refreshToken, token.map { .secret($0) })
  }

  /// Changes the key of the one-time passwords; nil removes it.
  public static func oneTimePasswordKey(_ key: Secret?) -> Self {
    Self(.oneTimePasswordKey, key.map { .secret($0) })
  }

  /// Whether it changes the secret or one beside it.
  package var isOfSecret: Bool { attribute.form == .secret || attribute == .secretKind }
}

extension ItemChange {
  /// Marks changes that were made with the item's PIN.
  package static func withPIN(_ changes: [ItemChange]) -> [ItemChange] {
    changes.map { change in
      var change = change
      change.isWithPIN = true
      return change
    }
  }

  /// Checks that an item may be changed so without its PIN.
  ///
  /// - Throws: ``VaultError/Code/pinRequired``; ``VaultError/Code/invalidArgument`` for a change
  ///   that claims a PIN.
  package static func validate(
    _ changes: [ItemChange], of item: Item
  ) throws(VaultError) {
    for change in changes where change.isOfSecret && !change.isWithPIN {
      guard !item.needsPIN else {
        throw VaultError(
          .pinRequired, "the secret is changed with its PIN only", candidates: [item])
      }
      // A secret that stays in clear could not be opened as a sealed one.
      if change.attribute == .secretKind, case .number(let kind) = change.value,
        SecretKind(rawValue: UInt8(truncatingIfNeeded: kind)).needsPIN
      {
        throw VaultError(.invalidArgument, "secret kind: a PIN is set by another function")
      }
    }
  }

  /// Checks that items of a class have the attribute.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``, naming the attribute.
  package func validate(for itemClass: ItemClass) throws(VaultError) {
    guard !attribute.isOf(itemClass) else { return }
    throw VaultError(.invalidArgument, "\(attribute.name): not of this class of items")
  }
}

extension Item {
  /// Applies changes in order, so the last of two for one attribute counts.
  ///
  /// - Returns: Whether the item differs now. Secrets are compared in constant time. A secret that
  ///   is set counts as changed if the item was read without it, so read the secrets if they are
  ///   among the changes.
  package mutating func apply(_ changes: [ItemChange]) -> Bool {
    let before = self
    for change in changes {
      if let name = change.customName {
        custom[name] = change.value.flatMap { (value: AttributeValue) in String(value) }
      } else {
        self[change.attribute] = change.value
      }
    }
    return !hasSameContent(as: before)
  }

  /// Returns whether everything that a change can set is the same, text by its bytes.
  package func hasSameContent(as other: Item) -> Bool {
    key == other.key && label.hasSameBytes(as: other.label)
      && isInvisible == other.isInvisible && isNegative == other.isNegative
      && secretKind == other.secretKind
      && extended.hasSameContent(as: other.extended) && hasSameSecret(as: other)
  }

  private func hasSameSecret(as other: Item) -> Bool {
    switch (storedSecret, other.storedSecret) {
    case (nil, nil): true
    case (let left?, let right?): left === right || left.isEqual(to: right)
    default: false
    }
  }
}
