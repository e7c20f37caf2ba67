package import CredentialVault
package import VaultModel

/// A reference to an item, which stays valid when the item is changed or renamed.
package final class KeychainItemReference: Sendable {
  /// The item's identity.
  package let id: ItemID
  /// The key under which the item was last seen, where it is looked up first.
  package let key: Item.Key
  /// The vault that holds the item.
  package let vault: Vault

  /// Creates a reference to an item that was found in a vault.
  package init(_ item: Item, in vault: Vault) {
    id = item.id
    key = item.key
    self.vault = vault
  }

  /// The class of the item.
  package var itemClass: ItemClass { key.itemClass }

  /// The reference as data that other processes understand.
  package var persistent: PersistentReference { PersistentReference(itemClass, id) }
}

extension KeychainItemReference: Equatable, Hashable {
  /// Returns whether both refer to the same item.
  package static func == (left: KeychainItemReference, right: KeychainItemReference) -> Bool {
    left.id == right.id && left.itemClass == right.itemClass
  }

  /// Hashes the item's identity.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}

/// A reference to an item as data: the four characters of its class and the 16 bytes of its
/// identity, as Apple's data-protection keychain has them.
///
/// It holds neither key nor vault, so it survives renames and is valid in every process.
package struct PersistentReference: Hashable, Sendable {
  /// The class of the item.
  package let itemClass: ItemClass
  /// The item's identity.
  package let id: ItemID

  /// Creates the reference to an item.
  package init(_ itemClass: ItemClass, _ id: ItemID) {
    self.itemClass = itemClass
    self.id = id
  }

  /// Reads the 20 bytes of ``bytes``.
  ///
  /// - Throws: ``VaultError/Code/invalidItemReference`` for anything else.
  package init(_ bytes: [UInt8]) throws(VaultError) {
    let code = String(decoding: bytes.prefix(4), as: UTF8.self)
    guard bytes.count == 20, let itemClass = ItemClass(keychainCode: code) else {
      throw VaultError(.invalidItemReference, "no persistent reference to an item")
    }
    self.itemClass = itemClass
    func word(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
    id = ItemID(high: word(4..<12), low: word(12..<20))
  }

  /// The 20 bytes.
  package var bytes: [UInt8] {
    var bytes = Array(itemClass.keychainCode.utf8)
    for word in [id.high, id.low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    return bytes
  }
}

extension ItemClass {
  /// The four characters of the class in the keychain.
  package var keychainCode: String {
    switch self {
    case .internetPassword: "inet"
    case .genericPassword: "genp"
    }
  }

  /// Finds the class of four characters.
  package init?(keychainCode: String) {
    switch keychainCode {
    case "inet": self = .internetPassword
    case "genp": self = .genericPassword
    default: return nil
    }
  }
}
