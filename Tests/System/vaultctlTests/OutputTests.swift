import Foundation
import Glibc
import SecureMemory
import TestTraits
import Testing
import VaultModel
import VaultTerminal
@testable import VaultCommands

@Suite("JSONWriter", .waiting)
struct JSONWriterTests {
  /// Returns the output through a pipe, as an independent parser reads it.
  private func document(
    _ write: (inout JSONWriter) throws -> Void
  ) throws -> (text: String, value: Any) {
    try written { output in
      var json = JSONWriter(output)
      try write(&json)
    }
  }

  private func written(
    by write: (Output) throws -> Void
  ) throws -> (text: String, value: Any) {
    let pipe = Pipe()
    let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try write(output)
    try output.flush()
    try pipe.fileHandleForWriting.close()
    let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
    return (
      String(decoding: data, as: UTF8.self),
      try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
    )
  }

  @Test("text of any characters is read back as it was")
  func text() throws {
    var texts = [
      "", "plain", "\"\\/", "é\u{301}日🔐", "\u{7F}\u{85}\u{2028}\u{202E}", "\u{200B}\u{E0041}",
    ]
    texts += (0..<0x20).map { "a\(String(Unicode.Scalar(UInt8($0))))b" }
    for text in texts {
      let read = try document { json in try json.value(text) }
      #expect((read.value as? String)?.utf8.elementsEqual(text.utf8) == true)
      #expect(!read.text.unicodeScalars.contains { $0.isUnprintable })
    }
  }

  @Test("objects and arrays nest with commas between")
  func structure() throws {
    let read = try document { json in
      try json.object { (json) throws(VaultError) in
        try json.field("a", 1)
        try json.array("b", [nil, "x"]) { (text, json) throws(VaultError) in
          guard let text else { return try json.object { _ in } }
          try json.value(text)
        }
        try json.field("c", true)
      }
    }
    #expect(read.text == #"{"a":1,"b":[{},"x"],"c":true}"#)
  }

  static let secrets: [[UInt8]] = [
    [], [0x61], Array("quote\" slash\\ \n\t\u{0}\u{1F} é🔐".utf8), [0xFF], [0xFF, 0x01],
    [0xFF, 0x01, 0x02], [0xC3], Array(0...255),
  ]

  @Test("a secret is read back from secret or secret_base64", arguments: secrets)
  func secret(_ bytes: [UInt8]) throws {
    let secret = unsafe Secret(copying: bytes.span.bytes)
    let read = try document { json in
      try json.object { (json) throws(VaultError) in try json.field("secret", secret) }
    }
    let object = try #require(read.value as? [String: String])
    #expect(object.count == 1)
    if String(validating: bytes, as: UTF8.self) != nil {
      #expect(object["secret"].map { Array($0.utf8) } == bytes)
    } else {
      #expect(object["secret_base64"].flatMap { Data(base64Encoded: $0) } == Data(bytes))
    }
  }

  @Test("an error's document has code, exit and message, and candidates without secrets")
  func error() throws {
    let item = Item(server: try HostName("h"), secret: Secret("hunter2"))
    let read = try written { output in
      try output.document(error: VaultError(.ambiguous, "2 items", candidates: [item]))
    }
    #expect(
      read.text.hasPrefix(
        #"{"ok":false,"error":{"code":"ambiguous","exit":46,"message":"2 items","candidates":[{"id":"#
      ))
    #expect(!read.text.contains("hunter2") && !read.text.contains(#""secret""#))
  }
}

@Suite("Output", .waiting)
struct OutputTests {
  @Test("what the system does not take is an error")
  func full() throws {
    let descriptor = unsafe open("/dev/full", O_WRONLY)
    defer { close(descriptor) }
    let output = Output(descriptor: descriptor)
    try output.write("x")
    let error = try #require(throws: VaultError.self) { try output.flush() }
    #expect(error.code == .inputOutput)
    #expect(error.underlying == .errno(ENOSPC))
    #expect(output.hasFailed)
  }

  @Test("a reader that is gone ends the output, and is no failure")
  func unread() throws {
    // As the program does.
    signal(SIGPIPE, SIG_IGN)
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    try output.write("x")
    try output.flush()
    try output.write(Secret("y"))
    #expect(output.isUnread && !output.hasFailed)
  }

  @Test("control characters are escaped for people")
  func printable() {
    #expect(Printable.text("plain é") == "plain é")
    #expect(Printable.text("a\u{200B}\u{2028}\u{E0041}") == "a\\u{200b}\\u{2028}\\u{e0041}")
    #expect(Printable.text("\u{1B}[2J\u{9B}\u{202E}") == "\\u{1b}[2J\\u{9b}\\u{202e}")
  }
}

@Suite("SecretInput", .waiting)
struct SecretInputTests {
  private func input(_ bytes: [UInt8]) throws -> Secret {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try Data(bytes).write(to: file)
    let handle = try FileHandle(forReadingFrom: file)
    return try SecretInput.readAll(from: handle.fileDescriptor)
  }

  @Test(
    "input of any length is read whole", arguments: [0, 1, 4095, 4096, 4097, 16_384, 1 << 20])
  func lengths(_ count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
    let secret = try input(bytes)
    let expected = unsafe Secret(copying: bytes.span.bytes)
    #expect(secret.isEqual(to: expected))
  }

  @Test("input beyond the limit is tooLarge")
  func limit() throws {
    let largest = [UInt8](repeating: 0, count: SecretInput.limit)
    #expect(try input(largest).count == SecretInput.limit)
    #expect(throws: VaultError(.tooLarge, "")) { try input(largest + [0]) }
  }

  static let lineEnds: [(text: String, count: Int)] = [
    ("", 0), ("\n", 0), ("\r\n", 0), ("a\n", 1), ("a\r\n", 1), ("a\n\n", 2), ("a\r", 2), ("a", 1),
    ("\n\r\n", 1),
  ]

  @Test("one line end is cut off", arguments: lineEnds)
  func lineEnd(_ row: (text: String, count: Int)) {
    let cut = SecretInput.withoutLineEnd(Secret(row.text))
    #expect(
      cut.isEqual(to: Secret(String(decoding: row.text.utf8.prefix(row.count), as: UTF8.self))))
  }

  @Test("a closed descriptor is missing input")
  func closed() {
    #expect(throws: VaultError(.missingInput, "")) { try SecretInput.readAll(from: 12_345) }
  }
}

@Suite("TextWidth", .waiting)
struct TextWidthTests {
  @Test(
    "wide characters take two columns, and marks none",
    arguments: [
      ("", 0), ("abc", 3), ("漢字", 4), ("e\u{301}", 1), ("é", 1), ("🙂", 2), ("ｆ", 2), ("한", 2),
      ("\u{200B}", 0), ("👩‍👩‍👧", 2),
    ])
  func width(_ text: String, _ columns: Int) {
    #expect(TextWidth.of(text) == columns)
  }

  @Test("a text is cut to its columns, and says so")
  func cut() {
    #expect(TextWidth.cut("abc", to: 3) == "abc")
    #expect(TextWidth.cut("abcd", to: 3) == "ab…")
    #expect(TextWidth.cut("漢字漢", to: 5) == "漢字…")
    #expect(TextWidth.cut("漢字漢", to: 4) == "漢…")
    for columns in 1...8 { #expect(TextWidth.of(TextWidth.cut("a漢b字c", to: columns)) <= columns) }
  }
}
