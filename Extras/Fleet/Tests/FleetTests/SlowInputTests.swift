import Foundation
import Glibc
import ProgramTesting
import TestSupport
import TestTraits
import Testing
import VaultAdministration
import VaultFleet
import VaultModel

@Suite("changes that take long on their machine", .waiting)
struct SlowInputTests {
  @Test("what a slow program sends to an import is read before the server's lock is taken")
  func pipe() throws {
    let fleet = try Machines()
    let input = Pipe()
    let sandbox = fleet.sandboxes[0]
    let writing = input.fileHandleForWriting
    let program = try withExtendedLifetime(input) {
      try RunningProgram(
        ["vaultctl", "import", "-q", "chrome", "-"], environment: sandbox.environment,
        folder: sandbox.home.path, input: input.fileHandleForReading.fileDescriptor,
        output: STDERR_FILENO, errors: STDERR_FILENO)
    }
    // More than is read at once.
    let note = String(repeating: "-", count: 60)
    let lines = (0..<4000).map { _ in "a,https://a.example.com/,ann,one,\(note)\n" }
    try writing.write(
      contentsOf: Data("name,url,username,password,note\n\(lines.joined())".utf8))
    // The program has taken what was sent, and waits for more.
    while try !isEmpty(input.fileHandleForReading) {
      try #require(try program.isRunning)
      // No descriptor to wait for, only the time.
      _ = poll(nil, 0, 5)
    }
    let added = try fleet.run(
      1, "vaultctl", "add", "-q", "https://bob@b.example.com", "--password-stdin",
      "--lock-timeout", "1", input: "one")
    try fleet.expect(added, 0)
    #expect(try program.isRunning)
    try writing.write(contentsOf: Data("b,https://c.example.com/,eve,two,\n".utf8))
    try writing.close()
    try input.fileHandleForReading.close()
    #expect(try program.wait() == 0)
    #expect(try fleet.accounts(on: 0) == ["ann", "bob", "eve"])
  }

  /// Returns whether nothing is in a pipe.
  private func isEmpty(_ pipe: FileHandle) throws -> Bool {
    var count: Int32 = 0
    // The number is ours, and as long as the call writes.
    guard unsafe ioctl(pipe.fileDescriptor, UInt(FIONREAD), &count) == 0 else {
      throw POSIXError(.EBADF)
    }
    return count == 0
  }

  /// Makes a replica whose lock the server ends after 2 s of silence: longer than a busy machine
  /// stops a program.
  private func impatient(_ fleet: Replicas) throws -> Replica {
    let store = try fleet.clone("1")
    try VaultReplica(store.vault).join(
      PostgresArbiter(fleet.address, vault: store.id(), idleLimit: .seconds(2)))
    return store
  }

  @Test("a change that takes longer than the lock stays says so, and nothing of it is stored")
  func computing() throws {
    let fleet = try Replicas()
    let store = try impatient(fleet)
    let before = try fleet.serverRows()
    let query = """
      SELECT pid FROM pg_stat_activity
      WHERE datname = '\(fleet.database)' AND xact_start IS NOT NULL
      """
    let error = #expect(throws: VaultError(.unavailable, "")) {
      try store.write { (writer) throws(VaultError) in
        try writer.add(Replicas.item("late"))
        // Until the server has ended it, and for longer than the lock stays by this machine's
        // clock, which may begin later than the server's.
        while (try? fleet.server.sql(query, in: "postgres").isEmpty) != true { usleep(10_000) }
        usleep(2_200_000)
      }
    }
    #expect(error?.context.contains("longer under the server's lock than the 2.0 s") == true)
    #expect(try fleet.serverRows() == before)
    // Another machine is not as impatient.
    _ = try fleet.first.add(Replicas.item("later"))
    _ = try store.sync()
    #expect(try Replicas.accounts(store).count == 4)
  }

  @Test("a rekey that goes on keeps the server's lock, however long it takes")
  func rekeying() throws {
    let fleet = try Replicas(items: 200)
    let query = """
      SELECT state_change FROM pg_stat_activity
      WHERE datname = '\(fleet.database)' AND xact_start IS NOT NULL
        AND backend_type = 'client backend'
      """
    var contacts: [[String]] = []
    _ = try fleet.first.rekey(keeping: [fleet.key]) { (_) throws(VaultError) in
      guard contacts.count < 2 else { return }
      contacts.append((try? fleet.server.sql(query, in: "postgres")) ?? [])
      // More than a quarter of what the server allows.
      if contacts.count == 1 { usleep(2_100_000) }
    }
    #expect(contacts.count == 2 && contacts[0].count == 1 && contacts[1].count == 1)
    #expect(contacts.first != contacts.last)
    #expect(try fleet.rows(fleet.first) == fleet.serverRows())
  }

  @Test("a rekey that stopped for too long ends when it goes on, and nothing of it is stored")
  func stoppedRekey() throws {
    let fleet = try Replicas(items: 200)
    let store = try impatient(fleet)
    let before = try fleet.serverRows()
    let query = """
      SELECT pid FROM pg_stat_activity
      WHERE datname = '\(fleet.database)' AND xact_start IS NOT NULL
      """
    var shares: [Double] = []
    let error = #expect(throws: VaultError(.unavailable, "")) {
      try store.rekey(keeping: [fleet.key]) { (share) throws(VaultError) in
        shares.append(share)
        // Until the server has ended it, and for longer than the lock stays by this machine's
        // clock, which may begin later than the server's.
        while (try? fleet.server.sql(query, in: "postgres").isEmpty) != true { usleep(10_000) }
        usleep(2_200_000)
      }
    }
    #expect(error?.context.contains("longer under the server's lock than the 2.0 s") == true)
    #expect(shares.count == 1)
    #expect(try fleet.serverRows() == before)
    #expect(try fleet.rows(store) == before)
  }
}
