import Foundation
import ProgramTesting
import TestTraits
import Testing
import VaultModel

@Suite("pages", .waiting)
struct PagesTests {
  static let pages = [
    "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md",
  ]

  @Test("links within the repository lead somewhere", arguments: pages)
  func links(page: String) throws {
    for link in Markdown(try Project.text(of: page)).links {
      let target = Project.root.appending(path: link).path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
  }

  @Test("the index of the pages has each of them, once and with a sentence, and no other")
  func index() throws {
    let folder = Project.root.appending(path: "Documentation").path
    let pages = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".md") && $0 != "README.md" }
    let index = try Project.text(of: "Documentation/README.md")
    #expect(Markdown(index).links.sorted() == pages.sorted())
    let lines = index.matches(of: /(?m)^- \[[^\]]+\]\([a-z-]+\.md\): .+\.$/)
    #expect(lines.count == pages.count)
  }

  @Test("the table of layers has every target of Sources, and no other")
  func layers() throws {
    let tables = Markdown(try Project.text(of: "CONTRIBUTING.md")).tables
    let table = try #require(tables.first { $0[0] == ["target", "holds"] })
    let named = table.flatMap { row in row[0].matches(of: /`([^`]+)`/).map { String($0.1) } }
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Project.root.appending(path: "Sources").path)
    #expect(named.sorted() == (folders + ["VaultMigrations"]).sorted())
  }

  @Test("every make command on a page is a target", arguments: ["README.md", "CONTRIBUTING.md"])
  func makeTargets(page: String) throws {
    let makefile = try Project.text(of: "Makefile").split(separator: "\n")
    let commands = Markdown(try Project.text(of: page)).blocks
      .filter { $0.language == "console" }.flatMap { $0.text.split(separator: "\n") }
    try #require(!commands.isEmpty)
    for command in commands {
      let words = command.split(separator: " ")
      try #require(words.count > 1 && words[0] == "make", "\(command)")
      #expect(makefile.contains { $0.hasPrefix("\(words[1]):") }, "\(command)")
    }
  }

  @Test("the format's page has the field of every attribute", arguments: Attribute.all)
  func fields(_ attribute: Attribute) throws {
    let page = try Project.text(of: "Documentation/format.md")
    let table = try #require(page.firstMatch(of: /### 6\.1 (.*?)### 6\.2/.dotMatchesNewlines())).1
    // Flags share a field, each with its bit.
    let (tag, bit) = (attribute.rawValue & 0xFFFF, attribute.rawValue >> 16)
    let row = try #require(table.split(separator: "\n").first { $0.hasPrefix("| \(tag) |") })
    let name = attribute.name
    switch attribute {
    case .service: #expect(row.contains("of a generic password its service"))
    case .secretKind: #expect(row.hasPrefix("| \(tag) | kind of secret |"))
    case .secret, .refreshToken, .oneTimePasswordKey:
      #expect(row.hasPrefix("| \(tag) | sealed \(name) |"))
    default: #expect(row.contains(bit == 0 ? "| \(tag) | \(name)" : " \(bit) \(name)"))
    }
  }

  @Test(
    "every suite that the threat model and the page on reliability name exists",
    arguments: ["threat-model", "reliability"])
  func suites(page: String) throws {
    let page = try Project.text(of: "Documentation/\(page).md")
    let names = page.matches(of: /\[([A-Za-z]+\/[^\]]+)\]/).flatMap { match in
      match.1.split { ", \n".contains($0) }
    }
    try #require(names.count > 20)
    for name in names {
      let parts = name.split(separator: "/")
      let folder = Project.tests(parts[0]).path
      let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
      #expect(files.contains { $0.hasSuffix("\(parts[1]).swift") }, "\(name)")
    }
  }

  @Test("the page on reliability names every corpus, and every command on it is a target")
  func reliability() throws {
    let page = try ReferencePage("Documentation/reliability.md")
    let corpora = Project.root.appending(path: "Tests/Attack/FuzzTests/Corpora").path
    let named = try page.rows("reader").flatMap { page.codes($0[1]) }
    #expect(try named.sorted() == FileManager.default.contentsOfDirectory(atPath: corpora).sorted())
    let makefile = try Project.text(of: "Makefile").split(separator: "\n")
    for command in try page.rows("command").flatMap({ page.codes($0[0]) }) {
      let target = command.dropFirst("make ".count)
      #expect(makefile.contains { $0.hasPrefix("\(target):") }, "\(command)")
    }
  }

  @Test("every block says its language", arguments: pages)
  func languages(page: String) throws {
    let known = ["c", "console", "dockerfile", "mermaid", "sh", "swift", "text"]
    for block in Markdown(try Project.text(of: page)).blocks {
      #expect(known.contains(block.language), "\(block.text)")
    }
  }
}
