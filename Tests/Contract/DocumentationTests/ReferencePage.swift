import Foundation
import ProgramTesting
import Testing

/// A page with reference tables, whose rows name the tests that prove them.
struct ReferencePage {
  let text: String
  let page: Markdown

  init(_ path: String) throws {
    text = try Project.text(of: path)
    page = Markdown(text)
  }

  /// Returns the rows of a table without its header.
  func rows(_ title: String) throws -> [[String]] {
    let table = try #require(page.tables.first { $0[0][0] == title }, "\(title)")
    return Array(table.dropFirst())
  }

  /// Returns the texts in backquotes.
  func codes(_ cell: String) -> [String] {
    cell.matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// The names of the form *target/suite.function*.
  var tests: [String] {
    text.matches(of: /`([A-Za-z]+Tests\/[A-Za-z]+\.[A-Za-z0-9]+)`/).map { String($0.1) }
  }

  /// Returns those of ``tests`` that do not exist.
  func missingTests() throws -> [String] {
    try tests.filter { name in
      let parts = name.split { $0 == "/" || $0 == "." }
      let folder = Project.tests(parts[0])
      let files =
        FileManager.default.enumerator(atPath: folder.path)?
        .compactMap { $0 as? String } ?? []
      let file = files.first { $0.split(separator: "/").last == "\(parts[1]).swift" }
      let source = try file.map {
        try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
      }
      return !(source?.contains("func \(parts[2])(") ?? false)
    }
  }

  /// Returns the page's Swift blocks that are neither a function's body nor a type in a test file.
  ///
  /// Imports at the beginning of a block are ignored.
  func strangeSwift(_ path: String) throws -> [String] {
    let source = try Project.text(of: path)
    return page.blocks.filter { $0.language == "swift" }.map(\.text).filter { text in
      let code = text.trimmingPrefix(/(import .*\n)+\n/)
      let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "    \($0)" }
      let isBody = source.contains(" {\n" + lines.joined(separator: "\n") + "  }\n")
      return !isBody && !source.contains("\n\n\(code)\n")
    }
  }
}
