import CredentialVault
import Foundation
import Glibc
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultAdministration
import VaultFleet
import VaultModel

@Suite("a publication that is interrupted can be repeated, and forks nothing", .waiting)
struct PublishingTests {
  /// Publishes a vault through a proxy that fails from a message on.
  ///
  /// - Returns: Whether it was interrupted.
  private func publish(
    _ fleet: Replicas, _ store: Replica? = nil, failingAt message: Int, _ action: Proxy.Action
  ) throws -> Bool {
    let proxy = try Proxy(before: fleet.server.port) { number in
      number < message ? .pass : number == message ? action : .drop
    }
    defer { proxy.close() }
    do {
      try Fleet.publish(
        (store ?? fleet.first).vault,
        to: ServerAddress(fleet.server.address(fleet.database, port: proxy.port)),
        lockTimeout: .seconds(10))
    } catch {
      #expect([.unavailable, .outcomeUnknown].contains(error.code))
      return true
    }
    return false
  }

  @Test("at each message, before it reaches the server and after it", arguments: [false, true])
  func interrupted(isPassedOn: Bool) throws {
    var message = 1
    while true {
      let fleet = try Replicas(publishes: false)
      guard try publish(fleet, failingAt: message, isPassedOn ? .cutAnswer : .drop) else { break }
      let place = FleetFile(besides: fleet.first.path).path
      // Nobody can tell from here whether the server has the vault, so the file must not go on.
      if FileManager.default.fileExists(atPath: place) {
        #expect(throws: VaultError(.unavailable, "")) {
          try fleet.first.add(Replicas.item("mine"))
        }
      } else {
        _ = try fleet.first.add(Replicas.item("mine"))
      }
      #expect(try Replicas.accounts(fleet.first, syncing: false).count >= 3)
      try fleet.server.awaitEnd(of: fleet.database)
      try fleet.publish(fleet.first)
      _ = try fleet.first.add(Replicas.item("later"))
      #expect(try fleet.rows(fleet.first) == fleet.serverRows())
      #expect(try Replicas.accounts(fleet.clone("1")) == Replicas.accounts(fleet.first))
      message += 1
    }
    // It connects twice at least, makes the tables, and publishes in a transaction.
    #expect((6..<25).contains(message))
  }

  @Test("a copy that joins is interrupted at each message, and forks nothing")
  func interruptedCopy() throws {
    var (message, kept) = (1, 0)
    while true {
      let fleet = try Replicas(publishes: false)
      _ = try fleet.folder.copy(fleet.first.path, as: "copy.vault")
      try fleet.publish(fleet.first)
      _ = try fleet.first.add(Replicas.item("new"))
      let copy = try fleet.open("copy")
      guard try publish(fleet, copy, failingAt: message, .drop) else { break }
      if FileManager.default.fileExists(atPath: FleetFile(besides: copy.path).path) {
        kept += 1
        #expect(throws: VaultError(.unavailable, "")) { try copy.add(Replicas.item("mine")) }
      }
      try fleet.publish(copy)
      _ = try copy.add(Replicas.item("later"))
      #expect(try fleet.rows(copy) == fleet.serverRows())
      message += 1
    }
    // The server has said that it has the vault when it is asked for the rows.
    #expect(kept > 0 && message < 25)
  }

  @Test("no vault is created where the server's address of another one is left")
  func leftAddress() throws {
    let fleet = try Replicas(publishes: false)
    let path = fleet.folder.file("new.vault")
    try FleetFile(besides: path).write(fleet.address)
    #expect(throws: VaultError(.cannotCreate, "")) {
      _ = try Vault.create(path: path, key: fleet.key)
    }
    // What was interrupted can be repeated.
    try fleet.publish(fleet.first)
    #expect(try Replicas.accounts(fleet.clone("new")).count == 3)
  }

  @Test("a vault that is made at the path of a clone meanwhile is no replica, and is written")
  func madeMeanwhile() throws {
    let fleet = try Replicas()
    var message = 1
    while true {
      let path = fleet.folder.file("new-\(message).vault")
      let isMade = Lock(false)
      let proxy = try Proxy(before: fleet.server.port) { [message, key = fleet.key] number in
        guard number == message else { return .pass }
        // The last message ends the session, when there may be a replica already.
        if let store = try? Vault.create(path: path, key: key) {
          isMade.withLock { $0 = true }
          #expect(throws: Never.self) { try store.close() }
        }
        return .pass
      }
      defer { proxy.close() }
      let address = try ServerAddress(fleet.server.address(fleet.database, port: proxy.port))
      let isTaken = try wasTaken { try fleet.clone("new-\(message)", through: address) }
      #expect(isTaken == isMade.withLock { $0 })
      guard isTaken else { break }
      #expect(!FileManager.default.fileExists(atPath: FleetFile(besides: path).path))
      _ = try fleet.open("new-\(message)").add(Replicas.item("mine"))
      message += 1
    }
    #expect((4..<25).contains(message))
  }

  /// Returns whether a clone found another vault at its path.
  private func wasTaken(_ clone: () throws -> Replica) throws -> Bool {
    do {
      try clone().close()
      return false
    } catch let error as VaultError where error.code == .vaultExists {
      return true
    }
  }

  @Test("a publication waits for another one in the folder, and touches no address before")
  func inTurn() throws {
    let fleet = try Replicas(publishes: false)
    let place = FleetFile(besides: fleet.first.path)
    let vault = fleet.first.vault
    let replica = try VaultReplica(vault)
    try replica.inTurn(timeout: .zero) {
      #expect(throws: VaultError(.busy, "")) {
        try Fleet.publish(vault, to: fleet.address, lockTimeout: .zero)
      }
    }
    #expect(!FileManager.default.fileExists(atPath: place.path))
    // And holds the folder itself while its address may be taken back.
    let seen = Lock((held: 0, free: 0))
    let proxy = try Proxy(before: fleet.server.port) { _ in
      guard FileManager.default.fileExists(atPath: place.path) else { return .pass }
      do throws(VaultError) {
        try replica.inTurn(timeout: .zero) {}
        seen.withLock { $0.free += 1 }
      } catch {
        seen.withLock { $0.held += 1 }
      }
      return .pass
    }
    defer { proxy.close() }
    try Fleet.publish(
      vault, to: ServerAddress(fleet.server.address(fleet.database, port: proxy.port)),
      lockTimeout: .seconds(10))
    let (held, free) = seen.withLock { $0 }
    #expect(held > 0 && free == 0)
  }
}

