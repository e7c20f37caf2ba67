import ProgramTesting
import TestTraits
import Testing

@Suite("the page for a start in Swift", .waiting)
struct SwiftPageTests {
  private let page: Markdown

  init() throws { page = Markdown(try Project.text(of: "Documentation/swift.md")) }

  @Test("its two files are those of Examples/Lookup, byte for byte")
  func files() throws {
    let files = try ["Package.swift", "Sources/Lookup/main.swift"].map {
      try Project.text(of: "Examples/Lookup/\($0)")
    }
    #expect(page.blocks.map(\.text) == files)
  }

  @Test("it names every product for Swift, and README and the index lead to it")
  func products() throws {
    let table = try #require(page.tables.first { $0[0][0] == "product" })
    let named = table.dropFirst().compactMap { row in
      row[0].wholeMatch(of: /`([A-Za-z]+)`/).map { String($0.1) }
    }
    let manifest = try Project.text(of: "Package.swift")
    let products = manifest.matches(of: /\n    \.library\(\s*name: "([A-Za-z]+)"/).map {
      String($0.1)
    }
    // What else is there, is for C.
    #expect(Set(products).subtracting(named).isSubset(of: ["VaultC", "credentialvault"]))
    #expect(Set(named).isSubset(of: products))
    #expect(Markdown(try Project.text(of: "README.md")).links.contains("Documentation/swift.md"))
    #expect(Markdown(try Project.text(of: "Documentation/README.md")).links.contains("swift.md"))
  }
}
