import CredentialVault
import Foundation
import Glibc
import HTTPAuthentication
import ProgramTesting
import SecureMemory
import TestTraits
import Testing
import VaultAdministration
import VaultModel

@Suite("lookups in several replicas of a search list", .waiting)
struct SearchListTests {
  /// The groups that have an item for each host; its password is the group's name.
  private static let places = [
    "first.example": ["one"], "second.example": ["two"], "third.example": ["three"],
    "later.example": ["two", "three"], "every.example": ["one", "two", "three"],
  ]

  private let server: PostgresServer
  /// The machine, with a replica of each of three groups, and its paths by the groups' names.
  private let machine: Sandbox
  private let replicas: [String: String]
  /// Vaults and keys are found as a user has them.
  private static let unset: [String: String?] = ["VAULTCTL_VAULT": nil, "VAULTCTL_KEY_FILE": nil]

  init() throws {
    server = try PostgresServer()
    let address = server.address(try server.makeDatabase())
    let (admin, machine) = (try Sandbox(), try Sandbox())
    self.machine = machine
    let admins = try Self.run(
      """
      for group in one two three
      do
        vaultctl init -q --vault $group.vault
        vaultctl fleet init -q '\(address)' --vault $group.vault
        vaultctl fleet begin -q --name admin --vault $group.vault
      done
      """, on: admin
    ).lines
    let lines = admins.joined(separator: " ")
    let prints = try admins.map { "--fingerprint '\(try MachineKeyFile.fingerprint(of: $0))'" }
      .joined(separator: " ")
    let asked = try Self.run("vaultctl fleet join -q \(lines) \(prints) --name web", on: machine)
    let line = try #require(asked.lines.first)
    let print = try MachineKeyFile.fingerprint(of: line)
    var replicas: [String: String] = [:]
    for group in ["one", "two", "three"] {
      var script = """
        vaultctl fleet admit -q \(line) --fingerprint '\(print)' --vault \(group).vault

        """
      for (host, groups) in Self.places where groups.contains(group) {
        script += """
          printf \(group) |
            vaultctl add -q https://ann@\(host) --password-stdin --vault \(group).vault
          echo '{"ServerURL":"registry.\(host)","Username":"ann","Secret":"\(group)"}' |
            VAULTCTL_VAULT=\(group).vault docker-credential-vaultctl store

          """
      }
      let information = try Self.run(
        script + "vaultctl info --json --vault \(group).vault", on: admin)
      let id = try #require(information.output.firstMatch(of: #/"id":"([0-9a-f]{8})/#)).1
      replicas[group] = machine.home.appending(path: ".local/share/vaultctl/\(id).vault").path
    }
    self.replicas = replicas
    _ = try Self.run("vaultctl fleet clone '\(address)' --all", on: machine)
  }

  @discardableResult
  private static func run(
    _ script: String, on machine: Sandbox, input: String = "",
    from location: SourceLocation = #_sourceLocation
  ) throws -> Sandbox.Result {
    let result = try machine.run(["sh", "-euc", script], input: input, environment: unset)
    #expect(result.status == 0, "\(script)\n\(result.errors)", sourceLocation: location)
    return result
  }

  /// The programs that look an item up, and their answers with a password.
  private static let programs: [(call: String, input: String, answer: String)] = [
    ("vaultctl find -w HOST", "", "SECRET\n"),
    ("vaultctl exec --env A=HOST printenv A", "", "SECRET\n"),
    (
      "git-credential-vaultctl get", "protocol=https\nhost=HOST\n\n",
      "username=ann\npassword=SECRET\n"
    ),
    (
      "docker-credential-vaultctl get", "registry.HOST",
      #"{"ServerURL":"registry.HOST","Username":"ann","Secret":"SECRET"}"#
    ),
  ]

  private func expectAnswers(_ order: [String]) throws {
    for (host, groups) in Self.places {
      let first = try #require(order.first { groups.contains($0) })
      for (call, input, answer) in Self.programs {
        func filled(_ text: String) -> String {
          text.replacing("HOST", with: host).replacing("SECRET", with: first)
        }
        let found = try Self.run(filled(call), on: machine, input: filled(input))
        #expect(found.output.contains(filled(answer)), "\(call) \(host): \(found.output)")
      }
      #expect(try isSent(first, to: host, order), "\(host)")
    }
    for (call, input, _) in Self.programs {
      func filled(_ text: String) -> String { text.replacing("HOST", with: "nowhere.example") }
      let found = try machine.run(
        ["sh", "-c", filled(call)], input: filled(input), environment: Self.unset)
      #expect(!found.output.contains("one") && !found.output.contains("password="), "\(call)")
    }
  }

  /// Returns whether the library answers a server's challenge with a password.
  private func isSent(_ password: String, to host: String, _ order: [String]) throws -> Bool {
    let key = machine.home.appending(path: ".config/vaultctl/machine.key").path
    let list = try VaultList.open(order.compactMap { replicas[$0] }, key: .keyFile(key))
    defer { #expect(throws: Never.self) { for vault in list.vaults { try vault.close() } } }
    let field = Secret("Basic " + Data("ann:\(password)".utf8).base64EncodedString())
    let (isRight, _) = try Authenticator(vaults: list).send(
      RequestHead(url: RequestURL("https://\(host)/x")), asking: { _ in .goOnWithout }
    ) { fields in
      let isRight = fields.contains { $0.value.isEqual(to: field) }
      let challenge = (name: "WWW-Authenticate", value: #"Basic realm="Team""#)
      return (
        ResponseHead(status: isRight ? 200 : 401, fields: isRight ? [] : [challenge]), isRight
      )
    }
    return isRight
  }

  @Test(
    "each program finds what any of them has, and the first in the list wins, offline, too",
    arguments: [["one", "two", "three"], ["three", "one", "two"]])
  func order(_ order: [String]) throws {
    let paths = order.compactMap { replicas[$0] }
    try Self.run("vaultctl search-list set -q \(paths.joined(separator: " "))", on: machine)
    try expectAnswers(order)
    kill(try #require(try server.identifier), SIGQUIT)
    try expectAnswers(order)
  }
}
