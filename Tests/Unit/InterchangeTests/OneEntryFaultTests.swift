import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Faults that used to reach beyond their entry: control characters in XML, and quotation marks
/// without a partner in tables.
@Suite("A fault of one entry in XML and in a table")
struct OneEntryFaultTests {
  // MARK: Control characters

  private static func keePass(_ entries: [(title: String, password: String)]) -> [UInt8] {
    let entries = entries.map { title, password in
      "<Entry><String><Key>Title</Key><Value>\(title)</Value></String>"
        + "<String><Key>Password</Key><Value>\(password)</Value></String></Entry>"
    }
    return Array("<KeePassFile><Root><Group>\(entries.joined())</Group></Root></KeePassFile>".utf8)
  }

  @Test(
    "a control character that XML forbids is kept, raw or as a reference, and stops no entry",
    arguments: [1, 2, 3, 7, 100, 1 << 16])
  func controls(piece: Int) throws {
    let file = Self.keePass([
      ("a", "p1"), ("b\u{1B}[2J", "p\u{1}q&#x1F;&#8;\u{C}&amp;&#x41;&#10;\u{F8FF}"), ("c", "p3"),
    ])
    let read = try InterchangeFormat.keepassXML.entries(file, piece: piece)
    try #require(read.count == 3)
    #expect(read[0].has(secret: "p1") && read[2].has(secret: "p3"))
    #expect(read[1].has(secret: "p\u{1}q\u{1F}\u{8}\u{C}&A\n\u{F8FF}"))
    #expect(read[1].title == "b\u{1B}[2J" && !read[1].lacksSomething)
  }

  @Test("a NUL byte rejects its entry alone, whose name is told")
  func nul() throws {
    let file = Self.keePass([("a", "p1"), ("b\0", "p2"), ("c", "p&#0;3"), ("d", "p4")])
    let read = try InterchangeFormat.keepassXML.entries(file)
    try #require(read.count == 4)
    #expect(read[0].has(secret: "p1") && read[3].has(secret: "p4"))
    #expect(read[1].rejection?.contains("NUL") == true, "\(read[1])")
    #expect(read[2].has(secret: "p\03") || read[2].rejection?.contains("NUL") == true)
  }

