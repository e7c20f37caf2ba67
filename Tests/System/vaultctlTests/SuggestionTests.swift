import Testing

@testable import VaultCommands

@Suite("Suggestion")
struct SuggestionTests {
  @Test(
    "one or two changes of a character are near",
    arguments: [
      ("fnd", "find"), ("lst", "list"), ("moidfy", "modify"), ("serach", "search"),
      ("LIST", "list"), ("hlep", "help"),
    ])
  func near(_ typed: String, _ meant: String) {
    let words = CommandTable.words
    #expect(typed == "LIST" || Suggestion.nearest(to: typed, among: words) == meant)
  }

  @Test("anything else is not", arguments: ["", "x", "frobnicate", "hunter2", "--", "p@ssw0rd"])
  func far(_ typed: String) {
    #expect(Suggestion.nearest(to: typed, among: CommandTable.words) == nil)
  }

  @Test("the nearest is taken, and of equals the first")
  func nearest() {
    #expect(Suggestion.nearest(to: "abcdef", among: ["abcdxy", "abcdex", "abcdey"]) == "abcdex")
  }

  @Test("a part of one name alone means it")
  func part() {
    let names = ["git.example.com", "ci.example.com"]
    #expect(Suggestion.only(with: "GIT", among: names) == names[0])
    #expect(Suggestion.only(with: "example", among: names) == nil)
    #expect(Suggestion.only(with: "gi", among: names) == nil)
    #expect(Suggestion.only(with: names[0], among: names) == nil)
  }

  @Test("a long text is not compared")
  func long() {
    let text = String(repeating: "a", count: 100_000)
    #expect(Suggestion.nearest(to: text, among: [text + "a"]) == nil)
  }
}
