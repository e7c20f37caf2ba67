import VaultAdministration
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing

@Suite("Async forms", .timeLimit(.minutes(5)))
struct AsyncTests {
  private func item(_ account: String = "ann") throws -> Item {
    Item(space: try space(), account: account, secret: Secret("one"))
  }

  @Test("do what the synchronous ones do, with the same errors")
  func same() async throws {
    let fixture = try Fixture()
    try await fixture.vault.close()
    let vault = try await Vault.open(path: fixture.path, key: fixture.key)
    try await vault.add(item())
    let credential = try await vault.defaultCredential(for: space())
    #expect(try credential?.secret.withUTF8String { $0 == "one" } == true)
    let found = try await vault.find(ItemQuery(), withSecrets: true)
    #expect(found.secret?.count == 3)
    do throws(VaultError) {
      try await vault.add(found)
      Issue.record("a second item of one key")
    } catch {
      #expect(error.code == .duplicateItem)
    }
    #expect(try await vault.findAll(ItemQuery()).map(\.id) == [found.id])
    #expect(try await vault.credentials(for: space()).map(\.user) == ["ann"])
    try await vault.remove(found)
    #expect(try await vault.read { reader in try reader.trash().count } == 1)
    let bob = Credential(user: "bob", secret: Secret("two"), persistence: .permanent)
    try await vault.set(bob, for: space())
    try await vault.remove(user: "bob", for: space())
    try await vault.lock()
    await #expect(throws: VaultError(.locked, "")) { try await vault.find(ItemQuery()) }
    try await vault.unlock(with: fixture.key)
  }

  @Test("of everything else are the door's, which calls its closure on a thread of the vault's")
  func door() async throws {
    let fixture = try Fixture()
    let other = fixture.folder.file("other")
    let thread = try await Vault.perform {
      try KeyFile.create(at: other)
      return pthread_self()
    }
    #expect(KeyFile.isPresent(at: other))
    #expect(pthread_equal(thread, pthread_self()) == 0)
    let (days, vault) = try await fixture.vault.perform { vault in
      try vault.log.setDays(7)
      #expect(try vault.maintenance.verify().isClean)
      return (try vault.log.days, vault)
    }
    #expect(days == 7 && vault === fixture.vault)
    await #expect(throws: OwnError()) { try await vault.perform { _ in throw OwnError() } }
    await #expect(throws: OwnError()) { try await Vault.perform { throw OwnError() } }
    await #expect(throws: VaultError(.itemNotFound, "")) {
      try await vault.perform { vault in try vault.keys.remove(id: 99) }
    }
  }

  @Test("the door calls no closure of a task that was cancelled already")
  func cancelledDoor() async throws {
    let vault = try Fixture().vault
    let alone = cancelled { try await Vault.perform { Issue.record("called") } }
    await #expect(throws: VaultError(.interrupted, "")) { try await alone.value }
    let call = cancelled { try await vault.perform { _ in Issue.record("called") } }
    await #expect(throws: VaultError(.interrupted, "")) { try await call.value }
    let reading = cancelled { try await vault.read { _ in Issue.record("called") } }
    await #expect(throws: VaultError(.interrupted, "")) { try await reading.value }
    let writing = cancelled { try await vault.write { _ in Issue.record("called") } }
    await #expect(throws: VaultError(.interrupted, "")) { try await writing.value }
  }

  @Test("carry the errors of a user's closure")
  func ownErrors() async throws {
    let fixture = try Fixture()
    let item = try item()
    await #expect(throws: OwnError()) {
      try await fixture.vault.write { transaction in
        try transaction.add(item)
        throw OwnError()
      }
    }
    #expect(try fixture.vault.count(ItemQuery()) == 0)
    await #expect(throws: OwnError()) {
      try await fixture.vault.read { _ in throw OwnError() }
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
    for fixture in fixtures { #expect(try fixture.vault.count(ItemQuery()) == 1) }
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
    #expect(try vault.count(ItemQuery()) == 0)
    try await vault.add(item)
  }

  @Test("end when their task is cancelled, though a thread of the process is in a transaction")
  func cancelledAtThread() async throws {
    let fixture = try Fixture()
    let other = try fixture.open()
    let begun = Lock(false)
    let ended = Lock(false)
    let transaction = Task {
      try await other.write { _ in
        begun.withLock { $0 = true }
        while !ended.withLock({ $0 }) { usleep(500) }
      }
    }
    while !begun.withLock({ $0 }) { await Task.yield() }
    let vault = fixture.vault
    let task = waiting { try await vault.findAll(ItemQuery()) }
    task.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await task.value }
    ended.withLock { $0 = true }
    try await transaction.value
    #expect(try fixture.vault.count(ItemQuery()) == 0)
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
    #expect(try fixture.vault.count(ItemQuery()) == 0)
  }
}
