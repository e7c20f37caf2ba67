import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// A file as a person could have exported it, with every field filled, and odd entries.
struct FullFile: CustomTestStringConvertible {
  let format: InterchangeFormat
  let text: String
  /// The values that mean nothing elsewhere: ids, codes of kinds, what a form looks like.
  var meaningless: [String] = []
  var name = ""

  var testDescription: String { "\(format.rawValue) \(name)" }

  func entries() throws -> [Entry] {
    guard format != .pass else {
      return [try PassFile.entry(path: "m-folder/m-title", ByteSource(Secret(text)))]
    }
    let bytes = Array(text.utf8)
    return try format.entries(
      format == .onePUX ? OnePUXTests.export(bytes) : bytes)
  }

  /// Every value of the file, read by this test's own means; of lines those that are marked.
  func values() -> [String] {
    let values =
      switch format {
      case .bitwardenJSON, .onePUX, .enpass, .docker, .json: Self.json(text)
      case .keepassXML: Self.matches(#">([^<>]*[^<>\s][^<>]*)<"#, text)
      case .netrc, .gitCredentials, .pass, .keychainDump, .secretTool:
        Self.matches(#"\b([ms]-[A-Za-z0-9.-]*[A-Za-z0-9])"#, text)
      // KeePass 1 escapes what others double.
      default:
        Self.fields(text.replacing("\\\"", with: "\"\"").replacing("\\\\", with: "\\"))
          .flatMap(parts)
      }
    return values.filter { !$0.isEmpty && !meaningless.contains($0) }
  }

  /// The texts and numbers of a document, and the names in it that are marked.
  private static func json(_ text: String) -> [String] {
    matches(#"("(?:[^"\\]|\\.)*"\s*:?)|[:\[,]\s*(-?[1-9]\d*)"#, text).compactMap { found in
      guard found.hasPrefix("\"") else { return found }
      let isName = found.hasSuffix(":")
      let inside = found.dropFirst().prefix { $0 != "\"" }
      return isName && !["m-", "s-"].contains(inside.prefix(2)) ? nil : String(inside)
    }
  }

  private static func matches(_ pattern: String, _ text: String) -> [String] {
    guard let expression = try? NSRegularExpression(pattern: pattern) else { return [] }
    let whole = NSRange(text.startIndex..., in: text)
    return expression.matches(in: text, range: whole).flatMap { match in
      (1..<match.numberOfRanges).compactMap { index in
        Range(match.range(at: index), in: text).map { range in
          text[range].replacing("&amp;", with: "&").trimmingCharacters(in: .whitespacesAndNewlines)
        }
      }
    }
  }

  /// The fields of a table.
  private static func fields(_ text: String) -> [String] {
    let text = Array(text)
    var (fields, field, isQuoted, index) = ([String](), "", false, 0)
    while index < text.count {
      let character = text[index]
      index += 1
      if isQuoted, character == "\"", index < text.count, text[index] == "\"" {
        field.append("\"")
        index += 1
      } else if character == "\"" {
        isQuoted.toggle()
      } else if !isQuoted, character == "," || character == "\n" {
        fields.append(field)
        field = ""
      } else {
        field.append(character)
      }
    }
    return fields
  }

  /// The values in a field that is a list.
  private func parts(_ field: String) -> [String] {
    if field.hasPrefix("[") || field.hasPrefix("{") { return Self.json(field) }
    if format == .roboForm, !field.contains("//") {
      return field.split { ",:$".contains($0) }.map(String.init)
    }
    if format == .bitwarden, field.contains(": ") {
      return field.split(separator: "\n").flatMap { $0.split(separator: ": ").map(String.init) }
    }
    return field.contains("://") ? field.split(separator: ",").map(String.init) : [field]
  }
}

@Suite("every value of a full file")
struct EveryValueTests {
  /// What an import keeps and tells of the entries, in clear and sealed.
  private struct Kept {
    var clear: [String] = []
    var sealed: [String] = []

    init(_ entries: [Entry]) {
      for entry in entries {
        clear.append(entry.title)
        clear += entry.remarks.values.joined()
        for item in entry.items + entry.further { add(item) }
        for previous in entry.previous {
          add(previous.secret)
          clear.append(previous.id.replaced.rfc3339)
        }
        if let removed = entry.removed { clear.append(removed.rfc3339) }
      }
    }

    private mutating func add(_ secret: Secret?) {
      if let secret { sealed.append(String(decoding: secret.array, as: UTF8.self)) }
    }

    private mutating func add(_ item: Item) {
      add(item.secret)
      clear.append(item.addressWithPath)
      for attribute in Attribute.all {
        switch item[attribute] {
        case .text(let text)?: clear.append(text)
        case .number(let number)?: clear.append(String(number))
        case .time(let time)?: clear.append(time.rfc3339)
        case .data(let bytes)?: clear.append(String(decoding: bytes, as: UTF8.self))
        case .secret(let secret)?: add(secret)
        case .custom(let texts)?: clear += Array(texts.keys) + Array(texts.values)
        case .flag?, nil: continue
        }
      }
    }

    func has(_ value: String) -> Bool {
      var forms = [value, value.trimmingCharacters(in: ["/"])]
      if let time = EntryDraft.time(value) { forms.append(time.rfc3339) }
      return (clear + sealed).contains { text in forms.contains { text.contains($0) } }
    }
  }

  @Test("is in the vault, or named", arguments: FullFile.all)
  func kept(_ file: FullFile) throws {
    let entries = try file.entries()
    let kept = Kept(entries)
    let values = file.values()
    #expect(values.count > 3)
    let lost = values.filter { !kept.has($0) }
    #expect(lost == [], "\(file.testDescription)")
  }

  @Test("what is secret there becomes no text here", arguments: FullFile.all)
  func sealed(_ file: FullFile) throws {
    let kept = Kept(try file.entries())
    #expect(kept.clear.filter { $0.contains("s-") } == [], "\(file.testDescription)")
    #expect(kept.sealed.contains { $0.contains("s-") })
  }

  @Test("every format that is read has one")
  func formats() {
    // The Secret Service is read as our own export.
    let read = Set(InterchangeFormat.allCases).subtracting([.secretService])
    #expect(Set(FullFile.all.map { $0.format }) == read)
  }
}
