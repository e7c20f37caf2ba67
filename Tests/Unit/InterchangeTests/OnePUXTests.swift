import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

@Suite("1PUX")
struct OnePUXTests {
  /// Files that Python's `zipfile` made of one export: with the lengths before each member, and
  /// behind it, as for a pipe.
  static func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appending(path: "Files/\(name).1pux")))
  }

  @Test(
    "entries are read from every vault, from a file and a pipe", arguments: ["seek", "pipe"],
    [1, 100, 65536])
  func entries(name: String, piece: Int) throws {
    let entries = try InterchangeFormat.onePUX.entries(Self.file(name), piece: piece)
    #expect(
      entries.map(line) == [
        "entry 1: https://example.com:8443 ann = p\"ä😀, http://example.org ann = p\"ä😀"
          + " + one-time otpauth://totp/x?secret=A + other: hidden; Answer: 42"
          + " (further secrets are in an item of their own)",
        "entry 2: service Wi-Fi  = q", "entry 3: ssh://h.example:2222 root = r",
        "entry 4: left out: archived", "entry 5: service Note  = n",
        "entry 6: left out: nothing in it", "entry 7: left out: nothing in it",
        "entry 8: left out: nothing in it (attachment left out)",
        "files/a: left out: not an entry",
      ])
    #expect(entries[0].previous.count == 1 && entries[4].items.first?.kind == "secure note")
    let item = try #require(entries.first?.items.first)
    #expect(item.label == "Example" && item.comment == "a note")
    #expect(
      item.custom == [
        "folder": "Private", "Team": "red", "remember": "yes", "tags": "x,y", "section": "More",
        "address": "https://example.com:8443/login",
      ])
    #expect(item.created.rfc3339 == "2024-01-02T03:04:05Z")
  }

  @Test("a file that is cut anywhere is refused", arguments: ["seek", "pipe"])
  func cut(name: String) throws {
    let bytes = try Self.file(name)
    // The document is the last member.
    let directory = try #require(bytes.firstRange(of: [0x50, 0x4B, 1, 2])).lowerBound
    for count in 0..<directory {
      #expect(throws: VaultError(.invalidData, ""), "\(count)") {
        _ = try InterchangeFormat.onePUX.entries(Array(bytes.prefix(count)))
      }
    }
  }

  @Test("a file that is cut behind its document is named")
  func cutBehind() throws {
    let document = Self.stored("export.data", Array(#"{"accounts":[]}"#.utf8))
    let bytes = document + Self.stored("files/b__c", [7, 7]) + Self.end
    for count in document.count..<(bytes.count - Self.end.count + 4) {
      let entries = try InterchangeFormat.onePUX.entries(Array(bytes.prefix(count)))
      #expect(
        entries.contains { ReadEntry($0).rejection == "zip: the file ends too early" }, "\(count)")
    }
    #expect(
      try InterchangeFormat.onePUX.entries(bytes).map(line) == [
        "files/b__c: left out: not an entry"
      ])
  }

  @Test("a damaged member is never read as another one", arguments: ["seek", "pipe"])
  func flipped(name: String) throws {
    let bytes = try Self.file(name)
    // A damaged name is that of another file.
    func read(_ bytes: [UInt8]) throws(VaultError) -> [String] {
      try InterchangeFormat.onePUX.entries(bytes).map(line).filter { $0.hasPrefix("entry ") }
    }
    let whole = try read(bytes)
    #expect(whole.count == 8)
    for index in bytes.indices {
      do throws(VaultError) {
        // Dates, versions and the directory at the end say nothing about the entries.
        #expect(try read(bytes.flipped(at: index)) == whole, "\(index)")
      } catch {
        #expect([.invalidData, .unsupported, .tooLarge].contains(error.code), "\(index): \(error)")
      }
    }
  }

  /// The end of a zip file.
  static let end: [UInt8] = [0x50, 0x4B, 5, 6] + Array(repeating: 0, count: 18)

  /// Returns a zip file of an export's document alone.
  static func export(_ document: [UInt8]) -> [UInt8] { stored("export.data", document) + end }

  /// Returns one stored member of a zip file.
  static func stored(
    _ name: String, _ bytes: [UInt8], flags: UInt8 = 0, method: UInt8 = 0, checksum: UInt32? = nil
  ) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    var sum = Checksum()
    // The array outlives the call.
    unsafe bytes.withUnsafeBytes { unsafe sum.add($0) }
    let header =
      [0x50, 0x4B, 3, 4, 20, 0, flags, 0, method, 0, 0, 0, 0, 0]
      + number(Int(checksum ?? sum.value), 4) + number(bytes.count, 4) + number(bytes.count, 4)
    return header + number(name.utf8.count, 2) + [2, 0] + Array(name.utf8) + [9, 9] + bytes
  }

  @Test("a stored member is read, and one with a wrong checksum refused")
  func storedMember() throws {
    let document = Array(#"{"accounts":[]}"#.utf8)
    let other = Self.stored("other", Array(repeating: 7, count: 100_000))
    let bytes = other + Self.stored("export.data", document) + Self.end
    #expect(
      try InterchangeFormat.onePUX.entries(bytes).map(line) == ["other: left out: not an entry"])
    for bad in [
      Self.stored("export.data", document, checksum: 1), Self.stored("export.data", []),
      Self.stored("export.data", document, flags: 1), Self.stored("../export.data", document),
      Self.stored("export.data", Array("{}".utf8)), document, [], Self.stored("other", document),
      Self.stored("export.data", document, method: 8),
    ] {
      #expect(throws: VaultError(.invalidData, "")) {
        _ = try InterchangeFormat.onePUX.entries(bad)
      }
    }
    #expect(throws: VaultError(.unsupported, "")) {
      _ = try InterchangeFormat.onePUX.entries(
        Self.stored("export.data", document, method: 12))
    }
    #expect(throws: VaultError(.unsupported, "")) {
      _ = try InterchangeFormat.onePUX.entries(Self.stored("export.data", document, flags: 8))
    }
  }

  @Test("a member that is a hundred times as long as its compressed bytes is refused")
  func ratio() throws {
    // A string of 2 MiB in 4 KiB, and one of 1 MiB, up to which no ratio is too high.
    #expect(throws: VaultError(.tooLarge, "")) {
      _ = try InterchangeFormat.onePUX.entries(Self.file("bomb"))
    }
    let blank = try InterchangeFormat.onePUX.entries(Self.file("blank"))
    #expect(blank.map { ReadEntry($0).exclusion } == [.notAnEntry])
  }

  @Test("a member that decompresses to more than its limit is refused")
  func bomb() throws {
    let source = ByteSource(try Self.file("seek"))
    let member = try ZipMember("files/a", in: source, limit: 40_000).content
    #expect(throws: VaultError(.tooLarge, "")) {
      while try member.next() != nil {}
    }
  }
}
