import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("connections that end during a write", .waiting)
struct FailureTests {
  /// Opens a replica whose server is behind a proxy.
  private func open(
    _ name: String, of fleet: Replicas, behind proxy: Proxy, lockTimeout: Duration = .seconds(10)
  ) throws -> Replica {
    let store = try fleet.clone(name)
    try store.close()
    try FleetFile(besides: store.path).write(
      ServerAddress(fleet.server.address(fleet.database, port: proxy.port)))
    return try fleet.open(name, lockTimeout: lockTimeout)
  }

  private func expectEqual(_ store: Replica, _ fleet: Replicas, count: Int) throws {
    #expect(try Replicas.accounts(store).count == count)
    #expect(try Replicas.accounts(fleet.first).count == count)
    let rows = try fleet.serverRows()
    #expect(try fleet.rows(store) == rows)
    #expect(try fleet.rows(fleet.first) == rows)
    #expect(try store.problems() == [])
  }

  @Test("a connection that ends before the rows are sent: nothing is stored", arguments: 1...3)
  func dropped(_ message: Int) throws {
    let fleet = try Replicas()
    let proxy = try Proxy(before: fleet.server.port) { $0 == message ? .drop : .pass }
    defer { proxy.close() }
    let store = try open("1", of: fleet, behind: proxy)
    let before = try fleet.rows(store)
    #expect(throws: VaultError(.unavailable, "")) { try store.add(Replicas.item("mine")) }
    #expect(try fleet.rows(store) == before)
    #expect(try fleet.serverRows() == before)
    // It connects again.
    _ = try store.add(Replicas.item("mine"))
    try expectEqual(store, fleet, count: 4)
  }

  @Test("a connection that ends after the COMMIT was sent: the outcome is looked up")
  func lookedUp() throws {
    let fleet = try Replicas()
    let proxy = try Proxy(before: fleet.server.port) { $0 == 3 ? .cutAnswer : .pass }
    defer { proxy.close() }
    let store = try open("1", of: fleet, behind: proxy)
    _ = try store.add(Replicas.item("mine"))
    #expect(proxy.messages > 3)
    #expect(try store.find().count == 4)
    try expectEqual(store, fleet, count: 4)
  }

  @Test("a server that cannot be reached then: the outcome is unknown, and the next pull has it")
  func unknown() throws {
    let fleet = try Replicas()
    let isCut = Lock(false)
    let proxy = try Proxy(before: fleet.server.port) { number in
      isCut.withLock { isCut in
        if isCut { return .drop }
        isCut = number == 3
        return isCut ? .cutAnswer : .pass
      }
    }
    defer { proxy.close() }
    let store = try open("1", of: fleet, behind: proxy)
    let before = try fleet.rows(store)
    #expect(throws: VaultError(.outcomeUnknown, "")) { try store.add(Replicas.item("mine")) }
    #expect(try fleet.rows(store) == before)
    isCut.withLock { $0 = false }
    // What the proxy let pass, the server stored or not, once it is done; both replicas agree.
    try fleet.server.awaitEnd(of: fleet.database)
    let count = try Replicas.accounts(fleet.first).count
    #expect((3...4).contains(count))
    try expectEqual(store, fleet, count: count)
  }

