import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("the page on the helpers", .waiting)
struct HelpersPageTests {
  private static let path = "Documentation/helpers.md"

  @Test("its shell sessions run as written, and print what they say")
  func sessions() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    let result = try ShellSession(ReferencePage(Self.path).page).run(
      in: sandbox, environment: ["PW": "correct horse"])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test("it names both programs and where an item keeps Docker's text, and links somewhere")
  func names() throws {
    let page = try ReferencePage(Self.path)
    for name in ["git-credential-vaultctl", "docker-credential-vaultctl", "docker.server-url"] {
      #expect(page.text.contains("`\(name)`"))
    }
    for link in page.page.links {
      let target = Project.root.appending(path: "Documentation/\(link)").path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
  }
}
