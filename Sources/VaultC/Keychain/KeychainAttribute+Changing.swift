import VaultModel

/// The meaning of a number of length 0 in the two functions that modify.
enum EmptyNumber {
  /// The value has a wrong length.
  case isInvalid
  /// The attribute becomes unset, unless the key needs one.
  case unsets
}

extension KeychainAttribute {
  /// Returns the change that gives an item this value; nil if no change is needed.
  ///
  /// - Throws: ``VaultError/Code/readOnlyAttribute`` for the dates, which the vault sets: Apple
  ///   accepts one and drops the other; ``VaultError/Code/unsupported`` for any value except unset
  ///   of an attribute that vaults do not keep; ``VaultError/Code/invalidValue``,
  ///   ``VaultError/Code/missingValue``, ``VaultError/Code/invalidArgument``.
  func change(_ emptyNumber: EmptyNumber) throws(VaultError) -> ItemChange? {
    if tag.isNumber, isEmpty {
      switch emptyNumber {
      case .isInvalid: throw VaultError(.invalidValue, "a number has no bytes")
      case .unsets where tag.isOfKey:
        throw VaultError(.missingValue, "a number of the key has no bytes")
      case .unsets: break
      }
    }
    return switch tag {
    case .account: .account(try text())
    case .realm: .realm(try text())
    case .server: .server(try HostName(text()))
    case .protocol: .protocol(NetworkProtocol(keychainCode: try number()))
    case .authenticationMethod: .authenticationMethod(try authenticationMethod())
    case .port: .port(try port())
    case .path: .path(try text())
    case .label: .label(try text())
    case .comment: .comment(try text())
    case .kind: .kind(try text())
    case .creator: .creator(try number())
    case .type: .type(try number())
    case .isInvisible: .isInvisible(try number() != 0)
    case .isNegative: .isNegative(try number() != 0)
    case .created, .modified: throw VaultError(.readOnlyAttribute, "a vault sets its items' dates")
    case .scriptCode, .customIcon, .protectedData, .alias: try nothing()
    }
  }

  /// Accepts only unset.
  private func nothing() throws(VaultError) -> ItemChange? {
    guard try stored().isEmpty else {
      throw VaultError(.unsupported, "vaults do not keep this attribute")
    }
    return nil
  }
}
