import SecureMemory
import VaultModel

/// The names in `vaultctl`'s own export, which `Documentation/schemas/export.json` describes.
///
/// A document is `{"format":"vaultctl-export","version":1,"items":[…]}`. Its items have the names
/// of all other documents of `vaultctl`. Version 1 never changes: a reader refuses a higher one,
/// and a member that it does not know.
enum ExportDocument {
  static let format = "vaultctl-export"
  static let version: Int64 = 1

  /// Whether the item is the default credential of its space.
  static let isDefault = "default"
  /// The secrets that the item had before, each with its own attributes and these two times.
  static let previous = "previous"
  static let set = "set"
  static let replaced = "replaced"
  /// Follows the name of a secret that is not UTF-8 and so is written in base 64.
  static let base64Suffix = "_base64"
  static let secretKinds = ["password", "token", "identity"]

  /// The attributes of an item of a class that are written.
  ///
  /// The revision means nothing elsewhere, and how long a policy lets an item be kept is decided by
  /// the policy of the vault that it comes to.
  static func attributes(of itemClass: ItemClass) -> [Attribute] {
    Attribute.all.filter {
      $0.isOf(itemClass) && $0 != .revision && $0 != .keptUntil
    }
  }

  static func name(_ itemClass: ItemClass) -> String {
    switch itemClass {
    case .internetPassword: "internet"
    case .genericPassword: "generic"
    }
  }
}
