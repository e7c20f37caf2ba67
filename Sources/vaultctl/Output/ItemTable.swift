import CredentialVault
import VaultModel
import VaultTerminal

/// A list of items in columns.
///
/// On a terminal it has a heading and fits the terminal, and may have colours. Elsewhere it has
/// neither, and no text is cut: a script reads it.
struct ItemTable {
  private typealias Row = (cells: [String], isExpired: Bool)

  private static let gap = "  "
  /// No column is made narrower to fit the terminal.
  private static let narrowest = 8

  let columns: [ItemColumn]
  /// The columns of the terminal; nil for another output.
  let width: Int?
  let hasColours: Bool

  func write(
    _ found: [VaultList.Found<InternetPassword>], _ output: Output
  ) throws(VaultError) {
    let rows: [Row] = found.map { found in
      (columns.map { cell($0, of: found) }, ItemText.isExpired(found.item))
    }
    let heading = columns.map { $0.name.replacing("_", with: " ").uppercased() }
    let widths = widths(of: width == nil ? rows.map(\.cells) : [heading] + rows.map(\.cells))
    if width != nil, !rows.isEmpty { try write(heading, widths, hasColours ? "1" : nil, output) }
    for row in rows {
      try write(row.cells, widths, hasColours && row.isExpired ? "31" : nil, output)
    }
  }

  /// Returns the text of a cell, which has no control characters.
  private func cell(_ column: ItemColumn, of found: VaultList.Found<InternetPassword>) -> String {
    var text = column.text(of: found)
    if width != nil {
      switch column {
      case .attribute(.id): text = ItemText.id(found.item.id)
      case .attribute(.expires): text = String(text.prefix(10))
      default: break
      }
    }
    return text.isEmpty ? "-" : Printable.text(text)
  }

  /// Returns the columns' widths; the widest are cut until all fit.
  private func widths(of rows: [[String]]) -> [Int] {
    var widths = columns.indices.map { index in rows.map { TextWidth.of($0[index]) }.max() ?? 0 }
    guard let width else { return widths }
    let gaps = Self.gap.utf8.count * (columns.count - 1)
    while widths.reduce(gaps, +) > width,
      let widest = widths.indices.max(by: { widths[$0] < widths[$1] }),
      widths[widest] > Self.narrowest
    {
      widths[widest] -= 1
    }
    return widths
  }

  private func write(
    _ cells: [String], _ widths: [Int], _ colour: String?, _ output: Output
  ) throws(VaultError) {
    var line = ""
    for (index, cell) in cells.enumerated() {
      let text = width == nil ? cell : TextWidth.cut(cell, to: widths[index])
      line += text
      guard index < cells.count - 1 else { break }
      line += String(repeating: " ", count: max(0, widths[index] - TextWidth.of(text))) + Self.gap
    }
    // The cells are printable; only the colour is a command to the terminal.
    try output.write(colour.map { "\u{1B}[\($0)m\(line)\u{1B}[0m\n" } ?? line + "\n")
  }
}

extension Invocation {
  /// Writes a list as a table, as lines or as a document, in the order of `--sort`.
  func writeList(
    _ found: [VaultList.Found<InternetPassword>], of list: VaultList
  ) throws(VaultError) {
    var columns = try arguments.parsed(.columns, as: ItemColumn.list)
    let sort = try arguments.parsed(.sort) { (name) throws(VaultError) in try ItemColumn(name) }
    guard columns == nil || !isJSON else {
      throw VaultError(.invalidArgument, "--columns is for tables, and --json has everything")
    }
    guard !isJSON, output.isTerminal || columns != nil else {
      return try write(sort.map { found.sorted(by: $0) } ?? found, of: list)
    }
    if columns == nil, list.namesVaults { columns = ItemColumn.standard + [.vault] }
    let table = ItemTable(
      columns: columns ?? ItemColumn.standard, width: output.columns, hasColours: output.hasColours)
    try table.write(found.sorted(by: sort ?? .place), output)
  }
}
