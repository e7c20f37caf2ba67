import VaultAdministration
import Foundation
import Glibc
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("lookups of a program while its other threads ask the server", .waiting)
struct LookupTests {
  /// The work of another thread meanwhile, with its first question to the server.
  enum Work: String, CaseIterable, CustomTestStringConvertible {
    case sync, add, addSlot

    var testDescription: String { rawValue }

    func run(_ store: Replica) throws {
      switch self {
      case .sync: try store.sync()
      case .add: try store.add(Replicas.item("mine"))
      case .addSlot:
        try store.vault.keys.add(.keyFile(store.path + ".key"), name: "second")
      }
    }
  }

  @Test("a program that stays asks for what is new with one message, and commits with two")
  func oneRoundTrip() throws {
    let fleet = try Replicas()
    let proxy = try Proxy(before: fleet.server.port) { _ in .pass }
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy)
    _ = try store.sync()
    let before = proxy.allMessages
    _ = try store.sync()
    #expect(proxy.allMessages == before + 1)
    // Where the machine was slow, the lock is taken twice.
    let counts = try (0..<5).map { number in
      let before = proxy.allMessages
      // What others wrote comes with the lock.
      _ = try fleet.first.add(Replicas.item("other\(number)"))
      _ = try store.add(Replicas.item("mine\(number)"))
      return proxy.allMessages - before
    }
    #expect(counts.min() == 2)
  }

  @Test("a server that does not answer keeps no lookup waiting", arguments: Work.allCases)
  func silent(_ work: Work) throws {
    let fleet = try Replicas()
    let (isReached, isEnded) = (Lock(false), Lock(false))
    let proxy = try Proxy(before: fleet.server.port) { number in
      guard number > 1 else { return .pass }
      isReached.withLock { $0 = true }
      return .hold
    }
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy, lockTimeout: .seconds(120))
    try KeyFile.create(at: store.path + ".key")
    let vault = try Vault.openLocked(path: store.path)
    let before = try fleet.rows(store)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: VaultError(.unavailable, "")) { try work.run(store) }
      isEnded.withLock { $0 = true }
      ended.signal()
    }
    while !isReached.withLock({ $0 }) {
      try #require(!isEnded.withLock { $0 })
      // No descriptor to wait for, only the time.
      _ = poll(nil, 0, 5)
    }
    #expect(try store.find().count == 3)
    #expect(try vault.findAll(ItemQuery()).count == 3)
    // If the lookup waited for its end, the other thread says so a moment later.
    _ = poll(nil, 0, 200)
    #expect(!isEnded.withLock { $0 })
    proxy.close()
    ended.wait()
    #expect(try fleet.rows(store) == before)
    try vault.close()
  }

  @Test("nor a lookup of a task: of the same vault beside asking, of another one beside a change")
  func tasks() async throws {
    let fleet = try Replicas()
    let reached = Lock(0)
    let proxy = try Proxy(before: fleet.server.port) { number in
      guard number > 1 else { return .pass }
      reached.withLock { $0 += 1 }
      return .hold
    }
    defer { proxy.close() }
    // Nobody gives up before the proxy ends: among many tests, a task may wait for a thread.
    let store = try fleet.clone("1", behind: proxy, lockTimeout: .seconds(120))
    let vault = try Vault.openLocked(path: store.path)
    let other = try Vault.openLocked(path: store.path)
    // One of them waits for the server, and one for the other.
    let ended = Lock(0)
    let asking = Task {
      defer { ended.withLock { $0 += 1 } }
      _ = try await Vault.perform { try vault.maintenance.sync() }
    }
    let changing = Task {
      defer { ended.withLock { $0 += 1 } }
      _ = try await other.add(Replicas.item("mine"))
    }
    try await inThread { while reached.withLock({ $0 }) == 0 { _ = poll(nil, 0, 5) } }
    #expect(try await vault.findAll(ItemQuery()).count == 3)
    _ = poll(nil, 0, 200)
    #expect(ended.withLock { $0 } == 0)
    proxy.close()
    await #expect(throws: VaultError(.unavailable, "")) { try await asking.value }
    await #expect(throws: VaultError(.unavailable, "")) { try await changing.value }
    try await vault.close()
    try await other.close()
  }

  @Test("a write that has the server's lock, and waits for a long lookup, is not lost")
  func longLookup() throws {
    let fleet = try Replicas()
    let (server, database) = (fleet.server, fleet.database)
    let (reader, isOver, read) = (Lock<Replica?>(nil), Lock(false), DispatchSemaphore(value: 0))
    let proxy = try Proxy(before: server.port) { number in
      guard number == 2, let store = reader.withLock({ $0 }) else { return .pass }
      // The write asks for the server's lock: from now on, the store's is not free.
      let isReading = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        #expect(throws: Never.self) {
          try store.vault.read { (_) throws(VaultError) in
            isReading.signal()
            while !isOver.withLock({ $0 }) { _ = poll(nil, 0, 5) }
          }
        }
        read.signal()
      }
      isReading.wait()
      return .pass
    }
    defer { proxy.close() }
    let store = try fleet.clone("1", behind: proxy)
    reader.withLock { $0 = store }
    let added = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      #expect(throws: Never.self) { _ = try store.add(Replicas.item("mine")) }
      added.signal()
    }
    func holders() throws -> [String] {
      try server.sql(
        """
        SELECT pid FROM pg_stat_activity
        WHERE datname = '\(database)' AND state = 'idle in transaction'
        """, in: "postgres")
    }
    // The server ends the session of a machine that keeps its lock for so long.
    while try holders().isEmpty { _ = poll(nil, 0, 20) }
    while try !holders().isEmpty { _ = poll(nil, 0, 20) }
    isOver.withLock { $0 = true }
    read.wait()
    added.wait()
    #expect(try Replicas.accounts(fleet.first).count == 4)
  }

  @Test("threads that write, ask and look up at once lose nothing, and wait for each other")
  func together() throws {
    let fleet = try Replicas()
    try fleet.clone("1").close()
    let store = try fleet.open("1", lockTimeout: .seconds(120))
    let failures = Lock<[String]>([])
    inThreads(9) { thread in
      do {
        for number in 0..<10 {
          switch thread % 3 {
          case 0: _ = try store.add(Replicas.item("t\(thread)n\(number)"))
          case 1: _ = try store.sync()
          default: #expect(try store.find().count >= 3)
          }
        }
      } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
    #expect(try Replicas.accounts(store).count == 33)
    #expect(try Replicas.accounts(fleet.first) == Replicas.accounts(store))
    #expect(try fleet.rows(store) == fleet.serverRows())
  }

  @Test("a change that fails, or is none, ends the server's lock")
  func unlocked() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    try other.close()
    let impatient = try fleet.open("1", lockTimeout: .milliseconds(300))
    #expect(throws: VaultError(.itemNotFound, "")) {
      try fleet.first.write { (_) throws(VaultError) in
        throw VaultError(.itemNotFound, "no such item")
      }
    }
    _ = try impatient.add(Replicas.item("one"))
    try fleet.first.write { _ in }
    _ = try impatient.add(Replicas.item("two"))
    // Within a transaction there is no other one, and no question.
    #expect(throws: VaultError(.invalidArgument, "")) {
      try fleet.first.write { (_) throws(VaultError) in try fleet.first.sync() }
    }
    #expect(throws: VaultError(.invalidArgument, "")) {
      try fleet.first.write { (_) throws(VaultError) in
        _ = try fleet.first.add(Replicas.item("inner"))
      }
    }
    _ = try impatient.add(Replicas.item("three"))
    #expect(try Replicas.accounts(fleet.first).count == 6)
  }
}
