import VaultModel

/// How the two functions that modify take a number of the length 0.
enum EmptyNumber {
  /// It is a value of a wrong length.
  case isInvalid
  /// It unsets the attribute, unless the key needs one.
  case unsets
}

extension KeychainAttribute {
  /// What changes an item to have this value; nil if it has it anyway.
  ///
  /// - Throws: ``VaultError/Code/readOnlyAttribute`` for the dates, which the vault sets: Apple takes the one and drops the
  ///   other; ``VaultError/Code/unsupported`` for anything but unset of what vaults do not keep;
  ///   ``VaultError/Code/invalidValue``, ``VaultError/Code/missingValue``, ``VaultError/Code/invalidArgument``.
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
