import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Each state of a fleet has a command that leads out of it, which the message names.
@Suite("the ways back of a fleet", .waiting)
struct WaysBackTests {
  private let fleet: Enrolled
  private let web: Sandbox

  init() throws {
    fleet = try Enrolled()
    web = try fleet.machine("web").machine
    try #require(fleet.add("ann", on: web) == 0)
  }

  private func expect(
    _ machine: Sandbox, _ words: String, _ status: Int32 = 0, naming way: String? = nil,
    from location: SourceLocation = #_sourceLocation
  ) throws -> Sandbox.Result {
    let result = try machine.run(words.split(separator: " ").map(String.init))
    #expect(result.status == status, "\(words): \(result.errors)", sourceLocation: location)
    if let way {
      #expect(result.errors.contains(way), "\(words): \(result.errors)", sourceLocation: location)
    }
    return result
  }

  private func accounts(_ machine: Sandbox) throws -> [String] {
    try machine.run("vaultctl", "list", "--json").output.matches(of: #/"account":"([a-z]+)"/#)
      .map { String($0.1) }.sorted()
  }

  private func remove(_ machine: Sandbox, _ names: String...) throws {
    for name in names { try FileManager.default.removeItem(at: machine.home.appending(path: name)) }
  }

  /// Ends the connections to the server's database, and puts an earlier copy in its place.
  private func restore(_ backup: String) throws {
    for name in [fleet.database, backup] {
      try fleet.server.sql(
        """
        SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
        WHERE datname = '\(name)'
        """, in: "postgres")
    }
    try fleet.server.sql("DROP DATABASE \(fleet.database)", in: "postgres")
    try fleet.server.sql("ALTER DATABASE \(backup) RENAME TO \(fleet.database)", in: "postgres")
  }

  @Test("the server was restored from a backup: the newest replica gives it what it lost")
  func serverOlder() throws {
    let late = try fleet.machine("late").machine
    let backup = try fleet.fork()
    for name in ["bob", "eve"] { try #require(fleet.add(name, on: web) == 0) }
    // A rekey, and removed rows, are among what is lost.
    try #require(fleet.remove("late") == 0)
    _ = try expect(web, "vaultctl rm -q --for-good eve@eve.example.com")
    _ = try expect(fleet.admin, "vaultctl fleet sync")
    try #require(fleet.add("last", on: web) == 0)
    try restore(backup)
    let way = "vaultctl fleet init on the newest replica gives it what it lost"
    for machine in [fleet.admin, web] {
      for action in ["sync", "status"] {
        _ = try expect(machine, "vaultctl fleet \(action)", 54, naming: way)
      }
    }
    // By a replica that is not the newest, too; what it lacks comes from the other one.
    _ = try expect(fleet.admin, "vaultctl fleet init")
    _ = try expect(web, "vaultctl fleet sync", 54, naming: way)
    _ = try expect(web, "vaultctl fleet init")
    for machine in [fleet.admin, web] {
      _ = try expect(machine, "vaultctl fleet sync")
      _ = try expect(machine, "vaultctl verify -q")
      #expect(try accounts(machine) == ["ann", "bob", "last"])
    }
    // Who was removed meanwhile stays so, and a new replica is whole.
    #expect(try fleet.add("x", on: late) == 36)
    let new = try fleet.machine("new").machine
    #expect(try accounts(new) == ["ann", "bob", "last"])
    #expect(try fleet.add("y", on: new) == 0)
  }

  @Test("somebody wrote to the restored server: the others are cloned anew, and merged")
  func serverForked() throws {
    let backup = try fleet.fork()
    for name in ["lost", "more"] { try #require(fleet.add(name, on: web) == 0) }
    try restore(backup)
    try #require(fleet.add("new", on: fleet.admin) == 0)
    let vault = web.home.path + "/test.vault"
    // It is not known before the whole history is compared.
    for action in ["sync", "status"] {
      _ = try expect(
        web, "vaultctl fleet \(action)", 54, naming: "vaultctl fleet init on the newest replica")
    }
    let apart = "mv \(vault) \(vault).old, and vaultctl fleet clone makes"
    _ = try expect(web, "vaultctl fleet init", 54, naming: apart)
    try #require(fleet.add("newer", on: fleet.admin) == 0)
    for action in ["sync", "status", "init"] {
      _ = try expect(web, "vaultctl fleet \(action)", 54, naming: apart)
    }
    try FileManager.default.moveItem(atPath: vault, toPath: vault + ".old")
    // The record of what was seen is heeded before anything is made.
    _ = try expect(web, "vaultctl fleet clone", 54, naming: "fleet clone --accept-vault ADDRESS")
    #expect(!FileManager.default.fileExists(atPath: vault))
    _ = try expect(web, "vaultctl fleet clone --accept-vault")
    #expect(try accounts(web) == ["ann", "new", "newer"])
    _ = try expect(web, "vaultctl merge -q test.vault.old")
    _ = try expect(fleet.admin, "vaultctl fleet sync")
    for machine in [fleet.admin, web] {
      #expect(try accounts(machine) == ["ann", "lost", "more", "new", "newer"])
      _ = try expect(machine, "vaultctl fleet status")
    }
  }

  @Test("the server went back, and the replica that saw more is gone: what the server has is taken")
  func serverOlderWithoutReplica() throws {
    let backup = try fleet.fork()
    try #require(fleet.add("lost", on: web) == 0)
    try restore(backup)
    try remove(web, "test.vault")
    _ = try expect(web, "vaultctl fleet clone", 54, naming: "fleet clone --accept-vault ADDRESS")
    _ = try expect(web, "vaultctl fleet clone --accept-vault")
    #expect(try accounts(web) == ["ann"])
    #expect(try fleet.add("bob", on: web) == 0)
    _ = try expect(fleet.admin, "vaultctl fleet sync")
  }

  @Test("the server is lost: one replica publishes the vault on another, where the others follow")
  func serverLost() throws {
    _ = try expect(fleet.admin, "vaultctl fleet sync")
    let late = try fleet.machine("late").machine
    try #require(fleet.add("bob", on: fleet.admin) == 0)
    _ = try expect(web, "vaultctl fleet sync")
    let server = fleet.server.address(fleet.database)
    let way = "vaultctl fleet init ADDRESS on the newest replica publishes it again"
    // Without the vault, or without the database.
    try fleet.server.sql("DELETE FROM credential_vault.vault", in: fleet.database)
    _ = try expect(web, "vaultctl fleet sync", 78, naming: way)
    _ = try expect(web, "vaultctl fleet status", 78, naming: way)
    try fleet.server.sql(
      """
      SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
      WHERE datname = '\(fleet.database)'
      """, in: "postgres")
    try fleet.server.sql("DROP DATABASE \(fleet.database)", in: "postgres")
    _ = try expect(web, "vaultctl fleet sync", 69, naming: way)
    #expect(try accounts(web) == ["ann", "bob"])
    let other = fleet.server.address(try fleet.server.makeDatabase())
    #expect(other != server)
    for machine in [fleet.admin, web, late] {
      let joined = try machine.run("vaultctl", "fleet", "init", other)
      #expect(joined.status == 0, "\(joined.errors)")
    }
    #expect(try fleet.add("eve", on: late) == 0)
    for machine in [fleet.admin, web, late] {
      _ = try expect(machine, "vaultctl fleet sync")
      #expect(try accounts(machine) == ["ann", "bob", "eve"])
    }
  }

  @Test("a replica is lost: it is cloned again, with its address or without")
  func replicaLost() throws {
    try remove(web, "test.vault")
    let vault = web.home.path + "/test.vault"
    _ = try expect(
      web, "vaultctl list", 50,
      naming: "vaultctl fleet clone --vault \(vault) makes the replica again")
    _ = try expect(web, "vaultctl fleet clone --vault \(vault)")
    #expect(try accounts(web) == ["ann"])
    try remove(web, "test.vault", "test.vault.fleet")
    _ = try expect(web, "vaultctl fleet clone", 64)
    #expect(try fleet.clone(web) == 0)
    #expect(try fleet.add("bob", on: web) == 0)
  }

  @Test("the state folder is lost: everything goes on")
  func stateLost() throws {
    let state = web.home.path + "/.local/state/vaultctl"
    try FileManager.default.removeItem(atPath: state)
    #expect(try fleet.add("bob", on: web) == 0)
    _ = try expect(web, "vaultctl fleet sync")
    #expect(try accounts(web) == ["ann", "bob"])
    #expect(FileManager.default.fileExists(atPath: state))
  }

  @Test("a machine's key is lost: it joins with a new one, and is cloned again")
  func machineKeyLost() throws {
    try remove(web, "test.key")
    let vault = web.home.path + "/test.vault"
    _ = try expect(
      web, "vaultctl list", 66)
    let locked = try web.run("vaultctl", "list", environment: ["VAULTCTL_KEY_FILE": nil])
    #expect(locked.status == 36)
    #expect(locked.errors.contains("vaultctl fleet join LINE makes another one"))
    #expect(locked.errors.contains("mv \(vault) \(vault).old, and vaultctl fleet clone"))
    // Who has the old key is out at the same time.
    #expect(try fleet.remove("web") == 0)
    let request = try fleet.join(web, "web")
    #expect(try fleet.admit(request) == 0)
    try FileManager.default.moveItem(atPath: vault, toPath: vault + ".old")
    _ = try expect(web, "vaultctl fleet clone")
    #expect(try fleet.add("bob", on: web) == 0)
    #expect(try fleet.names() == ["admin", "web"])
  }

  @Test("the last admin is lost: a recovery code makes a new key, and machines begin anew")
  func adminLost() throws {
    let code = try expect(fleet.admin, "vaultctl slot add recovery -q").output
    _ = try expect(web, "vaultctl fleet sync")
    try Data(code.utf8).write(to: web.home.appending(path: "code"))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: web.home.path + "/code")
    let request = try fleet.join(Sandbox(), "late")
    let refused = try web.run(
      "vaultctl", "fleet", "admit", request.line, "--fingerprint", request.print)
    #expect(refused.status == 64)
    let way = "rekey with a key that is no machine's ends them all"
    let without = try web.run(
      "vaultctl", "fleet", "admit", request.line, "--fingerprint", request.print,
      environment: ["VAULTCTL_KEY_FILE": nil])
    #expect(without.errors.contains(way) && refused.errors.contains(way))
    try remove(fleet.admin, "test.key")
    let rekeyed = try expect(
      web,
      "vaultctl rekey --recovery-file code --keep-recovery-file code --remove-slot 1"
        + " --remove-slot 17 --remove-slot 18")
    #expect(rekeyed.output.contains("epoch"))
    // A machine's key is its key in the new fleet, too.
    let begun = try web.run(
      "vaultctl", "fleet", "begin", "--name", "web", "--recovery-file", "code", "--new-key-file",
      "test.key")
    #expect(begun.status == 0, "\(begun.errors)")
    #expect(try fleet.add("bob", on: web) == 0)
    // The others move the replica away, join and clone.
    let line = try #require(begun.lines.first { $0.hasPrefix("vltadmn1-") })
    let print = try #require(begun.lines.first { $0.hasPrefix("fingerprint: ") }).dropFirst(13)
    let joined = try fleet.admin.run(
      "vaultctl", "fleet", "join", line, "--fingerprint", String(print), "--name", "other")
    #expect(joined.status == 0, "\(joined.errors)")
    let admitted = try web.run(
      "vaultctl", "fleet", "admit", joined.lines[1], "--fingerprint",
      String(joined.lines[2].dropFirst(13)), "--admin")
    #expect(admitted.status == 0, "\(admitted.errors)")
    _ = try expect(fleet.admin, "mv test.vault test.vault.old")
    _ = try expect(fleet.admin, "vaultctl fleet clone")
    #expect(try accounts(fleet.admin) == ["ann", "bob"])
  }

  @Test("a removed machine is out, also if its role is granted again")
  func removedAgain() throws {
    let role = try fleet.role()
    let (builder, request) = try fleet.machine("builder")
    let file = builder.home.appending(path: "test.vault.fleet")
    try Data("server = \(fleet.server.address(fleet.database, user: role))\n".utf8).write(to: file)
    try #require(fleet.remove("builder") == 0)
    _ = try expect(fleet.admin, "vaultctl fleet revoke \(role)")
    _ = try expect(builder, "vaultctl fleet sync", 78)
    _ = try expect(fleet.admin, "vaultctl fleet grant \(role)")
    for action in ["sync", "status"] {
      _ = try expect(builder, "vaultctl fleet \(action)", 36)
    }
    #expect(try fleet.add("x", on: builder) == 36)
    #expect(try accounts(builder) == ["ann"])
    // An admin lets it in again, with a new key.
    try remove(builder, "test.key", "test.vault")
    #expect(try fleet.admit(request) == 0)
  }
}
