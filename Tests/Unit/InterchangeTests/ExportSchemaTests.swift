import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

/// The words of JSON Schema (draft 2020-12) that the project's own schemas use.
///
/// A schema with any other word is an error, so that none is taken for checked that is not.
private struct Schema {
  let root: [String: Any]

  struct Unknown: Error { let word: String }

  init(_ name: String) throws {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let file = folder.appending(path: "Documentation/schemas/\(name).json")
    let document = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    root = try #require(document as? [String: Any])
  }

  func problems(_ value: Any) throws -> [String] { try problems(value, root, "$") }

  private func problems(_ value: Any, _ schema: [String: Any], _ path: String) throws -> [String] {
    var found: [String] = []
    for (word, rule) in schema {
      let holds: Bool
      switch word {
      case "$schema", "title", "description", "$defs", "format", "contentEncoding": holds = true
      case "$ref": found += try problems(value, definition(rule), path); continue
      case "const": holds = (value as? NSObject) == (rule as? NSObject)
      case "enum": holds = (rule as? [NSObject])?.contains { $0 == (value as? NSObject) } ?? false
      case "type": holds = Self.isOf(type: rule as? String, value)
      case "pattern":
        holds = try (value as? String)?.contains(Regex(rule as? String ?? "")) ?? true
      case "maxLength": holds = (value as? String)?.count ?? 0 <= rule as? Int ?? 0
      case "minimum": holds = (value as? Int) ?? .max >= rule as? Int ?? 0
      case "maximum": holds = (value as? Int) ?? .min <= rule as? Int ?? 0
      case "maxProperties": holds = (value as? [String: Any])?.count ?? 0 <= rule as? Int ?? 0
      case "required":
        let names = (value as? [String: Any])?.keys.map(\.self) ?? []
        holds = (rule as? [String])?.allSatisfy(names.contains) ?? false
      case "anyOf":
        let all = try (rule as? [[String: Any]] ?? []).map { try problems(value, $0, path) }
        if all.contains(where: \.isEmpty) { continue }
        found += all.joined()
        continue
      case "items":
        for (index, element) in (value as? [Any] ?? []).enumerated() {
          found += try problems(element, rule as? [String: Any] ?? [:], "\(path)[\(index)]")
        }
        continue
      case "properties":
        for (name, rule) in rule as? [String: [String: Any]] ?? [:] {
          guard let member = (value as? [String: Any])?[name] else { continue }
          found += try problems(member, rule, "\(path).\(name)")
        }
        continue
      case "additionalProperties":
        let known = (schema["properties"] as? [String: Any])?.keys.map(\.self) ?? []
        for (name, member) in value as? [String: Any] ?? [:] where !known.contains(name) {
          if let rule = rule as? [String: Any] {
            found += try problems(member, rule, "\(path).\(name)")
          } else {
            found.append("\(path).\(name): not allowed")
          }
        }
        continue
      default: throw Unknown(word: word)
      }
      if !holds { found.append("\(path): \(word)") }
    }
    return found
  }

  private func definition(_ reference: Any) -> [String: Any] {
    let name = (reference as? String)?.split(separator: "/").last.map(String.init) ?? ""
    return (root["$defs"] as? [String: [String: Any]])?[name] ?? ["const": "nothing"]
  }

  private static func isOf(type: String?, _ value: Any) -> Bool {
    // The name of a number's type is a C string that is never freed.
    let isBoolean = (value as? NSNumber).map { unsafe String(cString: $0.objCType) == "c" } ?? false
    return switch type {
    case "object": value is [String: Any]
    case "array": value is [Any]
    case "string": value is String
    case "boolean": isBoolean
    case "integer": value is Int && !isBoolean
    default: false
    }
  }
}

@Suite("The schema of vaultctl's export")
struct ExportSchemaTests {
  private static func document(_ bytes: [UInt8]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(bytes))
  }

  @Test("items of every shape are as the schema says", arguments: 0..<10)
  func items(seed: UInt64) throws {
    var maker = ItemMaker(seed: seed)
    let items = try (0..<40).map { _ in try maker.item() }
    let (bytes, _) = try InterchangeFormat.json.written(items, isDefault: seed % 2 == 0)
    #expect(try Schema("export").problems(Self.document(bytes)) == [])
  }

  @Test(
    "the schema refuses what the reader refuses",
    arguments: [
      #"{"class":"other"}"#, #"{}"#, #"{"class":"internet","service":"s"}"#,
      #"{"class":"generic","host":"h"}"#, #"{"class":"internet","port":65536}"#,
      #"{"class":"internet","port":"1"}"#, #"{"class":"internet","invisible":1}"#,
      #"{"class":"internet","creator":"abcde"}"#, #"{"class":"internet","secret_kind":256}"#,
      #"{"class":"internet","secret_kind":"other"}"#, #"{"class":"internet","custom":{"a":1}}"#,
      #"{"class":"internet","password":1}"#, #"{"class":"internet","other":1}"#,
      #"{"class":"internet","id":"x"}"#,
    ])
  func refused(_ item: String) throws {
    let text = #"{"format":"vaultctl-export","version":1,"items":[\#(item)]}"#
    let problems = try Schema("export").problems(Self.document(Array(text.utf8)))
    #expect(!problems.isEmpty)
    #expect(try InterchangeFormat.json.entries(Array(text.utf8)).first?.isRejected == true)
  }

  @Test("the schema has every attribute of each class, and no other")
  func attributes() throws {
    let definitions = try #require(try Schema("export").root["$defs"] as? [String: [String: Any]])
    for itemClass in [ItemClass.internetPassword, .genericPassword] {
      var names = Set(ExportDocument.attributes(of: itemClass).map(\.json))
      for secret in ["password", "refresh_token"] { names.insert(secret + "_base64") }
      names.insert("class")
      if itemClass == .internetPassword { names.insert("default") }
      let properties = definitions[ExportDocument.name(itemClass)]?["properties"]
      #expect(Set((properties as? [String: Any])?.keys.map(\.self) ?? []) == names)
    }
  }
}
