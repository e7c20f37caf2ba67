import SecureMemory
import TestSupport
import Testing

@testable import VaultModel

@Suite("JSON reader")
struct JSONReaderTests {
  /// Reads one value with all that it holds, as a text that shows its structure.
  private static func outline(_ json: JSONReader) throws(VaultError) -> String {
    switch try json.kind() {
    case .object:
      var parts: [String] = []
      try json.beginObject()
      while let name = try json.nextName() { parts.append("\(name)=\(try outline(json))") }
      return "{" + parts.joined(separator: " ") + "}"
    case .array:
      var parts: [String] = []
      try json.beginArray()
      while try json.nextElement() { parts.append(try outline(json)) }
      return "[" + parts.joined(separator: " ") + "]"
    case .string: return "'\(try json.string())'"
    case .number: return String(try json.integer())
    case .boolean: return try json.boolean() ? "yes" : "no"
    case .null:
      _ = try json.isNull()
      return "-"
    }
  }

  private static func reader(
    _ bytes: [UInt8], piece: Int = 1 << 16, limits: JSONReader.Limits = JSONReader.Limits()
  ) -> JSONReader {
    JSONReader(ByteSource(bytes, piece: piece), limits: limits)
  }

  private static func read(_ text: String) throws(VaultError) -> String {
    let json = reader(Array(text.utf8))
    let outline = try outline(json)
    try json.finish()
    return outline
  }

  @Test("the members of a document are read up to its end, and nothing may follow")
  func members() throws {
    let json = Self.reader(Array(" {\"a\":1,\"b\":{\"c\":2}} \n".utf8))
    #expect(try json.nextMember() == "a")
    #expect(try json.integer() == 1)
    #expect(try json.nextMember() == "b")
    try json.skip()
    for _ in 0..<2 { #expect(try json.nextMember() == nil) }
    for text in ["", "[]", "{} {}", "{}]", "{\"a\":1", "{"] {
      let json = Self.reader(Array(text.utf8))
      #expect(throws: VaultError(.invalidData, ""), "\(text)") {
        while try json.nextMember() != nil { try json.skip() }
      }
    }
  }

