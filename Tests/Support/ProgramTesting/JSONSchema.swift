import Foundation

/// The words of JSON Schema (draft 2020-12) that the project's own schemas use.
///
/// A schema with any other word is an error, so that none is taken for checked that is not. An
/// object whose schema does not say which other members it may have has none: what `vaultctl`
/// writes is described in full, while readers have to ignore what they do not know.
package struct JSONSchema {
  package let root: [String: Any]

  struct Unknown: Error { let word: String }

  /// Reads a schema of `Documentation/schemas`.
  package init(_ name: String) throws {
    let text = try Project.text(of: "Documentation/schemas/\(name).json")
    let document = try JSONSerialization.jsonObject(with: Data(text.utf8))
    root = document as? [String: Any] ?? [:]
  }

  /// The schemas that others refer to, by name.
  package var definitions: [String: [String: Any]] {
    root["$defs"] as? [String: [String: Any]] ?? [:]
  }

  /// Returns what is wrong with a document, or with one that has to be as a definition says.
  package func problems(_ value: Any, as definition: String? = nil) throws -> [String] {
    try problems(value, definition.map { self.definition($0) } ?? root, "$")
  }

  private func problems(_ value: Any, _ schema: [String: Any], _ path: String) throws -> [String] {
    var found: [String] = []
    if let known = schema["properties"] as? [String: Any], schema["additionalProperties"] == nil,
      let members = value as? [String: Any], schema["type"] as? String == "object"
    {
      found += members.keys.filter { known[$0] == nil }.map { "\(path).\($0): not described" }
    }
    for (word, rule) in schema {
      let holds: Bool
      switch word {
      case "$schema", "title", "description", "$defs", "format", "contentEncoding": holds = true
      case "$ref": found += try problems(value, definition(rule as? String ?? ""), path); continue
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
          if rule as? Bool == true { continue }
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

  private func definition(_ reference: String) -> [String: Any] {
    let name = reference.split(separator: "/").last.map(String.init) ?? ""
    return definitions[name] ?? ["const": "nothing"]
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
