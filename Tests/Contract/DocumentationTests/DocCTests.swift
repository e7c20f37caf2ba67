import Foundation
import ProgramTesting
import Testing

/// The output of `Scripts/docs` for the modules that were built with these tests.
@Suite("the documentation of the libraries")
struct DocCTests {
  static let products = ["CredentialVault", "HTTPAuthentication", "VaultURLSession"]

  let sandbox: Sandbox
  var folder: URL { sandbox.folder.appending(path: "docs") }

  init() throws { sandbox = try Sandbox() }

  func make(_ what: String) throws {
    let script = Project.root.appending(path: "Scripts/docs").path
    let result = try sandbox.run(
      ["python3", script, what, Project.products.path, folder.path], limit: 600)
    #expect(result.status == 0, "\(result.errors)")
  }

  @Test("DocC makes a site of it without a warning, with a page for each article")
  func site() throws {
    try make("site")
    let pages = folder.appending(path: "data/documentation")
    for article in ArticlesTests.articles {
      let words = article.lowercased().split { "/.".contains($0) }
      let (product, name) = (words[1], words[4])
      let page = name == product ? "\(product).json" : "\(product)/\(name).json"
      #expect(FileManager.default.fileExists(atPath: pages.appending(path: page).path), "\(page)")
    }
  }

  @Test("the public symbols are those of Documentation/api, where `make docs` lists them")
  func symbols() throws {
    try make("api")
    for product in Self.products {
      let made = try String(
        contentsOf: folder.appending(path: "\(product).txt"), encoding: .utf8)
      let kept = try Project.text(of: "Documentation/api/\(product).txt")
      let change = made.split(separator: "\n").difference(from: kept.split(separator: "\n"))
      #expect(change.isEmpty)
    }
  }

  @Test("Vault itself has at most 45 members, those with overloads counted once")
  func members() throws {
    let paths = try Project.text(of: "Documentation/api/CredentialVault.txt")
      .matches(of: /(?m)^Vault\.([^.\s]+):\s/).map { String($0.1) }
    #expect(Set(paths).isSuperset(of: ["find(_:secrets:)", "transaction(_:)", "keys"]))
    #expect(Set(paths).count <= 45, "\(Set(paths).sorted())")
  }
}
