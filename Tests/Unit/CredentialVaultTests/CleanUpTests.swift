@testable import CredentialVault
import Dispatch
import SecureMemory
import TestSupport
import Testing
import VaultStore
import VaultModel

@Suite("Vault: cleaning up in a cancelled task", .timeLimit(.minutes(5)))
struct CleanUpTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  /// Runs `body` in a cancelled task, while another vault's transaction is held for some time.
  private func besideTransaction(
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let other = try fixture.open()
    let transaction = try await HeldTransaction(other)
    let task = cancelled(body)
    // It may come to the lock before the transaction ends or after it: both must do.
    try await Task.sleep(for: .milliseconds(100))
    try await transaction.end()
    try await task.value
  }

  @Test("locking locks")
  func locking() async throws {
    let vault = vault
    try await besideTransaction { try await vault.lock() }
    #expect(try vault.state() == .locked)
  }

  @Test("locking locks in the synchronous form, too")
  func lockingBlocking() async throws {
    let vault = vault
    let lock: @Sendable () throws -> Void = { try vault.lock() }
    try await besideTransaction { try lock() }
    #expect(try vault.state() == .locked)
  }

  @Test("closing closes")
  func closing() async throws {
    let (vault, file) = (vault, try #require(vault.file))
    try await besideTransaction { try await vault.close() }
    #expect(try vault.state() == .closed)
    // The other vault was released.
    #expect(try !file.state().isOpen)
  }

  @Test("rejecting drops the pending credential")
  func rejecting() async throws {
    let vault = vault
    let stored = try vault.pending.set(credential("ann", "try"), for: space())
    let attempt = try #require(stored.pending)
    try await besideTransaction { try vault.pending.reject(attempt) }
    #expect(try await vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("a vault that is released is no user of its file any more")
  func releasing() async throws {
    let (fixture, file) = (fixture, try #require(vault.file))
    let isOpen = DispatchSemaphore(value: 0)
    let mayRelease = DispatchSemaphore(value: 0)
    // On a thread of its own: releasing a vault blocks.
    let task = Task(executorPreference: HeldExecutor()) {
      let other = try await Vault.open(path: fixture.path, key: fixture.key)
      isOpen.signal()
      while !Task.isCancelled { await Task.yield() }
      try await inThread { mayRelease.wait() }
      _ = consume other
    }
    try await inThread { isOpen.wait() }
    let transaction = try await HeldTransaction(vault)
    task.cancel()
    mayRelease.signal()
    // It may come to the lock before the transaction ends or after it: both must do.
    try await Task.sleep(for: .milliseconds(100))
    try await transaction.end()
    try await task.value
    try await vault.close()
    #expect(try !file.state().isOpen)
  }

  @Test("a vault that is released within a transaction is no user of its file any more")
  func releasingWithinTransaction() throws {
    let file = try #require(vault.file)
    var other: Vault? = try fixture.open()
    #expect(other != nil)
    try vault.write { (_) throws(VaultError) in other = nil }
    try vault.close()
    #expect(try !file.state().isOpen)
  }
}