  @Test("a change whose replica's file is replaced meanwhile is made in that file, once")
  func replaced() throws {
    let fleet = try Replicas()
    let store = try fleet.clone("1")
    let path = store.path
    let copy = try fleet.folder.write(fleet.folder.bytes(path), as: "copy.vault")
    var attempts = 0
    try store.write { (writer) throws(VaultError) in
      attempts += 1
      // Both paths are C strings for this call.
      if attempts == 1 { #expect(unsafe rename(copy, path) == 0) }
      try writer.add(Replicas.item("mine"))
    }
    #expect(attempts == 2)
    try expectEqual(store, fleet, count: 4)
  }

  @Test("a server that stops answering makes a writer wait for a bounded time", arguments: [2, 3])
  func silent(_ message: Int) throws {
    let fleet = try Replicas()
    let isHeld = Lock(false)
    let proxy = try Proxy(before: fleet.server.port) { number in
      isHeld.withLock { isHeld in
        isHeld = isHeld || number == message
        return isHeld ? .hold : .pass
      }
    }
    defer { proxy.close() }
    let store = try open("1", of: fleet, behind: proxy, lockTimeout: .milliseconds(100))
    let before = try fleet.rows(store)
    let error = #expect(throws: VaultError.self) { try store.add(Replicas.item("mine")) }
    #expect(error?.code == (message == 2 ? .unavailable : .outcomeUnknown))
    #expect(try fleet.rows(store) == before)
    // The server has ended the writer that sent nothing more.
    _ = try fleet.first.add(Replicas.item("other"))
    #expect(try Replicas.accounts(fleet.first).count == 4)
  }

  /// The moment at which the server is killed, by the number of the message that it gets.
  enum Moment: CustomTestStringConvertible {
    case before(Int), after(Int)
    /// After it has the commit, and before it says so.
    case stored

    static let all = (1...3).flatMap { [Moment.before($0), .after($0)] } + [.stored]

    var testDescription: String { "\(self)" }

    /// Whether the commit may have been sent: some answers are faster than the kill.
    var mayBeUnknown: Bool { if case .before(let message) = self { message == 3 } else { true } }

    var message: Int {
      switch self {
      case .before(let message), .after(let message): message
      case .stored: 3
      }
    }
  }

  @Test(
    "a server that is killed at any message of a write: nothing is lost or doubled, and what came of it is known, or not said",
    arguments: Moment.all)
  func killedServer(_ moment: Moment) throws {
    let server = try PostgresServer()
    let fleet = try Replicas(on: server)
    let isKilled = Lock(false)
    @Sendable func kill() {
      #expect(throws: Never.self) { try server.kill() }
      isKilled.withLock { $0 = true }
    }
    let database = fleet.database
    @Sendable func passed(_ number: Int) {
      guard number == moment.message else { return }
      switch moment {
      case .before: return
      case .after: break
      case .stored:
        let query = "SELECT generation FROM credential_vault.vault WHERE generation > 3"
        #expect(throws: Never.self) {
          while try server.sql(query, in: database).isEmpty { usleep(10_000) }
        }
      }
      kill()
    }
    let proxy = try Proxy(before: server.port, passed: passed) { number in
      guard number == moment.message else { return .pass }
      if case .before = moment { kill() }
      if case .stored = moment { return .passWithoutAnswer }
      return .pass
    }
    defer { proxy.close() }
    let store = try open("1", of: fleet, behind: proxy)
    let before = try fleet.rows(store)
    var outcome: VaultError.Code?
    do {
      _ = try store.add(Replicas.item("mine"))
    } catch {
      outcome = error.code
      #expect(try fleet.rows(store) == before)
    }
    // An answer that was faster than the kill may have ended the write.
    while !isKilled.withLock({ $0 }) { usleep(10_000) }
    try server.restart()
    let count = try Replicas.accounts(fleet.first).count
    switch outcome {
    case nil: #expect(count == 4)
    case .unavailable: #expect(count == 3)
    case .outcomeUnknown: #expect(moment.mayBeUnknown && (3...4).contains(count))
    default: Issue.record("\(String(describing: outcome))")
    }
    if case .stored = moment { #expect(count == 4) }
    try expectEqual(store, fleet, count: count)
    _ = try store.add(Replicas.item("next"))
    try expectEqual(store, fleet, count: count + 1)
  }

  @Test("a server that is killed loses no commit that was confirmed")
  func killedServer() throws {
    let server = try PostgresServer()
    let fleet = try Replicas(on: server)
    let other = try fleet.clone("1")
    for number in 0..<10 {
      _ = try other.add(Replicas.item("n\(number)"))
      guard number == 5 else { continue }
      try server.kill()
      try server.restart()
    }
    try expectEqual(other, fleet, count: 13)
  }
}
