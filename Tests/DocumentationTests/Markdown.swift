/// What tests read of a Markdown page.
struct Markdown {
  struct Block: Equatable {
    let language: String
    let text: String
  }

  /// The fenced blocks, in order.
  let blocks: [Block]
  /// The targets of links, without those that leave the repository.
  let links: [String]
  let lineCount: Int

  init(_ page: String) {
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
    links = page.matches(of: /\]\(([^)#\s]+)/).map { String($0.1) }
      .filter { !$0.contains("://") }
    lineCount = lines.count - 1
  }
}
