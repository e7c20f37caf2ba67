import Foundation
import Glibc
import ProgramTesting
import SecureMemory
import TestTraits
import Testing

/// A fleet whose machines are folders, each used by programs alone.
final class Machines: Sendable {
  let server: PostgresServer
  let database: String
  let sandboxes: [Sandbox]

  /// Makes a vault on the first machine, publishes it, and clones it on the others.
  init(_ count: Int = 2) throws {
    server = try PostgresServer.shared.get()
    database = try server.makeDatabase()
    sandboxes = try (0..<count).map { _ in try Sandbox() }
    let first = sandboxes[0]
    try #require(first.makeVault().status == 0)
    try expect(run(0, "vaultctl", "fleet", "init", server.address(database)), 0)
    for (index, sandbox) in sandboxes.enumerated().dropFirst() {
      try FileManager.default.copyItem(
        at: first.home.appending(path: "test.key"), to: sandbox.home.appending(path: "test.key"))
      try expect(run(index, "vaultctl", "fleet", "clone", server.address(database)), 0)
    }
  }

  func run(_ machine: Int, _ words: String..., input: String = "") throws -> Sandbox.Result {
    try sandboxes[machine].run(words, input: input)
  }

  func expect(
    _ result: Sandbox.Result, _ status: Int32, from location: SourceLocation = #_sourceLocation
  ) throws {
    #expect(result.status == status, "\(result.errors)", sourceLocation: location)
  }

  func add(_ name: String, on machine: Int) throws -> Sandbox.Result {
    try run(
      machine, "vaultctl", "add", "-q", "https://\(name)@\(name).example.com", "--password-stdin",
      input: "one")
  }

  /// Returns what the independent reader finds in a machine's replica, after it verified all of it.
  func independentContents(
    on machine: Int, from location: SourceLocation = #_sourceLocation
  ) throws -> String {
    try Self.independentContents(of: sandboxes[machine], from: location)
  }

  static func independentContents(
    of sandbox: Sandbox, from location: SourceLocation = #_sourceLocation
  ) throws -> String {
    let reader = Project.root.appending(path: "Tests/Contract/Golden/vaultformat.py").path
    let result = try sandbox.run(
      "python3", "-B", reader, "open", "test.vault", "--key-file", "test.key", "--json")
    #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
    return result.output
  }

  func accounts(on machine: Int) throws -> [String] {
    try run(machine, "vaultctl", "list", "--json").output.matches(of: #/"account":"([a-z]+)"/#)
      .map { String($0.1) }.sorted()
  }
}

@Suite("vaultctl-fleet", .waiting)
struct ProgramTests {
  @Test("vaultctl writes to a replica by vaultctl-fleet, and finds without it")
  func writing() throws {
    let fleet = try Machines()
    try fleet.expect(fleet.add("ann", on: 0), 0)
    try fleet.expect(fleet.add("bob", on: 1), 0)
    // What the first one added came with the write.
    try fleet.expect(fleet.run(1, "vaultctl", "find", "-w", "ann.example.com"), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "find", "-w", "bob.example.com"), 44)
    let words = try (0...1).map { machine in
      try fleet.run(machine, "vaultctl", "fleet", "head").output.split(separator: " ").last
    }
    #expect(words[0] != words[1])
    let sync = try fleet.run(0, "vaultctl", "fleet", "sync")
    #expect(sync.output == "generation 4, before 3\n")
    try fleet.expect(fleet.run(0, "vaultctl", "find", "-w", "bob.example.com"), 0)
    let heads = try (0...1).map { try fleet.run($0, "vaultctl", "fleet", "head").output }
    #expect(heads[0] == heads[1])
    let status = try fleet.run(1, "vaultctl", "fleet", "status", "--json")
    #expect(status.output.hasPrefix(#"{"ok":true,"generation":4,"server_generation":4,"#))
  }

