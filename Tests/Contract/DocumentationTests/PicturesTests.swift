import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("Pictures", .waiting)
struct PicturesTests {
  private static let folder = Project.root.appending(path: "Documentation/pictures")

  @Test("they are what Scripts/pictures draws of the pages as they are")
  func current() throws {
    let sandbox = try Sandbox()
    let drawn = sandbox.folder.appending(path: "pictures")
    let result = try sandbox.run(
      Project.root.appending(path: "Scripts/pictures").path, drawn.path,
      environment: ["PYTHONDONTWRITEBYTECODE": "1"])
    try #require(result.status == 0, "\(result.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: drawn.path).sorted()
    #expect(names.count == 8)
    let kept = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(kept.filter { $0.hasSuffix(".svg") }.sorted() == names)
    for name in names {
      let isSame = FileManager.default.contentsEqual(
        atPath: drawn.appending(path: name).path,
        andPath: Self.folder.appending(path: name).path)
      #expect(isSame, "\(name) is old: run Scripts/pictures")
      // A reader sees all of it at once.
      let text = try Project.text(of: "Documentation/pictures/\(name)")
      #expect(!text.contains("<animate") && !text.contains("@keyframes"), "\(name)")
    }
  }

  @Test(
    "each is on one page",
    arguments: [
      ("file", "Documentation/format.md"), ("request", "Documentation/networking.md"),
      ("policy", "Documentation/persistence-policy.md"), ("rooms", "CONTRIBUTING.md"),
      ("session", "README.md"), ("speed", "Documentation/performance.md"),
      ("share", "Documentation/performance.md"), ("peers", "Documentation/performance.md"),
    ])
  func shown(_ picture: String, _ page: String) throws {
    #expect(try Project.text(of: page).contains("pictures/\(picture).svg)"))
  }

  @Test("the session in the picture runs, and prints what is drawn")
  func session() throws {
    let text = try Project.text(of: "Documentation/pictures/session.txt")
    try ConsoleSession(Markdown.Block(language: "console", text: text)).run(
      in: Sandbox(), below: [],
      environment: [
        "PW": "correct horse battery staple", "VAULTCTL_VAULT": .none, "VAULTCTL_KEY_FILE": .none,
      ], typing: "-")
  }
}
