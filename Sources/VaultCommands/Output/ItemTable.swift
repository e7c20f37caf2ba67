import CredentialVault
import VaultModel

/// A list of items in columns.
struct ItemTable {
  /// The columns of a terminal that shows labels whatever else it shows.
  private static let wide = 100

  let columns: [ItemColumn]
  /// The columns of the terminal; nil for another output.
  let width: Int?
  let hasColours: Bool
  /// Whether the user named the columns, which are all shown then.
  let isNamed: Bool

  func write(
    _ found: [VaultList.Found], _ output: Output
  ) throws(VaultError) {
    var table = TextTable(
      names: columns.map(\.name), width: width, hasColours: hasColours,
      leading: min(2, columns.count), spare: isNamed ? [] : ItemColumn.spare.map(\.name),
      showsEmpty: isNamed)
    // A label must not shorten the place that it is of, unless the terminal is wide.
    if !isNamed, width ?? 0 < Self.wide { table.extra = [ItemColumn.attribute(.label).name] }
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
    case .attribute(.label) where !isNamed: return ItemText.ownLabel(of: found.item)
    default: return text
    }
  }
}

extension Invocation {
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
      return try write(found.sorted(by: sort ?? .place), of: list, lastSync)
    }
    let isNamed = columns != nil
    if columns == nil {
      columns = ItemColumn.standard
      if list.namesVaults { columns?.append(.vault) }
    }
    if found.isEmpty { try sayEmpty() }
    let table = ItemTable(
      columns: columns ?? [], width: output.columns,
      hasColours: output.hasColours, isNamed: isNamed)
    try paged(found.count + 1) { () throws(VaultError) in
      try table.write(found.sorted(by: sort ?? .place), output)
    }
  }
}
