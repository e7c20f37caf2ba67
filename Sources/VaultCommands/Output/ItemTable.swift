import CredentialVault
import VaultModel

/// A list of items in columns.
struct ItemTable {
  let columns: [ItemColumn]
  /// The columns of the terminal; nil for another output.
  let width: Int?
  let hasColours: Bool
  /// Whether the user named the columns, which are all shown then.
  let isNamed: Bool

  func write(
    _ found: [VaultList.Found], _ output: Output
  ) throws(VaultError) {
    let table = TextTable(
      names: columns.map(\.name), width: width, hasColours: hasColours,
      leading: min(2, columns.count), spare: isNamed ? [] : ItemColumn.spare.map(\.name),
      showsEmpty: isNamed)
    let rows = found.map { found in
      (cells: columns.map { cell($0, of: found) }, isFaded: ItemText.isExpired(found.item))
    }
    try table.write(rows, output)
  }

  private func cell(_ column: ItemColumn, of found: VaultList.Found) -> String {
    let text = column.text(of: found)
    guard width != nil else { return text }
    switch column {
    case .attribute(.id): return ItemText.id(found.item.id)
    case .place where found.item.persistence == .session: return text + " (session)"
    case .attribute(.expires): return String(text.prefix(10))
    // A label that nobody chose says nothing new.
    case .attribute(.label) where !isNamed && found.item.hasDefaultLabel: return ""
    default: return text
    }
  }
}

extension Invocation {
  /// The columns of a terminal that shows labels too.
  private static let wide = 100

  /// Writes a list as a table, as lines or as a document, in the order of `--sort`.
  func writeList(
    _ found: [VaultList.Found], of list: VaultList, _ lastSync: Timestamp?
  ) throws(VaultError) {
    var columns = try arguments.parsed(.columns, as: ItemColumn.list)
    let sort = try arguments.parsed(.sort) { (name) throws(VaultError) in try ItemColumn(name) }
    guard columns == nil || !isJSON else {
      throw VaultError(.invalidArgument, "--columns is for tables, and --json has everything")
    }
    guard !isJSON, output.isTerminal || columns != nil else {
      return try write(sort.map { found.sorted(by: $0) } ?? found, of: list, lastSync)
    }
    let isNamed = columns != nil
    if columns == nil {
      columns = ItemColumn.standard(isWide: output.columns ?? 0 >= Self.wide)
      if list.namesVaults { columns?.append(.vault) }
    }
    if found.isEmpty, output.isTerminal, !isQuiet { try hint("there is nothing to list") }
    let table = ItemTable(
      columns: columns ?? [], width: output.columns,
      hasColours: output.hasColours, isNamed: isNamed)
    try table.write(found.sorted(by: sort ?? .place), output)
  }
}

extension Item {
  /// Whether the label is the one that an item gets without one: its server or service, else its
  /// account.
  fileprivate var hasDefaultLabel: Bool {
    [key.itemClass == .genericPassword ? key.service : server.name, account].contains(label)
  }
}
