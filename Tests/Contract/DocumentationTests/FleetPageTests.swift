import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The page on fleets: its commands, on two machines with a real PostgreSQL.
@Suite("the page on fleets", .waiting)
struct FleetPageTests {
  private let page: Markdown

  init() throws { page = Markdown(try Project.text(of: "Documentation/fleet.md")) }

  private func commands(_ language: String) throws -> [String] {
    try #require(page.blocks.first { $0.language == language }).text
      .split(separator: "\n").map(String.init)
  }

  @Test("its commands set a fleet up, at most ten of them")
  func setup() throws {
    let server = try PostgresServer()
    for line in try commands("psql") { try server.sql(line, in: "postgres") }
    let machines = try [Sandbox(), Sandbox()]
    try #require(machines[0].makeVault().status == 0)
    try FileManager.default.copyItem(
      at: machines[0].home.appending(path: "test.key"),
      to: machines[1].home.appending(path: "test.key"))
    // The service's manager is not there; its unit is installed under this name.
    let unit = "Packaging/systemd/vaultctl-fleet.service"
    #expect(try Project.text(of: unit).contains("vaultctl fleet sync --watch"))
    var output = ""
    for (language, machine) in [("first", 0), ("second", 1), ("third", 0)] {
      for line in try commands(language) where !line.hasPrefix("systemctl") {
        let local = line.replacing(
          "host=db.example.com", with: "host=\(server.folder.path) port=\(server.port)")
        #expect(local != line || !line.contains("host="))
        let result = try machines[machine].run("bash", "-euo", "pipefail", "-c", local)
        #expect(result.status == 0, "\(line)\n\(result.errors)")
        output += result.output
      }
    }
    #expect(output.contains("generation 3, before 2"))
    #expect(output.contains("git.example.com"))
    let count = try ["psql", "first", "second", "third"].reduce(0) { try $0 + commands($1).count }
    #expect(count == 10)
  }

  @Test("its links lead somewhere")
  func links() throws {
    for link in page.links {
      let target = Project.root.appending(path: "Documentation/\(link.split(separator: "#")[0])")
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
    }
  }
}
