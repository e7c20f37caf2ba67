import CredentialVault
import VaultModel

/// A column of a list; its name is the attribute's in JSON documents.
enum ItemColumn: Equatable {
  /// The service, or the server as a URL.
  case place
  case attribute(Attribute)
  case vault

  /// The columns of a list on a terminal.
  static let standard: [ItemColumn] = [
    .place, .attribute(.account), .attribute(.label), .attribute(.realm), .attribute(.kind),
    .attribute(.expires), .attribute(.id),
  ]

  /// The columns of ``standard`` that a narrow terminal has no room for, the first to be
  /// left out first: what is left says which item it is, and whether it still works.
  static let spare: [ItemColumn] = [
    .attribute(.label), .attribute(.kind), .attribute(.realm), .attribute(.id), .vault,
    .attribute(.expires),
  ]

  static let names: [String] =
    ["place", "vault"] + Attribute.all.filter(isShown).map(\.json)

  private static func isShown(_ attribute: Attribute) -> Bool {
    switch attribute.form {
    case .secret, .custom, .data: false
    default: true
    }
  }

  var name: String {
    switch self {
    case .place: "place"
    case .attribute(let attribute): attribute.json
    case .vault: "vault"
    }
  }

  /// Reads a column's name.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` with all names if it is none.
  init(_ name: String) throws(VaultError) {
    switch name {
    case "place": self = .place
    case "vault": self = .vault
    default:
      guard let attribute = Attribute.all.first(where: { $0.json == name && Self.isShown($0) })
      else {
        let meant = Self.elsewhere[name].map { "; did you mean \($0)?" }
        throw VaultError(
          .invalidArgument,
          "not a column" + (meant ?? Suggestion.question(name, among: Self.names))
            + "; the columns are \(Self.names.joined(separator: ", "))")
      }
      self = .attribute(attribute)
    }
  }

  /// The names of columns in other tools.
  private static let elsewhere = [
    "user": "account", "username": "account", "login": "account", "url": "place",
    "host": "server", "hostname": "server", "name": "label", "title": "label", "notes": "comment",
  ]

  /// Reads names between commas.
  static func list(_ text: String) throws(VaultError) -> [ItemColumn] {
    try text.split(separator: ",", omittingEmptySubsequences: false)
      .map { (name) throws(VaultError) in try ItemColumn(String(name)) }
  }

  /// Returns the whole text of a cell; empty if the attribute is unset.
  func text(of found: VaultList.Found) -> String {
    switch self {
    case .place: ItemText.place(found.item.key)
    case .vault: found.vault.path ?? ""
    case .attribute(.server) where found.item.key.itemClass == .internetPassword:
      ItemText.shown(found.item.server)
    case .attribute(let attribute): ItemText.value(attribute, of: found.item)
    }
  }

  /// Returns the text by which rows are sorted; unset last.
  func sortKey(of found: VaultList.Found) -> (Int, UInt64, String) {
    let text = text(of: found)
    if text.isEmpty { return (1, 0, "") }
    switch self {
    case .attribute(let attribute):
      switch attribute.form {
      case .port, .revision: return (0, UInt64(text) ?? 0, "")
      default: return (0, 0, text.lowercased())
      }
    case .place:
      // By host, whatever the protocol; services last.
      let key = found.item.key
      let host = key.itemClass == .genericPassword ? "\u{7F}" + key.service : key.server.name
      return (0, 0, host.lowercased())
    case .vault: return (0, 0, text)
    }
  }
}

extension [VaultList.Found] {
  /// Sorts by a column; equals stay in their order.
  func sorted(by column: ItemColumn) -> Self {
    let keys = map(column.sortKey)
    return indices.sorted { left, right in
      keys[left] == keys[right] ? left < right : keys[left] < keys[right]
    }.map { self[$0] }
  }
}
