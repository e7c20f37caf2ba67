/// The parts of a Markdown page that tests read.
public struct Markdown: Sendable {
  /// A fenced block.
  public struct Block: Equatable, Sendable {
    /// The word behind the fence.
    public let language: String
    /// Its lines, each with its end.
    public let text: String

    /// Creates a block.
    public init(language: String, text: String) {
      (self.language, self.text) = (language, text)
    }
  }

  /// The fenced blocks, in order.
  public let blocks: [Block]
  /// The targets of links, without those that leave the repository.
  public let links: [String]
  /// The rows of each table, the header first; a cell has no blanks around it.
  public let tables: [[[String]]]
  /// The number of lines.
  public let lineCount: Int

  /// Reads a page.
  public init(_ page: String) {
    var blocks: [Block] = []
    var open: (language: String, text: String)?
    let lines = page.split(separator: "\n", omittingEmptySubsequences: false)
    for line in lines {
      if let (language, text) = open {
        if line == "```" {
          blocks.append(Block(language: language, text: text))
          open = nil
        } else {
          open = (language, text + line + "\n")
        }
      } else if line.hasPrefix("```") {
        open = (String(line.dropFirst(3)), "")
      }
    }
    self.blocks = blocks
    tables = Self.tables(lines)
    links = page.matches(of: /\]\(([^)#\s]+)/).map { String($0.1) }
      .filter { !$0.contains("://") }
    lineCount = lines.count - 1
  }

  private static func tables(_ lines: [Substring]) -> [[[String]]] {
    var tables: [[[String]]] = []
    var isWithin = false
    for line in lines {
      guard line.hasPrefix("| ") else {
        // The line below a header has no blank.
        isWithin = isWithin && line.hasPrefix("|")
        continue
      }
      let cells = line.replacing("\\|", with: "\u{0}").split(separator: "|").map { cell in
        cell.replacing("\u{0}", with: "|").trimmingPrefix { $0 == " " }
          .reversed().drop { $0 == " " }.reversed()
      }
      if !isWithin { tables.append([]) }
      tables[tables.count - 1].append(cells.map { String($0) })
      isWithin = true
    }
    return tables
  }
}
