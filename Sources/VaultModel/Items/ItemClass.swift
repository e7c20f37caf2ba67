/// The class of an item, which says what its key is: no question for one class is ever answered
/// with an item of another.
public enum ItemClass: UInt8, CaseIterable, Sendable {
  /// A password or token for a server, under seven attributes; so is an identity, and a decision
  /// about a server.
  case internetPassword
  /// A secret under the names of a service and an account.
  case genericPassword
}

extension Attribute {
  /// Returns whether items of a class have the attribute.
  package func isOf(_ itemClass: ItemClass) -> Bool {
    switch self {
    case .service, .generic: itemClass == .genericPassword
    case .account: true
    case .accountDomain, .certificates: itemClass == .internetPassword
    default: !isOfKey || itemClass == .internetPassword
    }
  }
}

extension Item {
  /// Whether its secret is a password or a token: neither a private key nor a decision about a
  /// server.
  package var hasPassword: Bool {
    secretKind.withoutPIN != .identity && authenticationMethod != .serverTrust
  }
}
