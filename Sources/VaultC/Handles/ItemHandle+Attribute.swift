import CVault
import VaultModel

extension InternetPassword {
  /// Returns a text attribute; empty if it is unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an attribute of another type.
  func text(_ attribute: vault_attribute_t) throws(VaultError) -> String {
    switch attribute {
    case VAULT_ACCOUNT: account
    case VAULT_REALM: realm
    case VAULT_SERVER: server.name
    case VAULT_PROTOCOL: self.protocol.rawValue
    case VAULT_AUTHENTICATION_METHOD: authenticationMethod.rawValue
    case VAULT_PATH: path
    case VAULT_LABEL: label
    case VAULT_COMMENT: comment
    case VAULT_KIND: kind
    case VAULT_ORIGIN: origin
    case VAULT_ACCOUNT_DOMAIN: accountDomain
    case VAULT_ID: id.text
    default: throw VaultError(.invalidArgument, "an attribute that is no text")
    }
  }
}

extension ItemHandle.Content {
  /// Returns a number attribute; 0 if it is unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an attribute of another type.
  func number(_ attribute: vault_attribute_t) throws(VaultError) -> UInt64 {
    switch attribute {
    case VAULT_PORT: UInt64(item.port)
    case VAULT_CREATOR: UInt64(item.creator)
    case VAULT_TYPE: UInt64(item.type)
    case VAULT_IS_INVISIBLE: item.isInvisible ? 1 : 0
    case VAULT_IS_NEGATIVE: item.isNegative ? 1 : 0
    case VAULT_EXPIRES: item.expires.map(\.unsigned) ?? 0
    case VAULT_SECRET_KIND: UInt64(item.secretKind.rawValue)
    case VAULT_CREATED: item.created.unsigned
    case VAULT_MODIFIED: item.modified.unsigned
    case VAULT_REVISION: item.revision
    case VAULT_PERSISTENCE: UInt64(item.persistence.rawValue)
    case VAULT_IS_PENDING: pending == nil ? 0 : 1
    case VAULT_HAS_TWIN: hasTwin ? 1 : 0
    default: throw VaultError(.invalidArgument, "an attribute that is no number")
    }
  }
}

extension Timestamp {
  /// The milliseconds since 1970; 1 for earlier times, since 0 means unset.
  fileprivate var unsigned: UInt64 { UInt64(max(milliseconds, 1)) }
}
