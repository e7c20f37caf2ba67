import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The pages for people: the tutorial, the cookbook and those on certificates and on
/// importing.
@Suite("the guides", .waiting)
struct GuidePagesTests {
  static let pages = ["tutorial", "cookbook", "certificates", "importing"]
  private static let password = "correct horse"
  private static let environment: [String: String?] = [
    "PW": password, "VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil, "XDG_DATA_HOME": nil,
    "XDG_CONFIG_HOME": nil,
  ]

  private func page(_ name: String) throws -> Markdown {
    Markdown(try Project.text(of: "Documentation/\(name).md"))
  }

  @Test("its shell session runs as written, and prints what it says", arguments: pages)
  func session(_ name: String) throws {
    let result = try ShellSession(page(name)).run(in: Sandbox(), environment: Self.environment)
    #expect(result.status == 0)
    let messages = result.errors.split(separator: "\n")
    #expect(
      messages.allSatisfy { $0.prefixMatch(of: #/vaultctl: (warning|hint): /#) != nil },
      "\(result.errors)")
  }

  @Test("the documents on the page on JSON are those that the program writes")
  func documents() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    #expect(try ShellSession(page("json")).run(in: sandbox, environment: [:]).status == 0)
  }

  @Test("every member on the page on JSON is in the schema")
  func members() throws {
    let schema = try Project.text(of: "Documentation/schemas/commands.json")
    let table = try #require(page("json").tables.first { $0[0] == ["command", "members"] })
    let members = table.dropFirst().flatMap { row in
      row[1].matches(of: /`([a-z_]+)`/).map { String($0.1) }
    }
    #expect(members.count > 100)
    for member in members { #expect(schema.contains("\"\(member)\""), "\(member)") }
  }

  @Test("its links lead somewhere", arguments: pages + ["json"])
  func links(_ name: String) throws {
    for link in try page(name).links {
      let target = Project.root.appending(path: "Documentation/\(link.split(separator: "#")[0])")
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
    }
  }
}