  @Test("a lookup asks the server first if it is to be fresh, or the replica is too old")
  func fresh() throws {
    let fleet = try Machines()
    try fleet.expect(fleet.add("ann", on: 0), 0)
    // It has just been compared, by nobody's request.
    try fleet.expect(fleet.run(1, "vaultctl", "fleet", "sync"), 0)
    try fleet.expect(fleet.add("bob", on: 0), 0)
    let words = ["vaultctl", "find", "-q", "-w", "bob.example.com"]
    func find(_ options: String...) throws -> Int32 {
      try fleet.sandboxes[1].run(words + options).status
    }
    #expect(try find() == 44)
    #expect(try find("--max-age", "1h") == 44)
    #expect(try find("--fresh") == 0)
    try fleet.expect(fleet.add("eve", on: 0), 0)
    let file = fleet.sandboxes[1].home.appending(path: "test.vault.fleet")
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3700)], ofItemAtPath: file.path)
    try fleet.expect(
      fleet.run(1, "vaultctl", "find", "-w", "eve.example.com", "--max-age", "2h"), 44)
    try fleet.expect(
      fleet.run(1, "vaultctl", "find", "-w", "eve.example.com", "--max-age", "1h"), 0)
    // Without the server, what is fresh cannot be known.
    try Data("server = host=/nowhere\n".utf8).write(to: file)
    #expect(try find("--fresh") == 69)
    #expect(try find("--max-age", "1h") == 0)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -3700)], ofItemAtPath: file.path)
    #expect(try find("--max-age", "1h") == 69)
    #expect(try find("--max-age", "soon") == 64)
    // Another vault is always fresh.
    let plain = try Sandbox()
    try #require(plain.makeVault().status == 0)
    #expect(try plain.run(words + ["--fresh"]).status == 44)
  }

  @Test("every command that reads items can ask the server first")
  func freshCommands() throws {
    let fleet = try Machines()
    for (number, call) in [
      "list HOST WHEN", "search HOST WHEN", "show HOST WHEN", "explain HOST WHEN",
      "history HOST WHEN", "export json -s HOST WHEN", "exec --env A=HOST WHEN printenv A",
      "inject WHEN",
    ].enumerated() {
      let name = "item\(number)"
      try fleet.expect(fleet.add(name, on: 0), 0)
      func run(_ options: String) throws -> Sandbox.Result {
        let words = call.replacing("HOST", with: "\(name).example.com")
          .replacing("WHEN", with: options).split(separator: " ")
        return try fleet.sandboxes[1].run(
          ["vaultctl"] + words.map(String.init), input: #"{{ vault "\#(name).example.com" }}"#)
      }
      let (stale, fresh) = (try run("--max-age 1h"), try run("--fresh"))
      #expect(fresh.status == 0, "\(call): \(fresh.errors)")
      // What has no answer says so, or shows nothing.
      #expect(stale.status != 0 || stale.output != fresh.output, "\(call): \(stale.output)")
    }
  }

  @Test("Git's helper writes to a replica, too")
  func git() throws {
    let fleet = try Machines()
    let stored = try fleet.run(
      1, "git-credential-vaultctl", "store",
      input: "protocol=https\nhost=git.example.com\nusername=ann\npassword=one\n\n")
    try fleet.expect(stored, 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    let found = try fleet.run(
      0, "git-credential-vaultctl", "get", input: "protocol=https\nhost=git.example.com\n\n")
    #expect(found.lines.contains("password=one"))
  }

  @Test("Docker's helper stores and erases on a replica")
  func docker() throws {
    let fleet = try Machines()
    func docker(_ machine: Int, _ action: String, _ input: String) throws -> Sandbox.Result {
      try fleet.run(machine, "docker-credential-vaultctl", action, input: input)
    }
    let login = #"{"ServerURL":"registry.example.com","Username":"ann","Secret":"one"}"#
    try fleet.expect(docker(1, "store", login), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try docker(0, "get", "registry.example.com").output.contains(#""Secret":"one""#))
    try fleet.expect(docker(0, "erase", "registry.example.com"), 0)
    try fleet.expect(fleet.run(1, "vaultctl", "fleet", "sync"), 0)
    #expect(try docker(1, "get", "registry.example.com").status != 0)
    #expect(try fleet.accounts(on: 1) == [])
  }

  @Test("vaultctl purge removes what has expired, on a replica for all")
  func purge() throws {
    let fleet = try Machines()
    let old = try fleet.run(
      0, "vaultctl", "add", "-q", "https://ann@old.example.com", "--password-stdin", "--expires",
      "2001-01-01", input: "one")
    try fleet.expect(old, 0)
    try fleet.expect(fleet.add("bob", on: 0), 0)
    try fleet.expect(fleet.run(1, "vaultctl", "purge"), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try fleet.accounts(on: 0) == ["bob"] && fleet.accounts(on: 1) == ["bob"])
  }

  @Test("an answer says when the replica was compared with its server, which only that changes")
  func lastSync() throws {
    let fleet = try Machines()
    let file = fleet.sandboxes[1].home.appending(path: "test.vault.fleet")
    let old = Date(timeIntervalSince1970: 1_700_000_000)
    func set() throws {
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: file.path)
    }
    func read() throws -> [Substring] {
      try ["list", "find", "info"].compactMap { command in
        try fleet.run(1, "vaultctl", command, "--json").output
          .firstMatch(of: #/"last_sync":"([^"]+)"/#)?.1
      }
    }
    try fleet.expect(fleet.add("ann", on: 1), 0)
    try set()
    #expect(try read() == Array(repeating: "2023-11-14T22:13:20Z", count: 3))
    #expect(
      try fleet.run(1, "vaultctl", "info").lines.contains("last sync: 2023-11-14T22:13:20Z"))
    // Another server has another vault of this id.
    let fork = "\(fleet.database)_fork"
    try fleet.server.sql(
      """
      SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
      WHERE datname = '\(fleet.database)'
      """, in: "postgres")
    try fleet.server.sql("CREATE DATABASE \(fork) TEMPLATE \(fleet.database)", in: "postgres")
    try fleet.server.sql(
      "UPDATE credential_vault.vault SET head = set_byte(head, 40, get_byte(head, 40) # 1)",
      in: fork)
    let failed = try fleet.run(1, "vaultctl", "fleet", "init", fleet.server.address(fork))
    #expect(failed.status != 0)
    #expect(try read() == Array(repeating: "2023-11-14T22:13:20Z", count: 3))
    try fleet.expect(
      fleet.run(1, "vaultctl", "find", "-w", "ann.example.com", "--max-age", "1h"), 0)
    let now = try read()
    #expect(now.allSatisfy { $0 > "2024" } && Set(now).count == 1)
    // A vault of one machine has no such time.
    let plain = try Sandbox()
    try #require(plain.makeVault().status == 0)
    #expect(try !plain.run("vaultctl", "list", "--json").output.contains("last_sync"))
    #expect(try !plain.run("vaultctl", "info").output.contains("last sync"))
  }

  @Test("a replica that does not know its server is not written, and the file stays as it was")
  func withoutServer() throws {
    let fleet = try Machines()
    let home = fleet.sandboxes[1].home
    let before = try Data(contentsOf: home.appending(path: "test.vault"))
    try FileManager.default.moveItem(
      at: home.appending(path: "test.vault.fleet"), to: home.appending(path: "aside"))
    let refused = try fleet.add("late", on: 1)
    try fleet.expect(refused, 78)
    #expect(refused.errors.contains("test.vault.fleet is missing"))
    #expect(try Data(contentsOf: home.appending(path: "test.vault")) == before)
    try fleet.expect(fleet.run(1, "vaultctl", "compact"), 0)
  }

  @Test("every program writes a replica as it writes a vault")
  func everyProgram() throws {
    let fleet = try Machines()
    let calls = [
      """
      openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout k -out c \
        -subj /CN=a 2>/dev/null && vaultctl identity import c k
      """,
      "printf 'protocol=https\\nhost=git.example\\nusername=ann\\npassword=a\\n\\n' | vaultctl git-credential store",
      #"echo '{"ServerURL":"r.example","Username":"ann","Secret":"a"}' | vaultctl docker-credential store"#,
      "vaultctl trust add https://t.example --pin sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ]
    for call in calls { try fleet.expect(fleet.run(0, "sh", "-c", call), 0) }
    try fleet.expect(fleet.run(1, "vaultctl", "fleet", "sync"), 0)
    let names = try fleet.run(1, "vaultctl", "list", "--json").output
    for name in ["git.example", "r.example"] { #expect(names.contains(name)) }
    let identities = try fleet.run(1, "vaultctl", "identity", "list", "--json").output
    #expect(identities.contains(#""subject":"CN=a""#))
    #expect(try fleet.run(1, "vaultctl", "trust", "list").output.contains("t.example"))
  }

  @Test("a role reads and writes the vaults that it was granted, until it is revoked")
  func roles() throws {
    let fleet = try Machines()
    let role = "machine_\(UUID().uuidString.prefix(8).lowercased())"
    try fleet.server.sql("CREATE ROLE \(role) LOGIN", in: fleet.database)
    let address = fleet.server.address(fleet.database, user: role)
    let file = fleet.sandboxes[1].home.appending(path: "test.vault.fleet")
    try Data("server = \(address)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    try fleet.expect(fleet.add("early", on: 1), 78)
    // It does not go on trying.
    try fleet.expect(fleet.run(1, "vaultctl", "fleet", "sync", "--watch"), 78)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "grant", role), 0)
    try fleet.expect(fleet.add("mine", on: 1), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    #expect(try fleet.accounts(on: 0) == ["mine"])
    // It grants nothing itself, and sees no other role.
    try fleet.expect(fleet.run(1, "vaultctl", "fleet", "grant", "postgres"), 78)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "revoke", role), 0)
    try fleet.expect(fleet.add("late", on: 1), 78)
    try fleet.expect(fleet.run(1, "vaultctl", "find", "-w", "mine.example.com"), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "revoke", role), 44)
  }

  @Test("a program that stays gets each change when it is written")
  func watching() throws {
    let fleet = try Machines()
    let sandbox = fleet.sandboxes[1]
    let output = sandbox.home.appending(path: "watched")
    try Data().write(to: output)
    let file = try FileHandle(forWritingTo: output)
    let program = try withExtendedLifetime(file) {
      try RunningProgram(
        ["vaultctl", "fleet", "sync", "--watch"], environment: sandbox.environment,
        folder: sandbox.home.path, input: FileHandle.nullDevice.fileDescriptor,
        output: file.fileDescriptor, errors: file.fileDescriptor)
    }
    func wait(for text: String) throws {
      for _ in 0..<6000 {
        if try String(contentsOf: output, encoding: .utf8).contains(text) { return }
        try #require(try program.isRunning)
        // No descriptor to wait for, only the time.
        _ = poll(nil, 0, 20)
      }
      Issue.record("\(text) did not come")
    }
    try fleet.expect(fleet.add("ann", on: 0), 0)
    try wait(for: "generation 3, before 2\n")
    try fleet.expect(fleet.add("bob", on: 0), 0)
    try wait(for: "generation 4, before 3\n")
    #expect(try fleet.accounts(on: 1) == ["ann", "bob"])
    // The connection that is lost is made again.
    try fleet.server.sql(
      """
      SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
      WHERE datname = '\(fleet.database)' AND pid <> pg_backend_pid()
      """, in: "postgres")
    try fleet.expect(fleet.add("eve", on: 0), 0)
    try wait(for: "generation 5, before 4\n")
    program.terminate()
    #expect(try program.wait() == 128 + SIGTERM)
  }

  @Test("what only reads a replica needs no program of the server")
  func reading() throws {
    let fleet = try Machines()
    try fleet.expect(fleet.add("ann", on: 0), 0)
    // A copy of vaultctl alone.
    let sandbox = fleet.sandboxes[0]
    let alone = sandbox.folder.appending(path: "alone/bin").path
    let copied = try sandbox.run(
      "sh", "-c", "mkdir -p \"$0\" && cp \"$(readlink -f \"$(command -v vaultctl)\")\" \"$0\"",
      alone)
    try fleet.expect(copied, 0)
    let calls = [
      "log", "history ann.example.com", "trash list", "trash", "slot list", "slot test",
      "policy list", "policy explain https://a.example.com", "default show", "default",
      "git-credential capability", "docker-credential list", "fleet machines", "fleet head",
    ]
    for call in calls {
      let words = ["\(alone)/vaultctl"] + call.split(separator: " ").map(String.init)
      try fleet.expect(sandbox.run(words), 0)
    }
    for call in [
      "log --keep 9", "trash --keep 9", "trash empty -y", "slot rename 1 a", "fleet begin",
    ] {
      let words = ["\(alone)/vaultctl"] + call.split(separator: " ").map(String.init)
      let refused = try sandbox.run(words)
      try fleet.expect(refused, 69)
      #expect(refused.errors.contains("needs vaultctl-fleet"))
    }
  }

  @Test("what a server says while a program connects is not shown")
  func notices() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    // It lets everybody in, and says something before it ends the session.
    let script = """
      import os, socket, struct, subprocess, sys
      listener = socket.create_server(('127.0.0.1', 0))
      program = subprocess.Popen(['vaultctl', 'fleet', 'init',
        'host=127.0.0.1 port=%d user=a dbname=a sslmode=disable gssencmode=disable' % listener.getsockname()[1]])
      client = listener.accept()[0]
      client.recv(4096)
      def message(kind, fields):
        body = b''.join(fields) + b'\\0'
        return kind + struct.pack('!I', len(body) + 4) + body
      client.sendall(b'R' + struct.pack('!II', 8, 0))
      client.sendall(message(b'N', [b'SWARNING\\0', b'C01000\\0', b'Mshown \\x1b[2J\\0']))
      client.sendall(message(b'E', [b'SFATAL\\0', b'C28000\\0', b'Mno such role\\0']))
      client.close()
      sys.exit(program.wait())
      """
    let result = try sandbox.run("python3", "-c", script)
    #expect(result.status == 69)
    #expect(result.errors.contains("no such role"))
    #expect(!result.errors.contains("shown") && !result.output.contains("shown"))
  }

  @Test("a password in an address is a wrong use, and is not repeated")
  func password() throws {
    let sandbox = try Sandbox()
    try #require(sandbox.makeVault().status == 0)
    let result = try sandbox.run("vaultctl", "fleet", "init", "host=a password=hunter2")
    #expect(result.status == 64)
    #expect(!result.errors.contains("hunter2"))
    #expect(!FileManager.default.fileExists(atPath: sandbox.home.path + "/test.vault.fleet"))
  }

  @Test("the independent reader opens every replica")
  func independentReader() throws {
    let fleet = try Machines()
    try fleet.expect(fleet.add("ann", on: 0), 0)
    try fleet.expect(fleet.add("bob", on: 1), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    let contents = try (0...1).map { try fleet.independentContents(on: $0) }
    #expect(contents[0] == contents[1])
    #expect(contents[0].contains("ann.example.com") && contents[0].contains("bob.example.com"))
  }
}

@Suite("programs that are killed while they write to a replica", .waiting)
struct KillTests {
  /// The proxy's treatment of the message at which the program is killed.
  enum Step: Int, CaseIterable, CustomTestStringConvertible {
    case beforeConnecting, beforeLock, withLock, beforeRows, betweenCommits

    var testDescription: String { "\(self)" }

    /// The number of the message, and whether the server gets it.
    var message: (number: Int, action: Proxy.Action) {
      switch self {
      case .beforeConnecting: (1, .hold)
      case .beforeLock: (2, .hold)
      case .withLock: (2, .holdAnswer)
      case .beforeRows: (3, .hold)
      case .betweenCommits: (3, .holdAnswer)
      }
    }

    /// Whether the server stores the change.
    var isStored: Bool { self == .betweenCommits }
  }

  @Test("a clone that is killed leaves the whole replica or none, and can be repeated")
  func killedClone() throws {
    let fleet = try Machines()
    let rows = (0..<2000).map { "n\($0),https://n\($0).example.com,ann,x\n" }
    try fleet.expect(
      fleet.run(
        0, "vaultctl", "import", "-q", "chrome", "-",
        input: "name,url,username,password\n" + rows.joined()), 0)
    let sandbox = try Sandbox()
    let home = sandbox.home
    try FileManager.default.copyItem(
      at: fleet.sandboxes[0].home.appending(path: "test.key"), to: home.appending(path: "test.key"))
    let contents = try fleet.independentContents(on: 0)
    func expectWhole(readsIndependently: Bool) throws {
      let verified = try sandbox.run("vaultctl", "verify")
      #expect(verified.status == 0 && verified.output.contains("items: 2000"), "\(verified)")
      if readsIndependently {
        #expect(try Machines.independentContents(of: sandbox) == contents)
      }
      for name in ["test.vault", "test.vault.fleet"] {
        try FileManager.default.removeItem(at: home.appending(path: name))
      }
    }
    let words = ["vaultctl", "fleet", "clone", "-q", fleet.server.address(fleet.database)]
    for pause in 0..<30 {
      let program = try RunningProgram(
        words, environment: sandbox.environment, folder: home.path,
        input: FileHandle.nullDevice.fileDescriptor, output: STDERR_FILENO, errors: STDERR_FILENO)
      // As long as the whole takes on an idle machine, step by step.
      _ = poll(nil, 0, Int32(3 * pause))
      Glibc.kill(program.identifier, SIGKILL)
      _ = try program.wait()
      let isThere = FileManager.default.fileExists(atPath: home.appending(path: "test.vault").path)
      // The independent reader takes longer than all the rest.
      if isThere { try expectWhole(readsIndependently: pause % 10 == 9) }
    }
    try fleet.expect(sandbox.run(words), 0)
    try expectWhole(readsIndependently: true)
  }

  @Test("kill -9 leaves the old state or the new one, everywhere", arguments: Step.allCases)
  func kill(_ step: Step) throws {
    let fleet = try Machines()
    let isReached = Lock(false)
    let proxy = try Proxy(before: fleet.server.port) { number in
      guard number == step.message.number else { return .pass }
      isReached.withLock { $0 = true }
      return step.message.action
    }
    defer { proxy.close() }
    let sandbox = fleet.sandboxes[1]
    let file = sandbox.home.appending(path: "test.vault.fleet")
    let before = try Data(contentsOf: file)
    try Data(
      "server = \(fleet.server.address(fleet.database, port: proxy.port))\n".utf8
    ).write(to: file)
    let input = Pipe()
    let program = try RunningProgram(
      ["vaultctl", "add", "https://mine@mine.example.com", "--password-stdin"],
      environment: sandbox.environment, folder: sandbox.home.path,
      input: input.fileHandleForReading.fileDescriptor, output: STDERR_FILENO,
      errors: STDERR_FILENO)
    try input.fileHandleForWriting.write(contentsOf: Data("one".utf8))
    try input.fileHandleForWriting.close()
    while !isReached.withLock({ $0 }) {
      try #require(try program.isRunning)
      // No descriptor to wait for, only the time.
      _ = poll(nil, 0, 5)
    }
    if step.isStored {
      // The server has answered when the head is the new one.
      for _ in 0..<1000 {
        let generation = try fleet.server.sql(
          "SELECT generation FROM credential_vault.vault", in: fleet.database)
        if generation == ["3"] { break }
      }
    }
    Glibc.kill(program.identifier, SIGKILL)
    #expect(try program.wait() == 128 + SIGKILL)
    proxy.close()
    try before.write(to: file)
    #expect(try fleet.accounts(on: 1) == [])
    try fleet.expect(fleet.run(1, "vaultctl", "verify"), 0)
    _ = try fleet.independentContents(on: 1)
    // The lock is free, and the next write brings what was stored.
    try fleet.expect(fleet.add("next", on: 1), 0)
    try fleet.expect(fleet.run(0, "vaultctl", "fleet", "sync"), 0)
    let expected = step.isStored ? ["mine", "next"] : ["next"]
    for machine in 0...1 {
      #expect(try fleet.accounts(on: machine) == expected)
      try fleet.expect(fleet.run(machine, "vaultctl", "verify"), 0)
    }
    #expect(try fleet.independentContents(on: 0) == fleet.independentContents(on: 1))
  }
}
