import Foundation
import ProgramTesting
import Testing

@Suite("the page on the examples")
struct ExamplesTests {
  let page: Markdown

  init() throws { page = Markdown(try Project.text(of: "Examples/README.md")) }

  @Test("its shell session runs as written, and prints what it says")
  func session() throws {
    let sandbox = try Sandbox()
    try #require(try sandbox.installLibrary().status == 0)
    try #require(try sandbox.makeVault().status == 0)
    try FileManager.default.copyItem(
      at: Project.root.appending(path: "Examples/HTTPClient"),
      to: sandbox.home.appending(path: "HTTPClient"))
    let pages = sandbox.folder.appending(path: "server/pages/basic")
    try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
    try Data("a page\n".utf8).write(to: pages.appending(path: "page"))
    let server = try HTTPServer("http", in: sandbox, users: ["ann": "correct horse"])
    let result = try ShellSession(page).run(
      in: sandbox,
      environment: [
        "PW": "correct horse", "PORT": "\(server.port)",
        "PKG_CONFIG_PATH": sandbox.prefix.appending(path: "lib/pkgconfig").path,
      ])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test("its links lead to files")
  func links() throws {
    #expect(page.links.count > 5)
    for link in page.links {
      let target = Project.root.appending(path: "Examples/\(link)").path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
  }
}
