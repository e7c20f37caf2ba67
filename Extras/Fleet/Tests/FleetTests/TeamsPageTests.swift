import Foundation
import ProgramTesting
import TestTraits
import Testing

/// The page on groups: three of them, ten machines, and a real PostgreSQL.
@Suite("the page on groups of machines", .waiting)
struct TeamsPageTests {
  private let page: Markdown
  private let server: PostgresServer
  private let ann: Sandbox
  /// Paths and keys are found as a user has them.
  private let unset: [String: String?] = ["VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil]

  init() throws {
    page = Markdown(try Project.text(of: "Documentation/teams.md"))
    server = try PostgresServer()
    ann = try Sandbox()
    let made = try ann.run("mkdir", "-m", "700", "-p", ".local/share/vaultctl")
    try #require(made.status == 0)
  }

  private func text(_ language: String) throws -> String {
    try #require(page.blocks.first { $0.language == language }).text
  }

  /// Runs a script in a machine's home, with the page's server.
  private func run(
    _ script: String, on machine: Sandbox, from location: SourceLocation = #_sourceLocation
  ) throws -> Sandbox.Result {
    let local = script.replacing(
      "host=db.example.com", with: "host=\(server.folder.path) port=\(server.port)")
    let result = try machine.run(["bash", "-euo", "pipefail", "-c", local], environment: unset)
    #expect(result.status == 0, "\(script)\n\(result.errors)", sourceLocation: location)
    return result
  }

  /// Adds the fingerprints that a person would compare, and the lines that the page leaves out.
  private func completed(_ command: String, _ lines: [(line: String, print: String)]) -> String {
    var rest = lines[...]
    var text = command.replacing(#/vlt[a-z]+1-…/#) { _ in rest.popFirst()?.line ?? "" }
    for line in lines { text += " --fingerprint '\(line.print)'" }
    return text
  }

  /// Returns the lines of keys in an output, with their fingerprints.
  private func keys(_ output: String) -> [(line: String, print: String)] {
    output.matches(of: #/(vlt[a-z]+1-\S+)\nfingerprint: ([0-9 ]+)\n/#)
      .map { (String($0.1), String($0.2)) }
  }

  private func hosts(_ machine: Sandbox) throws -> Set<String> {
    let list = try machine.run(["vaultctl", "list", "--json"], environment: unset)
    #expect(list.status == 0, "\(list.errors)")
    return Set(list.output.matches(of: #/"server":"([a-z.]+)"/#).map { String($0.1) })
  }

  @Test("its commands set three groups up for ten machines, and one leaves")
  func walk() throws {
    let statements = try text("psql").split(separator: "\n").map(String.init)
    for line in statements.dropFirst().dropLast() { try server.sql(line, in: "postgres") }
    let groups = keys(try run(text("groups"), on: ann).output)
    #expect(groups.count == 3)
    let folder = "cd ~/.local/share/vaultctl; "
    func add(_ host: String, to group: String) throws {
      _ = try run(
        folder + "vaultctl add -q https://user@\(host) -l label-of-\(host) --generate"
          + " --vault \(group).vault", on: ann)
    }
    for group in ["all", "shop", "billing"] { try add("\(group).example.com", to: group) }

    // Who is in which groups, by their numbers on the page.
    let members = ["bob": [0, 1]].merging(
      (1...8).map { ("m\($0)", $0 <= 4 ? [0, 1] : $0 <= 6 ? [0, 2] : [0]) },
      uniquingKeysWith: { $1 })
    var machines: [String: Sandbox] = [:]
    for (name, numbers) in members.sorted(by: { $0.key < $1.key }) {
      let machine = try Sandbox()
      machines[name] = machine
      let words = numbers.map { _ in "vltadmn1-…" }.joined(separator: " ")
      let command = "vaultctl fleet join \(words) --name \(name)"
      if name == "bob" { #expect(try command == text("join").trimmingCharacters(in: .newlines)) }
      let asked = keys(try run(completed(command, numbers.map { groups[$0] }), on: machine).output)
      #expect(asked.count == 1)
      for number in numbers {
        let group = ["all", "shop", "billing"][number]
        let command = "vaultctl fleet admit vltjoin1-… --vault \(group).vault"
        if name == "bob" { #expect(try text("admit").contains(command)) }
        _ = try run(folder + completed(command, asked), on: ann)
      }
    }
    let (bob, clerk) = (try #require(machines["bob"]), try #require(machines["m5"]))
    let output = try run(text("clone"), on: bob).output
    #expect(output.matches(of: #/cloned \S+/[0-9a-f]{8}\.vault\n/#).count == 2)
    #expect(output.matches(of: #/as on the server/#).count == 2)
    #expect(output.matches(of: #/[0-9a-f]{32}  \S+\.vault\n/#).count == 2)
    #expect(try hosts(bob) == ["all.example.com", "shop.example.com"])
    // The roles were granted before; who was granted and not admitted gets nothing.
    _ = try run(text("clone").replacing("user=bob", with: "user=m5"), on: clerk)
    #expect(try hosts(clerk) == ["all.example.com", "billing.example.com"])
    _ = try run(
      text("groups").split(separator: "\n").filter { $0.contains(" grant ") }
        .map { folder + $0 }.joined(separator: "\n"), on: ann)

    // A machine that is admitted to one more group gets that with the same command.
    let line = "vaultctl fleet join vltadmn1-… --name m5"
    let again = keys(try run(completed(line, [groups[1]]), on: clerk).output)
    _ = try run(
      folder + completed("vaultctl fleet admit vltjoin1-… --vault shop.vault", again), on: ann)
    _ = try run(folder + "vaultctl fleet grant -q m5 --vault shop.vault", on: ann)
    let more = try run(text("clone").replacing("user=bob", with: "user=m5"), on: clerk).output
    #expect(more.matches(of: #/cloned/#).count == 1 && more.matches(of: #/as on the/#).count == 3)
    #expect(try hosts(clerk).count == 3)

    _ = try run(folder + text("move"), on: ann)
    _ = try run("vaultctl fleet sync -q", on: bob)
    #expect(try hosts(bob).contains("shop.example.com"))
    let found = try run("vaultctl find -w deploy@shop.example.com", on: bob).output
    #expect(found.count > 20)
    try readByTheServer()

    let left = try run(folder + text("leave"), on: ann).output
    #expect(left.matches(of: #/removed bob: epoch/#).count == 2)
    try add("later.example.com", to: "shop")
    let sync = try bob.run(["vaultctl", "fleet", "sync"], environment: unset)
    #expect(sync.status == 78, "\(sync.errors)")
    _ = try run("vaultctl fleet sync -q", on: clerk)
    #expect(try hosts(clerk).contains("later.example.com"))
    #expect(try !hosts(bob).contains("later.example.com"))
  }

  /// What an administrator of the database reads in all rows has none of the names in the vaults.
  private func readByTheServer() throws {
    for table in ["vault", "sealed_row", "member"] {
      let rows = try server.sql(
        "SELECT encode(convert_to(t::text, 'UTF8'), 'escape') FROM credential_vault.\(table) t",
        in: "fleet")
      #expect(!rows.isEmpty)
      // Bytes are hexadecimal digits there.
      let text = rows.joined(separator: "\n")
      for name in ["shop", "billing", "example.com", "label-of", "user", "deploy", "vaultctl move"]
      {
        let digits = name.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        #expect(!text.contains(digits.joined()) && !text.contains(name), "\(table): \(name)")
      }
    }
  }

  @Test("its links lead somewhere")
  func links() throws {
    for link in page.links {
      let target = Project.root.appending(path: "Documentation/\(link.split(separator: "#")[0])")
      #expect(FileManager.default.fileExists(atPath: target.path), "\(link)")
    }
  }
}
