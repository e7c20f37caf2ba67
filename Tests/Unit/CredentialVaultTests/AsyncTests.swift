import CredentialVault
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing

@Suite("Async forms", .timeLimit(.minutes(5)))
struct AsyncTests {
  private func item(_ account: String = "ann") throws -> InternetPassword {
    InternetPassword(space: try space(), account: account, secret: Secret("one"))
  }

  @Test("do what the synchronous ones do, with the same errors")
  func same() async throws {
    let fixture = try Fixture()
    try await fixture.vault.close()
    try await KeyFile.create(at: fixture.folder.file("other"))
    #expect(KeyFile.isPresent(at: fixture.folder.file("other")))
    let vault = try await Vault.open(path: fixture.path, key: fixture.key)
    try await vault.add(item())
    let credential = try await vault.defaultCredential(for: space())
    #expect(try credential?.secret.withUTF8String { $0 == "one" } == true)
    let found = try await vault.find(ItemQuery(), secrets: true)
    #expect(found.secret?.count == 3)
    do throws(VaultError) {
      try await vault.add(found)
      Issue.record("a second item of one key")
    } catch {
      #expect(error.code == .duplicateItem)
    }
    try await vault.remove(found)
    #expect(try await vault.trash.items().count == 1)
    #expect(try await vault.keys.slots().map(\.kind) == [.keyFile])
    #expect(try await vault.policy.current().rules.isEmpty)
    #expect(try await vault.maintenance.verify().isClean)
    #expect(try await vault.history.limit() == 10)
    #expect(try await vault.log.changes(limit: 1).map(\.operation) == [.removed])
    try await vault.log.setDays(7)
    #expect(try await vault.log.days() == 7)
  }

  @Test("carry the errors of a user's closure")
  func ownErrors() async throws {
    let fixture = try Fixture()
    let item = try item()
    await #expect(throws: OwnError()) {
      try await fixture.vault.transaction { transaction in
        try transaction.add(item)
        throw OwnError()
      }
    }
    #expect(try await fixture.vault.count(ItemQuery()) == 0)
    await #expect(throws: OwnError()) {
      try await fixture.vault.policy.update { _ in throw OwnError() }
    }
  }

  @Test("leave the other tasks of the process running while they wait for a lock")
  func pool() async throws {
    // More than the cooperative pool has threads: if they blocked it, nobody would let the lock go.
    let fixtures = try (0..<24).map { _ in try Fixture() }
    let holders = try fixtures.map { try LockHolder($0.path) }
    for holder in holders { try holder.lock("IMMEDIATE") }
    let vaults = fixtures.map(\.vault)
    let item = try item()
    let started = Lock(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for vault in vaults {
        group.addTask {
          started.withLock { $0 += 1 }
          try await vault.add(item)
        }
      }
      group.addTask {
        while started.withLock({ $0 }) < vaults.count { await Task.yield() }
        for holder in holders { try holder.unlock() }
      }
      try await group.waitForAll()
    }
    for fixture in fixtures { #expect(try await fixture.vault.count(ItemQuery()) == 1) }
  }

  @Test("end when their task is cancelled, though another process keeps the lock")
  func cancelledAtFile() async throws {
    let fixture = try Fixture()
    try await fixture.vault.close()
    let vault = try await Vault.open(
      path: fixture.path, key: fixture.key, lockTimeout: .seconds(3600))
    let holder = try LockHolder(fixture.path)
    try holder.lock("IMMEDIATE")
    let item = try item()
    let task = waiting { try await vault.add(item) }
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
    try holder.unlock()
    #expect(try await vault.count(ItemQuery()) == 0)
    try await vault.add(item)
  }

  @Test("end when their task is cancelled, though a thread of the process is in a transaction")
  func cancelledAtThread() async throws {
    let fixture = try Fixture()
    let other = try fixture.open()
    let begun = Lock(false)
    let ended = Lock(false)
    let transaction = Task {
      try await other.transaction { _ in
        begun.withLock { $0 = true }
        while !ended.withLock({ $0 }) { usleep(500) }
      }
    }
    while !begun.withLock({ $0 }) { await Task.yield() }
    let vault = fixture.vault
    let task = waiting { try await vault.count(ItemQuery()) }
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
    ended.withLock { $0 = true }
    try await transaction.value
    #expect(try await fixture.vault.count(ItemQuery()) == 0)
  }

  @Test("of a task that was cancelled already do nothing")
  func cancelledBefore() async throws {
    let fixture = try Fixture()
    let (vault, item) = (fixture.vault, try item())
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      try await vault.add(item)
    }
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
    #expect(try await fixture.vault.count(ItemQuery()) == 0)
  }
}
