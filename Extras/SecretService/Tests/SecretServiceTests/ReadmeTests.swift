import Foundation
import Testing

@Suite("the package's page")
struct ReadmeTests {
  private let package = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("every suite that it names exists, and it names each target")
  func names() throws {
    let page = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
    let suites = page.matches(of: /\[([A-Za-z]+\/[^\]]+)\]/).flatMap { match in
      match.1.split { ", \n".contains($0) }
    }
    try #require(suites.count >= 8)
    for suite in suites {
      let file = package.appending(path: "Tests/\(suite).swift").path
      #expect(FileManager.default.fileExists(atPath: file), "\(suite)")
    }
    let targets = try FileManager.default.contentsOfDirectory(
      atPath: package.appending(path: "Sources").path)
    for target in targets { #expect(page.contains("`\(target)`"), "\(target)") }
  }
}
