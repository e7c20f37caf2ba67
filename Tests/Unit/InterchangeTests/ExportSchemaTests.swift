import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import Interchange

@Suite("The schema of vaultctl's export")
struct ExportSchemaTests {
  private static func document(_ bytes: [UInt8]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(bytes))
  }

  @Test("items of every shape are as the schema says", arguments: 0..<10)
  func items(seed: UInt64) throws {
    var maker = ItemMaker(seed: seed)
    let items = try (0..<40).map { _ in try maker.item() }
    let (bytes, _) = try InterchangeFormat.json.written(
      items, isDefault: seed % 2 == 0, previous: PreviousSecret.examples)
    #expect(try JSONSchema("export").problems(Self.document(bytes)) == [])
  }

  @Test(
    "the schema refuses what the reader refuses",
    arguments: [
      #"{"class":"internet"}"#, #"{"class":"generic","service":"s","negative":false}"#,
      #"{"class":"other","secret":"p"}"#,
      #"{}"#,
      #"{"class":"internet","service":"s","secret":"p"}"#,
      #"{"class":"generic","server":"h","secret":"p"}"#,
      #"{"class":"internet","port":65536,"secret":"p"}"#,
      #"{"class":"internet","port":"1","secret":"p"}"#,
      #"{"class":"internet","invisible":1,"secret":"p"}"#,
      #"{"class":"internet","creator":"abcde","secret":"p"}"#,
      #"{"class":"internet","secret_kind":256,"secret":"p"}"#,
      #"{"class":"internet","secret_kind":"other","secret":"p"}"#,
      #"{"class":"internet","custom":{"a":1},"secret":"p"}"#,
      #"{"class":"internet","secret":1}"#, #"{"class":"internet","other":1,"secret":"p"}"#,
      #"{"class":"internet","id":"x","secret":"p"}"#,
      #"{"class":"internet","secret":"p","previous":{}}"#,
      #"{"class":"internet","secret":"p","previous":[{"set":"2020-01-01T00:00:00Z","secret":"q"}]}"#,
    ])
  func refused(_ item: String) throws {
    let text = #"{"format":"vaultctl-export","version":1,"items":[\#(item)]}"#
    let problems = try JSONSchema("export").problems(Self.document(Array(text.utf8)))
    #expect(!problems.isEmpty)
    #expect(try InterchangeFormat.json.entries(Array(text.utf8)).first?.isRejected == true)
  }

  @Test("the schema has every attribute of each class, and no other")
  func attributes() throws {
    let definitions = try JSONSchema("export").definitions
    for itemClass in ItemClass.allCases {
      var names = Set(ExportDocument.attributes(of: itemClass).map(\.json))
      for secret in [.secret] + Attribute.furtherSecrets { names.insert(secret.json + "_base64") }
      names.formUnion(["class", "previous", "removed"])
      if itemClass == .internetPassword { names.insert("default") }
      let properties = definitions[ExportDocument.name(itemClass)]?["properties"]
      #expect(Set((properties as? [String: Any])?.keys.map(\.self) ?? []) == names)
    }
  }
}
