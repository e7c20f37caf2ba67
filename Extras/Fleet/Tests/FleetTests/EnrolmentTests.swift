import Foundation
import ProgramTesting
import TestTraits
import Testing

@Suite("attacks on the enrolment of machines", .waiting)
struct EnrolmentTests {
  @Test("a false fingerprint, a line of another name, or a second time admits nobody")
  func lines() throws {
    let fleet = try Enrolled()
    let (machine, twin) = (try Sandbox(), try Sandbox())
    let request = try fleet.join(machine, "builder")
    let other = try fleet.join(twin, "builder")
    // Somebody sent his own line in place of the machine's.
    #expect(try fleet.admit((other.line, request.print)) == 65)
    #expect(try fleet.names() == ["admin"])
    #expect(try fleet.clone(twin) == 51)
    #expect(try fleet.admit(request) == 0)
    #expect(try fleet.admit(request) == 45)
    #expect(try fleet.admit(other) == 45)
    #expect(try fleet.names() == ["admin", "builder"])
    // In the other direction: a machine does not join another admin than it was told.
    let third = try Sandbox()
    let joined = try third.run(
      "vaultctl", "fleet", "join", fleet.adminLine, "--fingerprint", request.print)
    #expect(joined.status == 65)
    #expect(!FileManager.default.fileExists(atPath: third.home.path + "/test.key"))
  }

