import VaultModel
import VaultTerminal

/// Rows in columns.
///
/// On a terminal it has a heading and fits the terminal, and may have colours. Elsewhere it has
/// neither, and no text is cut: a script reads it.
struct TextTable {
  /// A row: its cells, and whether it is shown in the colour of what no longer works.
  typealias Row = (cells: [String], isFaded: Bool)

  private static let gap = "  "
  /// No column is made narrower to fit the terminal while others can be left out: a day and the
  /// beginning of an id stay whole.
  private static let narrowest = 10
  /// The same for the leading columns: a host stays recognizable.
  private static let leadingNarrowest = 18
  /// A column that has to stay shows at least so much.
  private static let least = 3

  let names: [String]
  /// The columns of the terminal; nil for another output.
  let width: Int?
  let hasColours: Bool
  /// The number of columns, from the first, that are made narrower only after all others: they say
  /// what a row is about.
  let leading: Int
  /// The columns that a terminal may be too narrow for, the first that is left out first.
  var spare: [String] = []
  /// The columns that a terminal shows only if it has room for all of every column.
  var extra: [String] = []
  /// Whether a terminal shows a column in which every cell is empty.
  var showsEmpty = false

  /// Writes the rows; an empty cell is shown as a hyphen, and control characters are escaped.
  func write(_ texts: [Row], _ output: Output) throws(VaultError) {
    let used = usedColumns(of: texts)
    guard used.count == names.count else {
      var table = TextTable(
        names: used.map { names[$0] }, width: width, hasColours: hasColours,
        leading: used.count { $0 < leading })
      (table.spare, table.showsEmpty) = (spare, true)
      return try table.write(
        texts.map { row in (cells: used.map { row.cells[$0] }, isFaded: row.isFaded) }, output)
    }
    let rows = texts.map { row in
      (cells: row.cells.map(shown), isFaded: row.isFaded)
    }
    let heading = names.map(self.heading)
    let widths = widths(of: width == nil ? rows.map(\.cells) : [heading] + rows.map(\.cells))
    if width != nil, !rows.isEmpty {
      try write(heading, widths: widths, colour: hasColours ? "1" : nil, to: output)
    }
    for row in rows {
      try write(
        row.cells, widths: widths, colour: hasColours && row.isFaded ? "31" : nil, to: output)
    }
  }

  /// Returns the columns that are shown: on a terminal, those that are not empty, as far as they
  /// fit.
  private func usedColumns(of texts: [Row]) -> [Int] {
    guard let width else { return Array(names.indices) }
    var used = names.indices.filter { index in
      showsEmpty || texts.contains { !$0.cells[index].isEmpty }
    }
    let widths = names.indices.map { index in
      ([heading(names[index])] + texts.map { shown($0.cells[index]) }).map(TextWidth.of).max() ?? 0
    }
    let whole = used.map { widths[$0] }.reduce(0, +) + Self.gap.utf8.count * (used.count - 1)
    if whole > width { used.removeAll { extra.contains(names[$0]) } }
    for name in spare {
      let least = used.map { index in
        min(widths[index], index < leading ? Self.leadingNarrowest : Self.narrowest)
      }.reduce(0, +)
      guard least + Self.gap.utf8.count * (used.count - 1) > width else { break }
      used.removeAll { names[$0] == name }
    }
    return used
  }

  private func heading(_ name: String) -> String { name.replacing("_", with: " ").uppercased() }

  private func shown(_ cell: String) -> String { cell.isEmpty ? "-" : Printable.text(cell) }

  /// Returns the columns' widths; the widest are cut until all fit, the leading ones last.
  private func widths(of rows: [[String]]) -> [Int] {
    var widths = names.indices.map { index in rows.map { TextWidth.of($0[index]) }.max() ?? 0 }
    guard let width else { return widths }
    let gaps = Self.gap.utf8.count * (names.count - 1)
    for (columns, least) in [
      (leading..<names.count, Self.narrowest), (0..<names.count, Self.narrowest),
      (0..<names.count, Self.least),
    ] {
      while widths.reduce(gaps, +) > width,
        let widest = columns.max(by: { widths[$0] < widths[$1] }), widths[widest] > least
      {
        widths[widest] -= 1
      }
    }
    return widths
  }

  private func write(
    _ cells: [String], widths: [Int], colour: String?, to output: Output
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