  @Test(
    "every kind of value is read",
    arguments: [
      ("{}", "{}"), (" [ ] ", "[]"), ("\"\"", "''"), ("0", "0"), ("-0", "0"), ("true", "yes"),
      ("false", "no"), ("null", "-"), ("\u{FEFF}{}", "{}"), ("\t\r\n 7\n", "7"),
      ("9223372036854775807", "9223372036854775807"),
      ("-9223372036854775808", "-9223372036854775808"),
      (#"{"a":[1,{"b":null}],"":"x"}"#, "{a=[1 {b=-}] ='x'}"),
      (#"[[],{},[[]]]"#, "[[] {} [[]]]"),
      (#"{"a":{"a":1},"b":{"a":2}}"#, "{a={a=1} b={a=2}}"),
      (#""\"\\\/\b\f\n\r\t""#, "'\"\\/\u{8}\u{C}\n\r\t'"),
      (#""\u0041\u00e9\u20AC\ud83d\uDe00""#, "'Aé€😀'"),
      (#""é\u0301""#, "'é\u{301}'"), (#"{"é":1,"e\u0301":2}"#, "{é=1 e\u{301}=2}"),
    ])
  func values(_ text: String, _ outline: String) throws {
    #expect(try Self.read(text) == outline)
  }

  @Test(
    "what is not one document in order is refused",
    arguments: [
      "", " ", "{", "[", "\"", "nul", "nulL", "truefalse", "tru", "{}{}", "[] x", "1 2", "01",
      "-", "-01", "+1", "1.", ".5", "1e", "1e+", "0x1", "NaN", "[1,]", "[,1]", "[1 2]", "[1",
      "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "{'a':1}", "{\"a\":1", "{1:2}",
      "{\"a\":1 \"b\":2}", "]", "}", "[}", "{]", ":", ",", "// c\n{}", "\"\n\"", "\"\t\"",
      "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"",
      "\"\\ud800x\"", "\"\\", "{\"a\":1,\"a\":2}", "{\"a\":1,\"\\u0061\":2}", "\u{FEFF}\u{FEFF}{}",
      "{\"a\":1}\u{0}", "\u{0}",
    ])
  func refused(_ text: String) {
    for skips in [false, true] {
      let json = Self.reader(Array(text.utf8))
      #expect(throws: VaultError(.invalidData, "")) {
        if skips { try json.skip() } else { _ = try Self.outline(json) }
        try json.finish()
      }
    }
  }

  @Test("bytes that are not UTF-8 are refused, also in what is skipped")
  func badUTF8() {
    let sequences: [[UInt8]] = [
      [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
      [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
      [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xFE],
    ]
    for sequence in sequences {
      for document in [[0x22] + sequence + [0x22], [0x22] + sequence, sequence] {
        #expect(throws: VaultError(.invalidData, "")) { try Self.reader(document).skip() }
        #expect(throws: VaultError(.invalidData, "")) { _ = try Self.reader(document).secret() }
      }
    }
  }

  @Test("every length of a UTF-8 sequence is read, at every cut between two pieces")
  func cuts() throws {
    let text = #"{"näme €":["😀\ud83d\ude00\u20ac",-12,true,null],"x":"y"}"#
    let outline = "{näme €=['😀😀€' -12 yes -] x='y'}"
    for piece in 1...(text.utf8.count + 1) {
      let json = Self.reader(Array(text.utf8), piece: piece)
      #expect(try Self.outline(json) == outline)
      try json.finish()
    }
  }

  @Test("a document that is cut anywhere is refused")
  func truncated() {
    let document = Array(#"{"a":[1,true,null,"é\u00e9\ud83d\ude00"],"b":{"c":-1.5e3}}"#.utf8)
    for count in 0..<document.count {
      #expect(throws: VaultError(.invalidData, "")) {
        try Self.reader(Array(document.prefix(count))).skip()
      }
    }
    #expect(throws: Never.self) { try Self.reader(document).skip() }
  }

  @Test("an error names its line, and its byte in the line")
  func places() {
    #expect {
      _ = try Self.read("{\n  \"a\": 1,\n  \"é\" 2}")
    } throws: {
      ($0 as? VaultError)?.context == "JSON, line 3, byte 9: a colon is missing"
    }
    #expect {
      _ = try Self.read("[1, tru]")
    } throws: {
      ($0 as? VaultError)?.context == "JSON, line 1, byte 9: no value begins with this"
    }
  }

  @Test("a string is taken as a secret, with any character")
  func secret() throws {
    let json = Self.reader(Array(#"["\u0000p\"ä\n", "", "z"]"#.utf8))
    try json.beginArray()
    var secrets: [[UInt8]] = []
    while try json.nextElement() { secrets.append(try json.secret().array) }
    try json.finish()
    #expect(secrets == [[0] + Array("p\"ä\n".utf8), [], [0x7A]])
  }

  @Test("a value of another kind is refused, and says which it is")
  func kinds() {
    #expect {
      _ = try Self.reader(Array("[]".utf8)).string()
    } throws: {
      ($0 as? VaultError)?.context == "JSON, line 1, byte 1: an array instead of a string"
    }
    #expect(throws: VaultError(.invalidData, "")) { _ = try Self.reader([0x31]).boolean() }
    #expect(throws: VaultError(.invalidData, "")) { _ = try Self.reader([0x31]).secret() }
    for number in ["1.5", "1e2", "9223372036854775808", "-9223372036854775809", "1E+400"] {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try Self.reader(Array(number.utf8)).integer()
      }
      #expect(throws: Never.self) { try Self.reader(Array(number.utf8)).skip() }
    }
  }

  @Test("each limit holds, and what is at the limit is read")
  func limits() throws {
    var limits = JSONReader.Limits()
    (limits.document, limits.depth, limits.name) = (24, 3, 2)
    (limits.string, limits.names) = (4, 200)
    for (document, isRead) in [
      ("[[[1]]]", true), ("[[[[1]]]]", false), (#"{"é":1}"#, true), (#"{"éa":1}"#, false),
      (#""\u20aca""#, true), (#""abcde""#, false), (#"{"a":1,"b":1,"c":1}"#, true),
      (#"{"a":1,"b":1,"c":{"d":1}}"#, false), (#"[{"a":1,"b":1},{"a":1}]"#, true),
      ("[1,2,3,4,5,6,7,8,9,0,11]", true), ("[1,2,3,4,5,6,7,8,9,0,111]", false),
    ] {
      var more = limits
      if !document.hasPrefix("[1") { more.document = 100 }
      let json = Self.reader(Array(document.utf8), limits: more)
      if isRead {
        #expect(throws: Never.self) {
          _ = try Self.outline(json)
          try json.finish()
        }
      } else {
        #expect(throws: VaultError(.tooLarge, "")) {
          _ = try Self.outline(json)
          try json.finish()
        }
      }
    }
  }

  @Test("a record has a limit of its own")
  func record() throws {
    var limits = JSONReader.Limits()
    limits.record = 4
    let json = Self.reader(Array("[12,1234,12345]".utf8), limits: limits)
    try json.beginArray()
    for _ in 0..<2 {
      #expect(try json.nextElement())
      json.beginRecord()
      try json.skip()
      json.endRecord()
    }
    #expect(try json.nextElement())
    json.beginRecord()
    #expect(throws: VaultError(.tooLarge, "")) { try json.skip() }
  }

  @Test("a string of many megabytes is skipped in little memory, and is too long to take")
  func longString() throws {
    let quote = UInt8(ascii: "\"")
    func long() -> ByteSource {
      var left = 32 << 20
      return unsafe ByteSource { (memory) throws(VaultError) in
        // Only the buffer that was given is written.
        let count = min(left, memory.count)
        unsafe memory.prefix(count).initializeMemory(as: UInt8.self, repeating: quote - 1)
        if left == 32 << 20 { unsafe memory[0] = quote }
        left -= count
        if left == 0, count > 0 { unsafe memory[count - 1] = quote }
        return count
      }
    }
    let json = JSONReader(long())
    try json.skip()
    try json.finish()
    let isEmpty = json.text.isEmpty
    #expect(isEmpty)
    let other = JSONReader(long())
    #expect(throws: VaultError(.tooLarge, "")) { _ = try other.secret() }
  }

  @Test("an error of the source comes through")
  func sourceError() {
    let source = unsafe ByteSource { (_) throws(VaultError) in throw VaultError(.inputOutput, "") }
    let json = JSONReader(source)
    #expect(throws: VaultError(.inputOutput, "")) { try json.skip() }
  }
}
