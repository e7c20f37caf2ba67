public import SecureMemory

/// One change to an item; what is not named stays as it was.
public enum ItemChange: Sendable {
  /// Changes the user name.
  case account(String)
  /// Changes the realm.
  case realm(String)
  /// Changes the server; the label is not made anew.
  case server(HostName)
  /// Changes the protocol.
  case `protocol`(NetworkProtocol)
  /// Changes the authentication method.
  case authenticationMethod(AuthenticationMethod)
  /// Changes the port; 0 unsets it.
  case port(UInt16)
  /// Changes the path.
  case path(String)
  /// Changes the label.
  case label(String)
  /// Changes the comment.
  case comment(String)
  /// Changes the kind.
  case kind(String)
  /// Changes the origin.
  case origin(String)
  /// Changes NTLM's account domain.
  case accountDomain(String)
  /// Changes the creator's four-character code.
  case creator(UInt32)
  /// Changes the type's four-character code.
  case type(UInt32)
  /// Changes whether the item is invisible.
  case isInvisible(Bool)
  /// Changes whether the item is negative.
  case isNegative(Bool)
  /// Changes the expiry; nil for never.
  case expires(Timestamp?)
  /// Changes the custom attribute of this name; nil removes it.
  case custom(String, String?)
  /// Changes what the secret is.
  case secretKind(SecretKind)
  /// Changes the secret.
  case secret(Secret)
  /// Changes the refresh token; nil removes it.
  case refreshToken(Secret?)
}

extension InternetPassword {
  /// Applies changes in order, so the last of two to one attribute wins.
  ///
  /// - Returns: Whether the item is now another one. Secrets are compared in constant time; a
  ///   secret that is set where the item has none at hand counts as changed, so an item should
  ///   have its secrets when they are among the changes.
  package mutating func apply(_ changes: [ItemChange]) -> Bool {
    let before = self
    for change in changes { apply(change) }
    return !hasSameContent(as: before)
  }

  private mutating func apply(_ change: ItemChange) {
    switch change {
    case .account(let value): account = value
    case .realm(let value): realm = value
    case .server(let value): server = value
    case .protocol(let value): self.protocol = value
    case .authenticationMethod(let value): authenticationMethod = value
    case .port(let value): port = value
    case .path(let value): path = value
    case .label(let value): label = value
    case .comment(let value): comment = value
    case .kind(let value): kind = value
    case .origin(let value): origin = value
    case .accountDomain(let value): accountDomain = value
    case .creator(let value): creator = value
    case .type(let value): type = value
    case .isInvisible(let value): isInvisible = value
    case .isNegative(let value): isNegative = value
    case .expires(let value): expires = value
    case .custom(let name, let value): custom[name] = value
    case .secretKind(let value): secretKind = value
    case .secret(let value): secret = value
    case .refreshToken(let value): refreshToken = value
    }
  }

  /// Whether everything that a change can set is the same, text by its bytes.
  private func hasSameContent(as other: InternetPassword) -> Bool {
    let rare = rareBox?.attributes ?? .none
    let otherRare = other.rareBox?.attributes ?? .none
    return key == other.key && label.hasSameBytes(as: other.label)
      && isInvisible == other.isInvisible && isNegative == other.isNegative
      && expires == other.expires && secretKind == other.secretKind
      && rare.hasSameContent(as: otherRare)
      && Secret.areSame(secret, other.secret)
  }
}

extension RareAttributes {
  fileprivate func hasSameContent(as other: RareAttributes) -> Bool {
    comment.hasSameBytes(as: other.comment) && kind.hasSameBytes(as: other.kind)
      && origin.hasSameBytes(as: other.origin)
      && accountDomain.hasSameBytes(as: other.accountDomain)
      && creator == other.creator && type == other.type
      && ByteText.wrap(custom) == ByteText.wrap(other.custom)
      && Secret.areSame(refreshToken, other.refreshToken)
  }
}

extension ByteText {
  fileprivate static func wrap(_ attributes: [String: String]) -> [ByteText: ByteText] {
    Dictionary(
      attributes.map { (ByteText(text: $0), ByteText(text: $1)) },
      uniquingKeysWith: { first, _ in first })
  }
}

extension Secret {
  fileprivate static func areSame(_ left: Secret?, _ right: Secret?) -> Bool {
    switch (left, right) {
    case (nil, nil): true
    case (let left?, let right?): left === right || left.isEqual(to: right)
    default: false
    }
  }
}
