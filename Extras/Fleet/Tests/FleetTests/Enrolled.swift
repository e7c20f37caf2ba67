import Foundation
import ProgramTesting
import Testing

/// A fleet whose machines have keys of their own, which an admin admits.
struct Enrolled {
  let server: PostgresServer
  let database: String
  let admin: Sandbox
  /// The line of the admin key, and its fingerprint.
  let adminLine: String
  let adminPrint: String

  init(database: String? = nil) throws {
    server = try PostgresServer.shared.get()
    self.database = try database ?? server.makeDatabase()
    admin = try Sandbox()
    try #require(admin.makeVault().status == 0)
    let begun = try admin.run("vaultctl", "fleet", "begin", "--name", "admin")
    try #require(begun.status == 0)
    (adminLine, adminPrint) = (begun.lines[1], String(begun.lines[2].dropFirst(13)))
    // A machine's key alone writes from now on.
    let key = admin.home.appending(path: "test.key")
    try FileManager.default.removeItem(at: key)
    try FileManager.default.moveItem(
      at: admin.home.appending(path: ".config/vaultctl/machine.key"), to: key)
    try #require(
      admin.run("vaultctl", "fleet", "init", server.address(self.database)).status == 0)
  }

  /// Makes a machine's key; returns its line and its fingerprint.
  func join(_ machine: Sandbox, _ name: String) throws -> (line: String, print: String) {
    let joined = try machine.run(
      "vaultctl", "fleet", "join", adminLine, "--fingerprint", adminPrint, "--name", name)
    try #require(joined.status == 0, "\(joined.errors)")
    return (joined.lines[1], String(joined.lines[2].dropFirst(13)))
  }

  func admit(
    _ request: (line: String, print: String), on machine: Sandbox? = nil, isAdmin: Bool = false
  ) throws -> Int32 {
    try (machine ?? admin).run(
      ["vaultctl", "fleet", "admit", request.line, "--fingerprint", request.print]
        + (isAdmin ? ["--admin"] : [])
    ).status
  }

  func clone(_ machine: Sandbox, from database: String? = nil) throws -> Int32 {
    try machine.run("vaultctl", "fleet", "clone", server.address(database ?? self.database)).status
  }

  /// Makes a machine, which joins, is admitted and has a replica.
  func machine(_ name: String) throws -> (machine: Sandbox, request: (line: String, print: String))
  {
    let machine = try Sandbox()
    let request = try join(machine, name)
    try #require(admit(request) == 0)
    try #require(clone(machine) == 0)
    return (machine, request)
  }

  /// Removes a machine, and with it the key that made the vault.
  func remove(_ name: String) throws -> Int32 {
    try admin.run("vaultctl", "fleet", "remove", name, "--remove-slot", "1").status
  }

  func names() throws -> [String] {
    try admin.run("vaultctl", "fleet", "machines", "--json").output
      .matches(of: #/"name":"([a-z]+)"/#).map { String($0.1) }
  }

  func add(_ name: String, on machine: Sandbox) throws -> Int32 {
    try machine.run(
      ["vaultctl", "add", "-q", "https://\(name)@\(name).example.com", "--password-stdin"],
      input: "one"
    ).status
  }

  /// Makes a role of the server that may use the vault.
  func role() throws -> String {
    let role = "role_\(UUID().uuidString.prefix(8).lowercased())"
    try server.sql("CREATE ROLE \(role) LOGIN", in: database)
    try #require(admin.run("vaultctl", "fleet", "grant", role).status == 0)
    return role
  }

  /// Returns the id of the vault, in hexadecimal digits.
  func vaultID() throws -> String {
    let information = try admin.run("vaultctl", "info", "--json").output
    return String(try #require(information.firstMatch(of: #/"id":"([0-9a-f]{32})"/#)).1)
  }

  /// Copies the server's database as it is now.
  func fork() throws -> String {
    let name = "\(database)_fork"
    try server.sql("CREATE DATABASE \(name) TEMPLATE \(database)", in: "postgres")
    return name
  }

  /// Lets a machine ask another database.
  func move(_ machine: Sandbox, to database: String) throws {
    let file = machine.home.appending(path: "test.vault.fleet")
    try Data("server = \(server.address(database))\n".utf8).write(to: file)
  }
}