  @Test("a line that is sent again after the removal is of use to an admin alone")
  func replayed() throws {
    let fleet = try Enrolled()
    let (builder, request) = try fleet.machine("builder")
    let (web, _) = try fleet.machine("web")
    #expect(try fleet.remove("builder") == 0)
    for machine in [builder, web] { #expect(try fleet.admit(request, on: machine) != 0) }
    #expect(try fleet.names() == ["admin", "web"])
    #expect(try fleet.add("late", on: builder) == 36)
    // The others follow by themselves, and nobody lost anything.
    #expect(try fleet.add("ann", on: web) == 0)
    #expect(try builder.run("vaultctl", "find", "-w", "ann.example.com").status == 44)
    #expect(try fleet.clone(Sandbox()) != 0)
  }

  @Test("a removed machine's commits are refused, also if the server hides the new key from it")
  func hidden() throws {
    let fleet = try Enrolled()
    let (builder, _) = try fleet.machine("builder")
    let (web, _) = try fleet.machine("web")
    let fork = try fleet.fork()
    #expect(try fleet.remove("builder") == 0)
    #expect(try web.run("vaultctl", "fleet", "sync").status == 0)
    try fleet.move(builder, to: fork)
    // It writes on, until its generation is the higher one.
    for name in ["a", "b", "c", "d"] { #expect(try fleet.add(name, on: builder) == 0) }
    for machine in [fleet.admin, web] {
      try fleet.move(machine, to: fork)
      let before = try machine.run("vaultctl", "list", "--json").output
      // What is sealed with the key of before is damaged to whoever has the new one.
      #expect(try machine.run("vaultctl", "fleet", "sync").status == 49)
      #expect(try fleet.add("mine", on: machine) == 49)
      #expect(try machine.run("vaultctl", "list", "--json").output == before)
    }
  }

  @Test("a machine takes no vault whose machines another admin signed, whoever admitted its key")
  func falseAdmin() throws {
    let fleet = try Enrolled()
    let machine = try Sandbox()
    let request = try fleet.join(machine, "builder")
    // A forger makes a vault of his own, admits the machine, and publishes it where it looks.
    let forged = try Enrolled()
    #expect(try forged.admit(request) == 0)
    #expect(try fleet.clone(machine, from: forged.database) == 54)
    #expect(!FileManager.default.fileExists(atPath: machine.home.path + "/test.vault"))
    #expect(try fleet.admit(request) == 0)
    #expect(try fleet.clone(machine) == 0)
    // Nor later.
    try fleet.move(machine, to: forged.database)
    #expect(try machine.run("vaultctl", "fleet", "sync").status != 0)
  }

  @Test("an admin that was removed leads nobody to a key of its own, but who does not know that")
  func removedAdmin() throws {
    let fleet = try Enrolled()
    let second = try Sandbox()
    let request = try fleet.join(second, "second")
    try #require(fleet.admit(request, isAdmin: true) == 0)
    try #require(fleet.clone(second) == 0)
    let (web, _) = try fleet.machine("web")
    let fork = try fleet.fork()
    let removed = try fleet.admin.run("vaultctl", "fleet", "remove", "second", "--remove-slot", "1")
    try #require(removed.status == 0)
    #expect(try web.run("vaultctl", "fleet", "sync").status == 0)
    // The server helps it: there, it makes a key for all but the other admin.
    try fleet.move(second, to: fork)
    let made = try second.run("vaultctl", "fleet", "remove", "admin", "--remove-slot", "1")
    #expect(made.status == 0, "\(made.errors)")
    // The other machine's record says that nothing before the removal is to be believed.
    try fleet.move(web, to: fork)
    #expect(try web.run("vaultctl", "fleet", "sync").status == 54)
    // A machine that joins now takes nothing that the former admin key signed.
    let lines = removed.lines.filter { $0.contains("vltadmn1-") || $0.hasPrefix("fingerprint: ") }
    let line = try #require(lines.first?.split(separator: " ").last)
    let late = try Sandbox()
    let joined = try late.run(
      "vaultctl", "fleet", "join", String(line), "--fingerprint",
      String(try #require(lines.last).dropFirst(13)), "--name", "late")
    try #require(joined.status == 0)
    let asked = (line: joined.lines[1], print: String(joined.lines[2].dropFirst(13)))
    #expect(try fleet.admit(asked, on: second) == 0)
    #expect(try fleet.clone(late, from: fork) == 54)
    #expect(try fleet.admit(asked) == 0)
    #expect(try fleet.clone(late) == 0)
  }

  @Test("all machines are ended by a rekey without one, and begin anew as the page says")
  func anew() throws {
    let server = try PostgresServer.shared.get()
    let address = server.address(try server.makeDatabase())
    let (admin, web) = (try Sandbox(), try Sandbox())
    try #require(admin.makeVault().status == 0)
    try Data("one".utf8).write(to: admin.home.appending(path: "secret"))
    try #require(
      admin.run("vaultctl", "add", "-q", "https://ann@ann.example.com", "--password-file", "secret")
        .status == 0)
    try #require(admin.run("vaultctl", "fleet", "init", address).status == 0)
    /// Makes the admin's machine, and the other one's with a replica.
    func begin() throws -> Int32 {
      let begun = try admin.run("vaultctl", "fleet", "begin", "--name", "admin")
      try #require(begun.status == 0, "\(begun.errors)")
      let joined = try web.run(
        "vaultctl", "fleet", "join", begun.lines[1], "--fingerprint",
        String(begun.lines[2].dropFirst(13)), "--name", "web")
      try #require(joined.status == 0, "\(joined.errors)")
      let admitted = try admin.run(
        "vaultctl", "fleet", "admit", joined.lines[1], "--fingerprint",
        String(joined.lines[2].dropFirst(13)))
      try #require(admitted.status == 0, "\(admitted.errors)")
      let cloned = try web.run("vaultctl", "fleet", "clone", address)
      try #require(cloned.status == 0, "\(cloned.errors)")
      return try web.run("vaultctl", "find", "-w", "ann.example.com").status
    }
    #expect(try begin() == 0)
    let rekeyed = try admin.run(
      "vaultctl", "rekey", "--key-file", "test.key", "--remove-slot", "17", "--remove-slot", "18")
    #expect(rekeyed.status == 0, "\(rekeyed.errors)")
    #expect(try web.run("vaultctl", "fleet", "sync").status != 0)
    let moved = [
      (admin, ".config/vaultctl/machine.key"), (web, "test.key test.vault test.vault.fleet"),
    ]
    for (machine, files) in moved {
      try #require(machine.run("sh", "-c", "mkdir old && mv \(files) old").status == 0)
    }
    #expect(try begin() == 0)
    #expect(try admin.run("vaultctl", "fleet", "machines", "--json").output.contains("web"))
  }

  @Test("a role sees and writes its own vault, and nothing of another one in the same database")
  func rows() throws {
    let first = try Enrolled()
    let second = try Enrolled(database: first.database)
    let fleets = [first, second]
    let roles = try fleets.map { try $0.role() }
    let ids = try fleets.map { try $0.vaultID() }
    #expect(ids[0] != ids[1])
    for (index, role) in roles.enumerated() {
      func ask(_ text: String) throws -> [String] {
        try first.server.sql(text, in: first.database, user: role)
      }
      let (own, other) = (ids[index], "decode('\(ids[1 - index])', 'hex')")
      #expect(try ask("SELECT encode(id, 'hex') FROM credential_vault.vault") == [own])
      #expect(
        try ask("SELECT DISTINCT encode(vault, 'hex') FROM credential_vault.sealed_row") == [own])
      #expect(try ask("SELECT DISTINCT role FROM credential_vault.member") == [role])
      let locking = "SELECT generation FROM credential_vault.vault WHERE id = \(other) FOR UPDATE"
      #expect(try ask(locking) == [])
      let new = "decode(repeat('00', 16), 'hex')"
      for change in [
        "INSERT INTO credential_vault.sealed_row VALUES (\(other), 2, 77, '', 1)",
        "INSERT INTO credential_vault.sealed_row VALUES (\(new), 2, 77, '', 1)",
        "INSERT INTO credential_vault.vault VALUES (\(new), '', '', 1)",
        "INSERT INTO credential_vault.member VALUES (\(other), '\(role)')",
        "DELETE FROM credential_vault.sealed_row", "DELETE FROM credential_vault.vault",
        "UPDATE credential_vault.sealed_row SET vault = \(other)",
        "UPDATE credential_vault.sealed_row SET vault = \(other), id = id + 1000",
        "UPDATE credential_vault.vault SET id = \(other)",
        "UPDATE credential_vault.vault SET id = \(new)",
      ] {
        #expect(throws: (any Error).self, "\(change)") { _ = try ask(change) }
      }
      // What names the other vault finds no row of it.
      _ = try ask("UPDATE credential_vault.vault SET generation = 1 WHERE id = \(other)")
    }
    for fleet in fleets { #expect(try fleet.admin.run("vaultctl", "fleet", "sync").status == 0) }
  }

  @Test("a role that was granted two vaults uses both, each by its own id")
  func memberOfBoth() throws {
    let first = try Enrolled()
    let second = try Enrolled(database: first.database)
    let role = try first.role()
    #expect(try second.admin.run("vaultctl", "fleet", "grant", role).status == 0)
    let address = first.server.address(first.database, user: role)
    for (fleet, other) in [(first, second), (second, first)] {
      let machine = try Sandbox()
      #expect(try fleet.admit(fleet.join(machine, "builder")) == 0)
      #expect(try machine.run("vaultctl", "fleet", "clone", address).status == 64)
      // The other vault does not open with the machine's key.
      let foreign = try machine.run("vaultctl", "fleet", "clone", address, other.vaultID())
      #expect(foreign.status == 51)
      let own = try machine.run("vaultctl", "fleet", "clone", address, fleet.vaultID())
      #expect(own.status == 0, "\(own.errors)")
      #expect(try fleet.add("ann", on: machine) == 0)
      #expect(try fleet.admin.run("vaultctl", "fleet", "sync").status == 0)
      #expect(try fleet.admin.run("vaultctl", "find", "-w", "ann.example.com").output == "one\n")
    }
    // Without one of them, it has the other.
    #expect(try first.admin.run("vaultctl", "fleet", "revoke", role).status == 0)
    let seen = try first.server.sql(
      "SELECT encode(id, 'hex') FROM credential_vault.vault", in: first.database, user: role)
    #expect(try seen == [second.vaultID()])
  }

  @Test("a machine of two admins clones the vault of the one whose fingerprint it names alone")
  func namedAdmin() throws {
    let first = try Enrolled()
    let second = try Enrolled(database: first.database)
    let machine = try Sandbox()
    for fleet in [first, second] {
      let request = try fleet.join(machine, "builder")
      #expect(try fleet.admit(request) == 0)
    }
    func clone(_ words: String...) throws -> Int32 {
      try machine.run(
        ["vaultctl", "fleet", "clone", first.server.address(first.database)] + words
      ).status
    }
    let (id, print) = (try second.vaultID(), second.adminPrint)
    // What the server shows under this id has machines of another admin.
    #expect(try clone(id, "--fingerprint", first.adminPrint) == 54)
    #expect(try clone(id, "--fingerprint", "12345") == 65)
    #expect(try clone("--all", "--fingerprint", print) == 64)
    #expect(try machine.run("ls").lines == ["test.key"])
    #expect(try clone(id, "--fingerprint", print.replacing(" ", with: "")) == 0)
    #expect(try machine.run("vaultctl", "fleet", "sync").status == 0)
  }

  @Test("a passphrase is changed on a machine, whose key signs the commit")
  func passphrase() throws {
    let fleet = try Enrolled()
    let script = """
      set -eu
      cd "$HOME"
      umask 077
      printf one >one
      printf two >two
      vaultctl slot add passphrase --new-passphrase-file one --kdf 1:8
      vaultctl passwd --passphrase-file one --new-passphrase-file two --kdf 1:8
      VAULTCTL_KEY_FILE= vaultctl list --passphrase-file two
      """
    let changed = try fleet.admin.run("sh", "-c", script)
    #expect(changed.status == 0, "\(changed.errors)")
  }
}
