import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("the page on other HTTP clients", .waiting)
struct ClientsPageTests {
  let page: Markdown

  init() throws { page = Markdown(try Project.text(of: "Documentation/clients.md")) }

  @Test("each of its programs is a file of Examples/Clients, byte for byte")
  func programs() throws {
    let names = ["AsyncHTTPClient", "Vapor", "HTTPTypes", "OpenAPI"]
    let files = try names.map {
      try Project.text(of: "Examples/Clients/Sources/Clients/\($0)+Vault.swift")
    }
    #expect(page.blocks.map(\.text) == files)
    #expect(page.blocks.allSatisfy { $0.language == "swift" })
    // An adapter is to be written in a quarter of an hour.
    for file in files { #expect(file.split(separator: "\n").count <= 45) }
  }

  @Test("its links lead to files")
  func links() throws {
    #expect(page.links.count >= 3)
    for link in page.links {
      let target = Project.root.appending(path: "Documentation/\(link)").path
      #expect(FileManager.default.fileExists(atPath: target), "\(link)")
    }
  }
}
