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
    guard case .attribute(let attribute) = tag else { return try nothing() }
    guard !attribute.isReadOnly else {
      throw VaultError(.readOnlyAttribute, "a vault sets its items' dates")
    }
    return ItemChange(attribute, try value(of: attribute))
  }

  /// Accepts only unset.
  private func nothing() throws(VaultError) -> ItemChange? {
    guard try stored().isEmpty else {
      throw VaultError(.unsupported, "vaults do not keep this attribute")
    }
    return nil
  }
}
