import CVault
import VaultModel

extension Item {
  /// Returns a text attribute; empty if it is unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is not.
  func text(_ constant: vault_attribute_t) throws(VaultError) -> String {
    guard let attribute = Attribute(constant) else { throw Self.isNoText }
    switch attribute.form {
    case .text, .host, .networkProtocol, .method:
      return if case .text(let text) = self[attribute] { text } else { "" }
    case .id: return id.text
    case .port, .code, .flag, .secretKind, .data, .time, .moment, .revision, .secret, .custom:
      throw Self.isNoText
    }
  }

  /// Returns a data attribute; empty if it is unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is not.
  func data(_ constant: vault_attribute_t) throws(VaultError) -> [UInt8] {
    guard let attribute = Attribute(constant), attribute.form == .data else {
      throw VaultError(.invalidArgument, "an attribute that is no data")
    }
    return if case .data(let bytes) = self[attribute] { bytes } else { [] }
  }

  private static var isNoText: VaultError {
    VaultError(.invalidArgument, "an attribute that is no text")
  }
}

extension ItemHandle.Content {
  /// Returns a number attribute; 0 if it is unset.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is not.
  func number(_ constant: vault_attribute_t) throws(VaultError) -> UInt64 {
    switch constant {
    case VAULT_PERSISTENCE: UInt64(item.persistence.rawValue)
    case VAULT_IS_PENDING: pending == nil ? 0 : 1
    case VAULT_HAS_PORT_VARIANT: hasPortVariant ? 1 : 0
    case VAULT_CLASS: UInt64(item.key.itemClass.rawValue)
    case VAULT_REMOVED: removal?.removed.unsigned ?? 0
    case VAULT_RESTORABLE_UNTIL: removal?.restorableUntil.unsigned ?? 0
    default: try number(of: Attribute(constant))
    }
  }

  private func number(of attribute: Attribute?) throws(VaultError) -> UInt64 {
    guard let attribute else { throw Self.isNoNumber }
    switch attribute.form {
    case .revision: return item.revision
    case .port, .code, .flag, .secretKind, .time, .moment:
      return switch item[attribute] {
      case .number(let number): UInt64(number)
      case .flag(let isSet): isSet ? 1 : 0
      case .time(let time): time.unsigned
      default: 0
      }
    case .text, .host, .networkProtocol, .method, .data, .id, .secret, .custom:
      throw Self.isNoNumber
    }
  }

  private static var isNoNumber: VaultError {
    VaultError(.invalidArgument, "an attribute that is no number")
  }
}

extension Timestamp {
  /// The milliseconds since 1970; 1 for earlier times, since 0 means unset.
  var unsigned: UInt64 { UInt64(max(milliseconds, 1)) }
}
