import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("a change that the server has, and its replica not yet", .waiting)
struct UnansweredTests {
  /// Starts a proxy that ends a commit in some way, and lets others write before the writer is
  /// connected again.
  private func proxy(
    of fleet: Replicas, others count: Int, commitEnds fate: Proxy.Action
  ) throws -> Proxy {
    let first = fleet.first
    return try Proxy(before: fleet.server.port) { number in
      if number == 4 {
        do {
          for other in 0..<count { _ = try first.add(Replicas.item("other\(other)")) }
        } catch {
          return .drop
        }
      }
      return number == 3 ? fate : .pass
    }
  }

  @Test("a lost answer is found, however many others have written since", arguments: [1, 70, 200])
  func others(_ count: Int) throws {
    let fleet = try Replicas()
    let proxy = try proxy(of: fleet, others: count, commitEnds: .cutAnswer)
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy, lockTimeout: .seconds(600))
    _ = try store.add(Replicas.item("mine"))
    #expect(try Replicas.accounts(store, syncing: false).count == 4 + count)
    #expect(try fleet.rows(store) == fleet.serverRows())
  }

  @Test(
    "over a slow line a commit works, and one that is cut at any message is stored or not",
    arguments: [Proxy.Action.pass, .drop, .cutAnswer])
  func slow(_ fate: Proxy.Action) throws {
    for message in 1...3 {
      let fleet = try Replicas()
      let proxy = try Proxy(before: fleet.server.port, delay: .milliseconds(30)) {
        $0 == message ? fate : .pass
      }
      defer { proxy.close() }
      let store = try fleet.clone("1", behind: proxy)
      var isStored = true
      do {
        _ = try store.add(Replicas.item("mine"))
      } catch {
        isStored = false
        #expect(error.code == .unavailable)
      }
      #expect(isStored == (fate == .pass || message == 3 && fate == .cutAnswer))
      _ = try store.add(Replicas.item("again"))
      #expect(try Replicas.accounts(fleet.first).count == (isStored ? 5 : 4))
      #expect(try fleet.rows(store) == fleet.serverRows())
    }
  }

  @Test("a change that was not stored is not found among those of others", arguments: [1, 70])
  func lost(_ count: Int) throws {
    let fleet = try Replicas()
    let proxy = try proxy(of: fleet, others: count, commitEnds: .drop)
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy, lockTimeout: .seconds(600))
    #expect(throws: VaultError(.unavailable, "")) { try store.add(Replicas.item("mine")) }
    _ = try store.add(Replicas.item("again"))
    #expect(try Replicas.accounts(store).count == 4 + count)
    #expect(try fleet.rows(store) == fleet.serverRows())
  }

  @Test("a rekey whose answer is lost is followed by the machine that made it, without a key file")
  func rekey() throws {
    let fleet = try Replicas()
    let proxy = try Proxy(before: fleet.server.port) { $0 == 3 ? .cutAnswer : .pass }
    defer { proxy.close() }
    try fleet.clone("1", behind: proxy).close()
    // A text of a key file is not read again.
    let store = try fleet.open("1", key: .keyText(fleet.key.textOfKeyFile()))
    _ = try store.rekey(keeping: [fleet.key])
    #expect(proxy.messages > 3)
    #expect(try Replicas.accounts(store).count == 3)
    #expect(try fleet.rows(store) == fleet.serverRows())
  }

  @Test("while the outcome is looked up, other processes can write to the file")
  func unlockedFile() throws {
    let fleet = try Replicas()
    let path = fleet.folder.file("1.vault")
    let result = Lock("")
    let proxy = try Proxy(before: fleet.server.port) { number in
      if number == 4 {
        result.withLock { $0 = Self.execute("BEGIN IMMEDIATE", on: path) }
      }
      return number == 3 ? .cutAnswer : .pass
    }
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy)
    _ = try store.add(Replicas.item("mine"))
    #expect(result.withLock { $0 } == "done\n")
  }

  /// Executes a statement in another process, without waiting for locks, and returns what it says.
  private static func execute(_ statement: String, on path: String) -> String {
    let script = """
      import sqlite3, sys
      c = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
      c.execute(sys.argv[2]).fetchall()
      print('done')
      """
    let (program, pipe) = (Process(), Pipe())
    program.executableURL = URL(filePath: "/usr/bin/python3")
    program.arguments = ["-c", script, path, statement]
    program.standardOutput = pipe
    program.standardError = FileHandle.nullDevice
    do {
      try program.run()
      let bytes = try pipe.fileHandleForReading.readToEnd() ?? Data()
      program.waitUntilExit()
      return String(decoding: bytes, as: UTF8.self)
    } catch {
      return "\(error)"
    }
  }

  @Test("a replica that cannot be written then says that the server has the change")
  func busyReader() throws {
    let fleet = try Replicas()
    try fleet.clone("1").close()
    let store = try fleet.open("1", lockTimeout: .milliseconds(200))
    // Another process reads, and does not end.
    let script = """
      import os, sqlite3, sys
      c = sqlite3.connect('file:' + sys.argv[1] + '?mode=ro', uri=True, isolation_level=None)
      c.execute('BEGIN')
      c.execute('SELECT head FROM vault').fetchall()
      os.write(1, b'reading\\n')
      sys.stdin.read()
      """
    let (reader, input, output) = (Process(), Pipe(), Pipe())
    reader.executableURL = URL(filePath: "/usr/bin/python3")
    reader.arguments = ["-c", script, store.path]
    reader.standardInput = input
    reader.standardOutput = output
    try reader.run()
    #expect(output.fileHandleForReading.availableData == Data("reading\n".utf8))
    let error = #expect(throws: VaultError.self) { try store.add(Replicas.item("mine")) }
    #expect(error?.code == .outcomeUnknown)
    #expect(error?.context.contains("the fleet's server has the change") == true)
    try input.fileHandleForWriting.close()
    reader.waitUntilExit()
    #expect(try Replicas.accounts(store).count == 4)
    #expect(try fleet.rows(store) == fleet.serverRows())
  }

  @Test("a large write that waits for the server keeps no reader out")
  func largeWrite() async throws {
    let fleet = try Replicas()
    let proxy = try Proxy(before: fleet.server.port) { $0 >= 3 ? .hold : .pass }
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy, lockTimeout: .seconds(20))
    let before = try fleet.rows(store)
    let writing = Task {
      try await inThread {
        try store.write { (writer) throws(VaultError) in
          for number in 0..<80 {
            try writer.add(
              Replicas.item("l\(number)", secret: String(repeating: "x", count: 100_000)))
          }
        }
      }
    }
    while proxy.messages < 3 { try await Task.sleep(for: .milliseconds(10)) }
    let reading = Self.execute("SELECT head FROM vault", on: store.path)
    proxy.close()
    #expect(reading == "done\n")
    await #expect(throws: VaultError.self) { try await writing.value }
    #expect(try fleet.rows(store) == before)
  }
}
