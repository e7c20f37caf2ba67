import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The page on fleets: its commands, on two machines with a real PostgreSQL.
@Suite("the page on fleets", .waiting)
struct FleetPageTests {
  private let page: Markdown
  private let services = Services()

  /// The services that were started, until the end of the test.
  private final class Services {
    var running: [RunningProgram] = []

    deinit {
      for program in running { program.end() }
    }
  }

  init() throws { page = Markdown(try Project.text(of: "Documentation/fleet.md")) }

  private func commands(_ language: String) throws -> [String] {
    try #require(page.blocks.first { $0.language == language }).text
      .split(separator: "\n").map(String.init)
  }

  /// The commands that ask, with what they ask.
  private static let questions = [
    "fleet join": "Join this machine to it (yes or no)?", "fleet admit": "Admit it (yes or no)?",
    "fleet remove": "Make a new key without it (yes or no)?",
  ]

  /// Runs the commands of a block, and returns their output.
  private func run(
    _ language: String, on machine: Sandbox, _ server: PostgresServer, lines: String = ""
  ) throws -> String {
    var output = ""
    for line in try commands(language) {
      if let enabling = line.firstMatch(of: #/^systemctl --user enable --now (.+)$/#) {
        try enable(String(enabling.1), on: machine)
        continue
      }
      var local = line.replacing(
        "host=db.example.com", with: "host=\(server.folder.path) port=\(server.port)")
      #expect(local != line || !line.contains("host="))
      // The page leaves out what another command has printed.
      for word in line.matches(of: #/(vlt[a-z]+1-)…/#) {
        let known = try #require(lines.firstMatch(of: try Regex("\(word.1)[^ \n]+")))
        local = local.replacing(word.0, with: known.0)
      }
      let words = ["bash", "-euo", "pipefail", "-c", local]
      let question = Self.questions.first { line.contains($0.key) }?.value
      let result =
        if let question {
          try machine.run(words, at: PseudoTerminal(), [(question, "yes")])
        } else {
          try machine.run(words)
        }
      #expect(result.status == 0, "\(line)\n\(result.errors)")
      output += result.output
    }
    return output
  }

  /// Does what the service's manager would, which is not there: a service runs from now on, and a
  /// timer's once.
  private func enable(_ unit: String, on machine: Sandbox) throws {
    func text(_ name: String) throws -> String {
      try Project.text(of: "Extras/Fleet/Packaging/share/systemd/user/\(name)")
    }
    #expect(try text(unit).contains("\n[Install]\n"))
    let service = try text(unit.replacing(/\.timer$/, with: ".service"))
    let command = try #require(service.firstMatch(of: /\nExecStart=@bindir@\/(.+)\n/)).1
    let words = command.split(separator: " ").map(String.init)
    guard !unit.hasSuffix(".timer") else {
      let result = try machine.run(words)
      #expect(result.status == 0, "\(result.errors)")
      return
    }
    services.running.append(
      try RunningProgram(
        words, environment: machine.environment, folder: machine.home.path,
        input: FileHandle.nullDevice.fileDescriptor, output: STDERR_FILENO, errors: STDERR_FILENO))
  }

  /// Returns the SQL between a command's line and its end.
  private func statements(_ language: String) throws -> ArraySlice<String> {
    let lines = try commands(language)
    #expect(lines.first?.hasPrefix("psql ") == true && lines.first?.hasSuffix(" <<END") == true)
    #expect(lines.last == "END")
    return lines.dropFirst().dropLast()
  }

  @Test("its commands set a fleet up, at most ten of them, and remove a machine")
  func setup() throws {
    let server = try PostgresServer()
    for line in try statements("psql") { try server.sql(line, in: "postgres") }
    let (first, second) = (try Sandbox(), try Sandbox())
    try #require(first.makeVault().status == 0)
    try makeLostCopy(of: first, for: second)
    let admin = try run("first", on: first, server)
    let request = try run("join", on: second, server, lines: admin)
    _ = try run("admit", on: first, server, lines: request)
    _ = try run("clone", on: second, server)
    let count = try ["first", "join", "admit", "clone"].reduce(1) { try $0 + commands($1).count }
    #expect(count == 9)
    let text = try Project.text(of: "Documentation/fleet.md")
    #expect(text.contains("nine commands for two machines"))
    #expect(try services.running.count == 1 && services.running[0].isRunning)
    _ = try run("second", on: second, server)
    let output = try run("third", on: first, server)
    #expect(output.contains("generation 5, before 4"))
    #expect(output.contains("git.example.com") && output.contains("\nbuilder, slot 18"))
    let merged = try run("merge", on: second, server)
    #expect(merged.contains("merged 2 differences: 2 items"), "\(merged)")
    // The first machine writes with its own key, which is found beside the default one.
    let added = try first.run(
      "vaultctl", "add", "-q", "ann@ci.example.com", "--generate",
      environment: ["VAULTCTL_KEY_FILE": nil])
    #expect(added.status == 0, "\(added.errors)")
    // The service of the other one gets it.
    while try second.run("vaultctl", "find", "-q", "-w", "ci.example.com").status != 0 {
      try #require(try services.running[0].isRunning)
    }
    let log = try run("log", on: first, server)
    #expect(log.contains("builder: added https://git.example.com ann\n"))
    #expect(try run("head", on: first, server) == run("head", on: second, server))
    #expect(try run("remove", on: first, server).contains("items: 3"))
    #expect(try second.run("vaultctl", "fleet", "sync").status == 78)
    func ask() throws -> [String] {
      try server.sql("SELECT count(*) FROM credential_vault.vault", in: "fleet", user: "laptop")
    }
    #expect(try ask() == ["1"])
    for line in try commands("owner") { try server.sql(line, in: "postgres") }
    #expect(throws: (any Error).self) { _ = try ask() }
    #expect(try first.run("vaultctl", "fleet", "sync").status != 0)
  }

  /// Makes a copy of a vault that was changed apart before another machine joined, which has the
  /// key of before at its usual place.
  private func makeLostCopy(of first: Sandbox, for second: Sandbox) throws {
    let (lost, folder) = (
      second.home.appending(path: "lost.vault"), second.home.appending(path: ".config/vaultctl")
    )
    let manager = FileManager.default
    try manager.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    for (from, to) in [("test.vault", lost), ("test.key", folder.appending(path: "default.key"))] {
      try manager.copyItem(at: first.home.appending(path: from), to: to)
    }
    let added = try first.run(
      "vaultctl", "add", "-q", "lost@lost.example.com", "--generate",
      environment: [
        "VAULTCTL_VAULT": lost.path, "XDG_STATE_HOME": first.home.appending(path: "apart").path,
      ])
    #expect(added.status == 0, "\(added.errors)")
  }

  @Test("its links lead somewhere")
  func links() throws {
    for link in page.links {
      let target = Project.root.appending(path: "Documentation/\(link.split(separator: "#")[0])")
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
    }
  }
}
