import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// Documents of other programs in which one entry is wrong: it alone is rejected or named.
@Suite("A fault of one entry in JSON")
struct ForeignFaultTests {
  /// A document of which the second of three entries has something wrong.
  struct Document: CustomTestStringConvertible, Sendable {
    let format: InterchangeFormat
    let begin: String
    /// The entry of a name, with this text as the value of its password and others behind it.
    let entry: @Sendable (_ name: String, _ password: String) -> String
    let end: String

    var testDescription: String { format.rawValue }

    /// Returns the entries of the document.
    func read(password: String) throws(VaultError) -> [Entry] {
      let entries = [entry("a", #""p1""#), entry("b", password), entry("c", #""p3""#)]
      return try read(entries.joined(separator: ","))
    }

    func read(_ entries: String) throws(VaultError) -> [Entry] {
      let text = begin + entries + end
      // A byte that is no UTF-8 stands for a character that no entry has.
      let bytes = text.utf8.flatMap { $0 == 1 ? [0xFF] as [UInt8] : [$0] }
      let source = format == .onePUX ? OnePUXTests.export(bytes) : bytes
      return try InterchangeTests.entries(format, ByteSource(Secret(copying: source.span)))
    }
  }

  static let documents = [
    Document(
      format: .bitwardenJSON, begin: #"{"encrypted":false,"items":["#,
      entry: {
        #"{"type":1,"name":"\#($0)","login":{"uris":[{"uri":"https://\#($0).example"}],"#
          + #""username":"u","password":\#($1)}}"#
      }, end: "]}"),
    Document(
      format: .enpass, begin: #"{"items":["#,
      entry: {
        #"{"title":"\#($0)","category":"login","template_type":"x","fields":["#
          + #"{"type":"url","value":"https://\#($0).example"},{"type":"username","value":"u"},"#
          + #"{"type":"password","value":\#($1)}]}"#
      }, end: "]}"),
    Document(
      format: .onePUX, begin: #"{"accounts":[{"vaults":[{"items":["#,
      entry: {
        #"{"categoryUuid":"001","overview":{"title":"\#($0)","url":"https://\#($0).example"},"#
          + #""details":{"loginFields":[{"designation":"username","value":"u"},"#
          + #"{"designation":"password","value":\#($1)}]}}"#
      }, end: "]}]}]}"),
    Document(
      format: .docker, begin: #"{"auths":{"#,
      entry: { #""\#($0).example":{"username":"u","password":\#($1)}"# }, end: "}}"),
  ]

  /// Returns the three entries, of which the first and the last are whole.
  private func second(_ document: Document, _ password: String) throws -> Entry {
    let read = try document.read(password: password)
    try #require(read.count == 3, "\(read)")
    #expect(read[0].has(secret: "p1") && read[0].rejection == nil)
    #expect(read[2].has(secret: "p3") && read[2].rejection == nil)
    return read[1]
  }

  @Test("half of a surrogate pair is there as its escape, and named", arguments: documents)
  func halves(document: Document) throws {
    for (text, secret) in [
      (#"p\ud83d"#, #"p\ud83d"#), (#"\uDE00p"#, #"\ude00p"#), (#"\ud83d\ud83d\ude00"#, #"\ud83d😀"#),
      (#"\ud83d\n"#, "\\ud83d\n"),
    ] {
      let entry = try second(document, "\"\(text)\"")
      #expect(entry.has(secret: secret), "\(text)")
      let names = try #require(entry.remarks[.halfCharacter])
      #expect(["password", "value"].contains(names.joined()))
      #expect(entry.lacksSomething)
    }
  }

  @Test(
    "a text that is none rejects its entry, which has its name",
    arguments: documents, [#""p\#u{1}""#, #""p\x""#, #""p\u12G4""#])
  func noText(document: Document, text: String) throws {
    let entry = try second(document, text)
    #expect(entry.rejection?.hasPrefix("JSON, line 1, byte ") == true, "\(entry)")
    #expect(entry.title.hasPrefix("b"))
  }

  @Test("a control character that its program did not escape is kept", arguments: documents)
  func controls(document: Document) throws {
    #expect(try second(document, "\"p\tq\"").has(secret: "p\tq"))
  }

  @Test(
    "an entry beyond a limit is rejected, and read over in little memory",
    arguments: documents.filter { $0.format != .onePUX })
  func limits(document: Document) throws {
    let long = String(repeating: "x", count: 17 << 20)
    let deep = String(repeating: "[", count: 500) + String(repeating: "]", count: 500)
    let spaces = "[" + String(repeating: " ", count: 17 << 20) + "1]"
    for (value, reason) in [
      ("\"\(long)\"", "is longer than 16777216 bytes"),
      (deep, "more than 64 objects and arrays inside one another"),
      (spaces, "is longer than 16777216 bytes"),
    ] {
      let reasons = try second(document, value).rejection
      #expect(reasons?.contains(reason) == true, "\(reasons ?? "")")
    }
  }

  @Test("an object with more names than are kept rejects its entry alone")
  func names() throws {
    let names = (0..<250_000).map { "\"\($0)\":1" }.joined(separator: ",")
    let entry = try second(Self.documents[0], "{\(names)}")
    #expect(entry.rejection?.contains("too many names") == true, "\(entry.rejection ?? "")")
  }

  @Test("brackets that no program could read are refused, without a trap")
  func brackets() {
    let text = String(repeating: "[", count: 1 << 20)
    #expect(throws: VaultError(.tooLarge, "")) { _ = try Self.documents[0].read(text) }
  }

  @Test("a name that is twice in an object keeps both values")
  func doubled() throws {
    let login =
      #""login":{"uris":[{"uri":"https://a.example"}],"username":"u","username":"v","#
      + #""password":"p","password":"q","password":"r","password 2":"s"}"#
    let entry = try #require(
      try Self.documents[0].read(
        #"{"type":1,"name":"a","name":"b","notes":"n","notes":"m","favorite":true,"favorite":1,"#
          + "\(login)}"
      ).first)
    #expect(entry.has(secret: "p") && entry.items.first?.account == "u")
    #expect(
      entry.furtherText == """
        name 2: b
        notes 2: m
        username 2: v
        password 2: q
        password 3: r
        password 2 2: s
        """)
    #expect(entry.items.first?.custom == ["favorite": "true", "favorite 2": "1"])
  }

  @Test("a list that is there twice is read twice", arguments: documents)
  func doubledList(document: Document) throws {
    let names = [
      InterchangeFormat.bitwardenJSON: "],\"items\":[", .enpass: "],\"items\":[",
      .onePUX: "],\"items\":[", .docker: "},\"auths\":{",
    ]
    let between = try #require(names[document.format])
    let entries = [document.entry("a", #""p1""#), document.entry("b", #""p2""#)]
    let read = try document.read(entries.joined(separator: between))
    #expect(read.map { $0.has(secret: "p1") || $0.has(secret: "p2") } == [true, true])
  }

  @Test("a server that is twice in Docker's file is two entries of it")
  func doubledServer() throws {
    let docker = Self.documents[3]
    let read = try docker.read(docker.entry("a", #""p1""#) + "," + docker.entry("a", #""p2""#))
    #expect(read.map(\.title) == ["a.example", "a.example"])
    #expect(read[0].has(secret: "p1") && read[1].has(secret: "p2"))
  }

  @Test("an entry that is no object stops no other", arguments: documents)
  func others(document: Document) throws {
    guard document.format != .docker else { return }
    let (a, b) = (document.entry("a", #""p1""#), document.entry("b", #""p2""#))
    let read = try document.read("\(a),7,null,[],\(b)")
    #expect(read.count == 5 && read[0].has(secret: "p1") && read[4].has(secret: "p2"))
    for entry in read[1...3] {
      #expect(entry.items.isEmpty && (entry.rejection != nil || entry.exclusion == .empty))
    }
  }

  @Test("a folder whose name cannot be read is named, and its entries have its id")
  func folders() throws {
    let name = String(repeating: "n", count: 5000)
    let text =
      #"{"encrypted":false,"folders":[{"id":"1","name":"\#(name)"}],"items":["#
      + #"{"type":1,"name":"a","folderId":"1","login":{"password":"p"}}]}"#
    let read = try entries(.bitwardenJSON, text)
    #expect(read.map(\.title) == ["folders", "a"] && read[0].rejection != nil)
    #expect(read[1].items.first?.custom == ["folder": "1"])
  }

  @Test("our own export is refused with any of them")
  func own() {
    let item = #"{"class":"generic","service":"s","secret":"p"#
    let ends = [
      #"","secret":"q"}"#, #"\ud83d"}"#, "\t\"}", #"\x"}"#, #"","custom":{"a":"1","a":"2"}}"#,
    ]
    for end in ends {
      let text = #"{"format":"vaultctl-export","version":1,"items":["# + item + end + "]}"
      #expect(throws: VaultError(.invalidData, ""), "\(end)") { _ = try entries(.json, text) }
    }
  }
}