  @Test("what only looks like such a reference, or is of another encoding, is as it was")
  func lookalikes() throws {
    for text in ["&#", "&#x", "&#;", "&#x;", "&#xFFFE;", "&#xD800;", "&x;", "& "] {
      #expect(throws: VaultError(.invalidData, ""), "\(text)") {
        _ = try InterchangeFormat.keepassXML.entries(Self.keePass([("a", text)]))
      }
    }
    let declaration = Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>".utf8)
    let file = Self.keePass([("a", "p\u{1}")]).map { $0 == 1 ? 0xE4 : $0 }
    let read = try InterchangeFormat.keepassXML.entries(declaration + file)
    #expect(read.first?.has(secret: "pä") == true)
    // Its bytes of control characters could be any character.
    #expect(throws: VaultError(.invalidData, "")) {
      _ = try InterchangeFormat.keepassXML.entries(declaration + Self.keePass([("a", "p\u{1}")]))
    }
  }

  @Test("other faults of XML and JSON stop the file, at a line that is told")
  func malformed() throws {
    let xml = "<KeePassFile><Root><Group>\n<Entry></Group>"
    #expect(try Self.problem(.keepassXML, xml).hasPrefix("KeePass's XML, line 2: "))
    let json = "{\"encrypted\":false,\"items\":[\n{\"type\":1,\"name\":\"a}]}"
    #expect(try Self.problem(.bitwardenJSON, json).hasPrefix("JSON, line 2, byte "))
    let comma = "{\"encrypted\":false,\"items\":[{\"type\":1}\n{\"type\":1}]}"
    let problem = try Self.problem(.bitwardenJSON, comma)
    #expect(problem.hasPrefix("JSON, line 2, byte ") && problem.hasSuffix("a comma is missing"))
  }

  private static func problem(_ format: InterchangeFormat, _ text: String) throws -> String {
    do throws(VaultError) {
      _ = try entries(format, text)
    } catch {
      return error.text
    }
    Issue.record("the file was read")
    return ""
  }

  // MARK: Quotation marks

  private static let header = "name,url,username,password,note\n"

  @Test(
    "rows that a quotation mark without a partner has made one are rejected, with their lines",
    arguments: [
      // The password of the first row begins with the mark, and another one ends with it.
      ("A,https://a.example,ann,\"p1,n\nB,https://b.example,ann,p2\",n\n", 2...3),
      ("A,https://a.example,a,\"p,\nB,https://b.example,b,p,\nC,https://c.example,c,p\",\n", 2...4),
      // In the last column and the first one.
      ("A,https://a.example,ann,p1,\"n\nB,https://b.example,ann,p2,n\"\n", 2...3),
      ("\"A,https://a.example,ann,p1,n\nB\",https://b.example,ann,p2,n\n", 2...3),
      // Whole rows inside, with empty fields between quotation marks.
      ("A,https://a.example,ann,p1,\"n\nB,https://b.example,\"\",p2,n\nC,\"\n", 2...4),
      // At the end of the file.
      ("A,https://a.example,ann,\"p1,n\nB,https://b.example,ann,p2,n\n", 2...3),
    ])
  func swallowed(rows: String, lines: ClosedRange<Int>) throws {
    let read = try entries(.chrome, Self.header + "Z,https://z.example,ann,p0,n\n" + rows)
      .map { ($0.place, $0.rejection, $0.title) }
    try #require(read.count == 2)
    let named = (lines.lowerBound + 1)...(lines.upperBound + 1)
    #expect(read[0].1 == nil && read[1].0 == .lines(named))
    #expect(read[1].1?.contains("a quotation mark that ") == true && read[1].2.isEmpty)
  }

  @Test("a field with line ends, commas and quotation marks of its own is whole")
  func notes() throws {
    for note in [
      "one\ntwo", "a, b, c, d, e\nf, g, h, i, j", "x,y\nz", "He said \"\"no\"\"\nand, well, left",
      "\n\n", "1,2,3\n1,2,3", "\na,b,c,d\n",
    ] {
      let rows = "A,https://a.example,ann,p1,\"\(note)\"\nB,https://b.example,ann,p2,\n"
      let read = try entries(.chrome, Self.header + rows)
      try #require(read.count == 2)
      #expect(read[0].has(secret: "p1") && read[1].has(secret: "p2"), "\(note)")
      #expect(read[0].items.first?.comment == note.replacing("\"\"", with: "\""))
    }
  }

  // MARK: Files and labels

  @Test("a file in 1Password's archive that no item names is named, before or behind the document")
  func files() throws {
    let item =
      #"{"categoryUuid":"001","overview":{"title":"a"},"details":{"loginFields":["#
      + #"{"designation":"password","value":"p"}],"documentAttributes":"#
      + #"{"fileName":"x__y.txt","documentId":"id1","decryptedSize":1}}}"#
    let document = OnePUXTests.stored(
      "export.data", Array(#"{"accounts":[{"vaults":[{"items":[\#(item)]}]}]}"#.utf8))
    func file(_ name: String) -> [UInt8] { OnePUXTests.stored(name, [1, 2, 3]) }
    let archive =
      file("files/") + file("export.attributes") + file("files/id1__x__y.txt")
      + file("files/id2__b.txt") + document + file("files/id3__c.txt")
    let read = try InterchangeFormat.onePUX.entries(archive + [0x50, 0x4B, 1, 2])
    try #require(read.count == 3)
    #expect(read[0].has(secret: "p"))
    #expect(read[0].remarks[.attachment] == ["x__y.txt"])
    #expect(
      read.dropFirst().map(\.place) == [.file("files/id2__b.txt"), .file("files/id3__c.txt")])
    #expect(read.dropFirst().allSatisfy { $0.lacksSomething })
    // What is damaged behind the document stops no entry.
    let cut = try InterchangeFormat.onePUX.entries(archive.dropLast(2))
    try #require(cut.count == 4)
    #expect(cut[0].has(secret: "p"))
    #expect(cut[1].rejection == "zip: the file ends too early")
  }

  @Test("Enpass's label of the main password is kept unless it is the usual one")
  func label() throws {
    func labels(_ label: String) throws -> [String: String]? {
      let text =
        #"{"items":[{"title":"a","category":"login","template_type":"x","fields":["#
        + #"{"type":"password","label":"\#(label)","value":"p"}]}]}"#
      return try entries(.enpass, text).first?.items.first?.custom
    }
    #expect(try labels("Password") == [:] && labels("") == [:])
    #expect(try labels("Key of the safe") == ["label": "Key of the safe"])
  }
}
