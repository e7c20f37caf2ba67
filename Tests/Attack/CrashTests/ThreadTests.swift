import AttackSupport
import VaultAdministration
import SecureMemory
import StoreTesting
import TestSupport
import TestTraits
import Testing
import VaultStore
import VaultModel

/// Many threads, and one thread twice, using one vault.
@Suite(.waiting) struct ThreadTests {
  @Test func `Eight threads with mixed work leave exactly what they did`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let failures = Lock<[String]>([])
    try fixture.withStore { (store) throws(VaultError) in
      inThreads(8) { thread in
        do {
          try Self.work(thread, on: store)
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
    let contents = try fixture.contents()
    let expected = (0..<8).flatMap { thread in
      (0..<20).filter { $0 % 4 != 3 }.map { ("t\(thread)-\($0)", "changed") }
    }
    let base = Workload.add.base.map { ($0.account, "first") }
    #expect(contents == Dictionary(expected + base) { first, _ in first })
    #expect(try fixture.problems() == [])
  }

  /// Adds 20 items, finds and changes each, deletes every fourth.
  private static func work(_ thread: Int, on store: FileStore) throws {
    for number in 0..<20 {
      let item = try store.add(Workload.item("t\(thread)-\(number)", "new"))
      let found = try store.find(ItemQuery(key: item.key), withSecrets: true)
      guard found.count == 1, found[0].secret?.text == "new" else {
        throw VaultError(.conflict, "")
      }
      _ = try store.modify(item.id, hint: item.key, [.secret(Secret("changed"))])
      if number % 4 == 3 { try store.remove(item.id, hint: item.key) }
      if number % 5 == 0 { _ = try store.find(ItemQuery(), withSecrets: true) }
    }
  }

  @Test func `Calling the vault within its own transaction is an error, not a hang`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let vault = try Vault.open(path: fixture.vault, key: .keyFile(fixture.folder("key")))
    var codes: [VaultError.Code] = []
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(Workload.item("inside", "inside"))
      let calls: [() throws -> Void] = [
        { _ = try vault.findAll(ItemQuery()) },
        { try vault.add(Workload.item("again", "again")) },
        { try vault.add(Workload.item("again", "again"), persistence: .session) },
        { try vault.write { (_) throws(VaultError) in } },
        { _ = try vault.maintenance.verify() },
        { _ = try vault.state() },
        { try vault.lock() },
        { try vault.close() },
        { try vault.unlock(with: .keyFile(fixture.folder("key"))) },
      ]
      for call in calls {
        do {
          try call()
        } catch {
          codes.append((error as? VaultError)?.code ?? .internalError)
        }
      }
    }
    #expect(codes == Array(repeating: .invalidArgument, count: 9))
    #expect(try vault.findAll(ItemQuery()).contains { $0.account == "inside" })
    try vault.close()
  }
}
