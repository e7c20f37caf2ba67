import KeychainItems
import VaultModel

/// The meaning of a number of length 0 in the two functions that modify.
enum EmptyNumber {
  /// The value has a wrong length.
  case isInvalid
  /// The attribute becomes unset, unless the key needs one.
  case unsets
}

extension KeychainAttribute {
  /// Returns the change that gives an item this value.
  ///
  /// - Parameters:
  ///   - emptyNumber: What a number without bytes means.
  ///   - isNew: Whether the item is new, and nothing of it was set before.
  /// - Returns: The change; nil if none is needed.
  /// - Throws: ``VaultError/Code/readOnlyAttribute`` for the dates, which the vault sets: Apple
  ///   accepts one and drops the other; ``VaultError/Code/unsupported`` for any value except unset
  ///   of an attribute that vaults do not keep; ``VaultError/Code/invalidValue``,
  ///   ``VaultError/Code/missingValue``, ``VaultError/Code/invalidArgument``.
  func change(
    _ emptyNumber: EmptyNumber, isNew: Bool = false
  ) throws(VaultError) -> ItemChange? {
    if tag.isNumber, isEmpty, !isNew {
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