@Suite("vaultctl fleet init that is killed", .waiting)
struct KilledPublicationTests {
  /// Runs `fleet init` through a proxy, which kills it when it sends a message.
  private func initialize(
    _ machine: Sandbox, _ server: PostgresServer, _ database: String, killedAt message: Int,
    _ action: Proxy.Action
  ) throws -> Int32 {
    let identifier = machine.home.appending(path: "pid")
    let proxy = try Proxy(before: server.port) { number in
      guard number == message else { return .pass }
      let text = FileManager.default.contents(atPath: identifier.path)
      if let text, let pid = Int32(String(decoding: text, as: UTF8.self).dropLast()) {
        kill(pid, SIGKILL)
      }
      return action
    }
    defer { proxy.close() }
    let address = server.address(database, port: proxy.port)
    return try machine.run(
      ["sh", "-c", "echo $$ > ~/pid; exec vaultctl fleet init \"$0\"", address]
    ).status
  }

  @Test("at each message, before it reaches the server and after it", arguments: [false, true])
  func killed(isPassedOn: Bool) throws {
    let server = try PostgresServer.shared.get()
    var message = 1
    while message < 25 {
      let (machine, other) = (try Sandbox(), try Sandbox())
      let database = try server.makeDatabase()
      try #require(machine.makeVault().status == 0)
      func add(_ name: String) throws -> Int32 {
        try machine.run(
          ["vaultctl", "add", "-q", "https://\(name)@\(name).example.com", "--password-stdin"],
          input: "one"
        ).status
      }
      let status = try initialize(
        machine, server, database, killedAt: message, isPassedOn ? .cutAnswer : .drop)
      guard status != 0 else { break }
      #expect(try [0, 69].contains(add("ann")))
      try server.awaitEnd(of: database)
      #expect(
        try machine.run(["vaultctl", "fleet", "init", server.address(database)]).status == 0)
      #expect(try add("bob") == 0)
      try FileManager.default.copyItem(
        at: machine.home.appending(path: "test.key"), to: other.home.appending(path: "test.key"))
      #expect(
        try other.run(["vaultctl", "fleet", "clone", server.address(database)]).status == 0)
      let items = try [machine, other].map { machine in
        // Each has a time of its own before them.
        try machine.run(["vaultctl", "list", "--json"]).output.split(separator: "\"items\"").last
      }
      #expect(items[0] == items[1])
      message += 1
    }
    #expect((6..<25).contains(message))
  }

  @Test("before or after the server has the vault, the file waits for the repetition")
  func waiting() throws {
    for isStored in [false, true] {
      let machine = try Sandbox()
      try #require(machine.makeVault().status == 0)
      let server = try PostgresServer.shared.get()
      let address = server.address(try server.makeDatabase())
      func status(_ words: String...) throws -> Int32 {
        try machine.run(["vaultctl"] + words, input: "one").status
      }
      // A kill leaves the file as it was before, and the server with the vault or without it.
      let file = machine.home.appending(path: "test.vault")
      let plain = try Data(contentsOf: file)
      if isStored {
        try #require(try status("fleet", "init", address) == 0)
        try FileManager.default.removeItem(at: machine.home.appending(path: ".local/state"))
        try plain.write(to: file)
      } else {
        try FleetFile(besides: file.path).write(ServerAddress(address))
      }
      let add = ["add", "-q", "https://ann@a.example.com", "--password-stdin"]
      #expect(try machine.run(["vaultctl"] + add, input: "one").status == 69)
      #expect(try status("slot", "add", "recovery") == 69)
      #expect(try status("list") == 0)
      #expect(try status("fleet", "init", address) == 0)
      #expect(try machine.run(["vaultctl"] + add, input: "one").status == 0)
      #expect(try status("verify") == 0)
    }
  }
}
