import Testing

@testable import VaultCommands

@Suite("PickList")
struct PickListTests {
  private func list(_ typed: String...) -> PickList {
    var list = PickList([
      ["git.example.com", "ann", "Work"], ["legit.example.com", "bob"], ["git.example.com", "bob"],
      ["npm", "ann", "Über uns"], ["", ""],
    ])
    for text in typed { list.narrow(to: text) }
    return list
  }

  @Test("it begins with everything, in its order, and the first is selected")
  func beginning() {
    #expect(list().matches == [0, 1, 2, 3, 4])
    #expect(list().selected == 0 && list().count == 5)
  }

  @Test("each word has to be in the entry, in any of its texts and whatever its case")
  func words() {
    #expect(list("BOB git").matches == [1, 2])
    #expect(list("ann").matches == [0, 3])
    #expect(list("über").matches == [3] && list("ÜBER UNS").matches == [3])
    #expect(list("zoe").matches == [] && list("zoe").selected == nil)
    #expect(list("   ").matches == [0, 1, 2, 3, 4])
  }

  @Test("a text does not go from one attribute into the next")
  func borders() {
    #expect(list("comann").matches == [])
    #expect(list("com\0ann").matches == [])
  }

  @Test("those that begin with the first word come first")
  func order() {
    #expect(list("git").matches == [0, 2, 1])
  }

  @Test("more letters leave fewer, fewer letters bring the others back")
  func narrowing() {
    #expect(list("g", "gi", "git", "git b").matches == [2, 1])
    #expect(list("git b", "git").matches == [0, 2, 1])
    #expect(list("zoe", "").matches == [0, 1, 2, 3, 4])
    #expect(list("ann", "bob").matches == [1, 2])
  }

  @Test("the selection stays within the matches, and begins again after a letter")
  func selection() {
    var list = list("git")
    list.move(by: 2)
    #expect(list.selected == 1)
    list.move(by: 5)
    #expect(list.selected == 1)
    list.move(by: -9)
    #expect(list.selected == 0)
    list.move(by: 1)
    list.narrow(to: "git b")
    #expect(list.selected == 2)
    list.narrow(to: "zoe")
    list.move(by: 1)
    #expect(list.selected == nil)
  }

  @Test("an empty list has nothing to select")
  func empty() {
    var list = PickList([])
    list.narrow(to: "x")
    #expect(list.count == 0 && list.selected == nil)
  }

  @Test("each key of 100,000 entries is answered as if it were all that was typed")
  func large() {
    let entries = (0..<100_000).map { ["host\($0).example.com", "user\($0 % 7)"] }
    var list = PickList(entries)
    for end in 1..."host99999 user4".count {
      list.narrow(to: String("host99999 user4".prefix(end)))
    }
    #expect(list.matches == [99_999])
    list.narrow(to: "user3")
    #expect(list.matches.count == 14_286)
  }
}

@Suite("PickKeys")
struct PickKeysTests {
  private func keys(_ texts: String...) -> [PickKey] {
    var keys = PickKeys()
    return texts.flatMap { keys.read(Array($0.utf8)) }
  }

  @Test("letters are text, and keys have their meaning")
  func keys() {
    #expect(keys("gi", "t") == [.text("gi"), .text("t")])
    #expect(keys("a\rb") == [.text("a"), .enter, .text("b")])
    #expect(keys("\u{7F}\u{8}\u{17}\u{15}") == [.erase, .erase, .eraseWord, .eraseAll])
    #expect(
      keys("\u{12}\u{5}\u{14}\u{18}\u{4}") == [
        .reveal, .edit, .oneTimePassword, .explain, .remove,
      ])
    #expect(keys("\u{10}\u{E}\u{C}\u{7}") == [.up, .down, .redraw, .leave])
    #expect(keys("\u{1}\u{1F}\0") == [])
  }

  @Test("keys of several bytes are one, and the escape character alone leaves")
  func sequences() {
    #expect(keys("\u{1B}[A\u{1B}OB\u{1B}[H\u{1B}[F") == [.up, .down, .first, .last])
    #expect(keys("\u{1B}[5~\u{1B}[6~\u{1B}[1~") == [.pageUp, .pageDown, .first])
    #expect(keys("\u{1B}") == [.leave])
    #expect(keys("\u{1B}[1;5C\u{1B}[15~\u{1B}[x") == [])
    #expect(keys("\u{1B}[") == [] && keys("\u{1B}[5") == [])
  }

  @Test("a character that comes in two parts is one")
  func parts() {
    var keys = PickKeys()
    let bytes = Array("日".utf8)
    #expect(keys.read(Array(bytes.prefix(1))) == [])
    #expect(keys.read(Array(bytes.dropFirst())) == [.text("日")])
    #expect(keys.read([0xFF, 0x41]) == [])
    #expect(keys.read([0x41]) == [.text("A")])
  }
}

@Suite("PickScreen")
struct PickScreenTests {
  private let rows = [
    ("https://git.example.com", "ann"), ("https://日本語.example", "bob  Label"),
    ("service \"npm\"", ""), ("https://evil\u{1B}[2J.example.com", "x\u{202E}y"),
  ]

  /// Returns the lines that a terminal of this size shows.
  private func lines(
    _ columns: Int, _ rows: Int, _ typed: String = "", down: Int = 0, message: String? = nil
  ) -> [String] {
    var list = PickList(self.rows.map { [$0.0, $0.1] })
    list.narrow(to: typed)
    list.move(by: down)
    let text = PickScreen(columns: columns, rows: rows).text(list, message: message) {
      (place: self.rows[$0].0, more: self.rows[$0].1)
    }
    return text.split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
      String(line.replacing(#/\u{1B}\[[0-9;]*[A-Za-z]/#, with: ""))
    }
  }

  private func width(_ line: String) -> Int {
    line.reduce(0) { $0 + ($1.unicodeScalars.contains { $0.value > 0x2FFF } ? 2 : 1) }
  }

  @Test("the line that is typed, the entries, and the keys")
  func whole() {
    #expect(
      lines(80, 7, "") == [
        ">                                                                           4/4",
        "> https://git.example.com            ann",
        "  https://日本語.example             bob  Label",
        "  service \"npm\"",
        "  https://evil\\u{1b}[2J.example.com  x\\u{202e}y",
        "",
        "Enter copy  ^R reveal  ^E edit  ^T code  ^X explain  ^D remove  Esc leave",
      ])
  }

  @Test("no line is longer than a terminal, however narrow", arguments: [1, 2, 5, 10, 20, 40, 41])
  func narrow(_ columns: Int) {
    for typed in ["", "https://git.example.com", "日本語日本語日本語日本語日本語"] {
      for line in lines(columns, 6, typed) { #expect(width(line) <= max(8, columns)) }
    }
    #expect(lines(40, 6).last == "Enter copy  ^R reveal  ^E edit  ^T code")
    #expect(lines(40, 6)[1].hasPrefix("> https://git.example.com"))
    #expect(lines(columns, 6).count == 6)
  }

  @Test("what is selected is always shown")
  func pages() {
    #expect(lines(60, 4, "", down: 0)[1].hasPrefix("> https://git"))
    #expect(lines(60, 4, "", down: 1)[2].hasPrefix("> https://日"))
    #expect(lines(60, 4, "", down: 2)[1].hasPrefix("> service"))
    #expect(lines(60, 1, "", down: 3)[1].hasPrefix("> https://evil"))
  }

  @Test("a message takes the place of the keys, and cannot send commands")
  func message() {
    #expect(lines(60, 5, message: "it is\u{1B}[2J wrong").last == "it is\\u{1b}[2J wrong")
  }
}
