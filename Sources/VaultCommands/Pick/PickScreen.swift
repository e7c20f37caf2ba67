import VaultTerminal

/// The picker's screen in a terminal of some size: the line that is typed, the entries, and the
/// keys or a message.
struct PickScreen {
  let columns: Int
  let rows: Int

  /// The keys, in the order in which a narrow terminal has room for them.
  private static let keys = [
    "Enter copy", "^R reveal", "^E edit", "^T code", "^X explain", "^D remove", "Esc leave",
  ]

  /// The number of entries that fit.
  var height: Int { max(1, rows - 2) }

  /// Returns what a terminal shows.
  ///
  /// - Parameters:
  ///   - list: What was typed, and what matches.
  ///   - message: Takes the place of the keys.
  ///   - row: Returns the place of an entry, and its account and what else it has.
  /// - Returns: Text with the terminal's commands in it.
  func text(
    _ list: PickList, message: String? = nil, row: (Int) -> (place: String, more: String)
  ) -> String {
    let typed = "> " + Printable.text(list.typed)
    let count = "\(list.matches.count)/\(list.count)"
    let room = max(2, columns - count.utf8.count - 3)
    // Its end is what was typed last.
    let shown = TextWidth.of(typed) <= room ? typed : "> …" + Self.end(typed, of: room - 4)
    let blanks = String(
      repeating: " ", count: max(1, columns - TextWidth.of(shown) - count.utf8.count - 1))
    var lines = [Self.cut(shown + blanks + count, to: columns - 1)]
    let top = list.selection / height * height
    let visible = list.matches.dropFirst(top).prefix(height)
    let rows = visible.map(row).map { (Printable.text($0.place), Printable.text($0.more)) }
    let width = placeWidth(rows.map(\.0), rows.map(\.1))
    for (index, (place, more)) in zip(visible.indices, rows) {
      let isSelected = index == list.selection
      let text =
        more.isEmpty
        ? Self.cut(place, to: width) : Self.padded(place, to: width) + "  " + more
      let line = Self.cut((isSelected ? "> " : "  ") + text, to: columns - 1)
      lines.append(isSelected ? "\u{1B}[7m\(line)\u{1B}[27m" : line)
    }
    lines += Array(repeating: "", count: height - rows.count)
    lines.append(message.map { Self.cut(Printable.text($0), to: columns - 1) } ?? help)
    return "\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n")
      + "\u{1B}[1;\(TextWidth.of(shown) + 1)H"
  }

  /// The keys that there is room for.
  private var help: String {
    var line = ""
    for key in Self.keys {
      let longer = line.isEmpty ? key : line + "  " + key
      guard TextWidth.of(longer) < columns else { break }
      line = longer
    }
    return line
  }

  /// Returns the width of the places: all of the longest, unless there is no room for the rest.
  private func placeWidth(_ places: [String], _ others: [String]) -> Int {
    let longest = places.map(TextWidth.of).max() ?? 0
    let other = others.map(TextWidth.of).max() ?? 0
    let room = columns - 5
    return longest + other <= room ? longest : min(longest, max(room * 3 / 5, room - other))
  }

  private static func padded(_ text: String, to columns: Int) -> String {
    let text = cut(text, to: columns)
    return text + String(repeating: " ", count: max(0, columns - TextWidth.of(text)))
  }

  private static func cut(_ text: String, to columns: Int) -> String {
    columns > 0 ? TextWidth.cut(text, to: columns) : ""
  }

  /// Returns the end of a text that takes no more columns than are given.
  private static func end(_ text: String, of columns: Int) -> String {
    var (result, width) = ([Character](), 0)
    for character in text.reversed() {
      width += TextWidth.of(String(character))
      guard width <= columns else { break }
      result.append(character)
    }
    return String(result.reversed())
  }
}
