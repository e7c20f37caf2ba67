import CredentialVault
import Dispatch
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Async forms of one vault", .timeLimit(.minutes(5)))
struct TurnTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  @Test("a call that waits for another one ends when its task is cancelled")
  func cancelling() async throws {
    let vault = vault
    let transaction = try await HeldTransaction(vault)
    let closure = waiting { try await vault.write { _ in } }
    let call = waiting { try await vault.findAll(ItemQuery()) }
    call.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await call.value }
    closure.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { try await closure.value }
    try await transaction.end()
    #expect(try vault.count(ItemQuery()) == 0)
  }

  @Test("calls are answered in their order, without the cancelled ones")
  func order() async throws {
    let (vault, order) = (vault, Lock<[Int]>([]))
    let transaction = try await HeldTransaction(vault)
    let calls = (0..<6).map { number in
      waiting { try await vault.write { _ in order.withLock { $0.append(number) } } }
    }
    for number in [0, 3] { calls[number].cancel() }
    try await transaction.end()
    for number in [1, 2, 4, 5] { try await calls[number].value }
    #expect(order.withLock { $0 } == [1, 2, 4, 5])
  }

  @Test("a call that is cancelled when its turn comes passes the turn on")
  func cancelledWithTurn() async throws {
    let vault = vault
    for _ in 0..<100 {
      let transaction = try await HeldTransaction(vault)
      let calls = (0..<3).map { _ in waiting { try await vault.findAll(ItemQuery()) } }
      async let ended: Void = transaction.end()
      for call in calls { call.cancel() }
      try await ended
      for call in calls {
        do {
          #expect(try await call.value.isEmpty)
        } catch {
          #expect(error as? VaultError == VaultError(.interrupted, ""))
        }
      }
      #expect(try vault.count(ItemQuery()) == 0)
    }
  }

  @Test("locking, rejecting and closing wait for no call that leaves the file alone")
  func cleaningUp() async throws {
    let vault = vault
    let stored = try vault.pending.set(credential("ann", "try"), for: space())
    let attempt = try #require(stored.pending)
    let (isAsked, mayAnswer) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let unlocking = Task {
      let key = KeySource.askedPassphrase {
        isAsked.signal()
        mayAnswer.wait()
        return Secret("typed late")
      }
      try await vault.unlock(with: key)
    }
    try await inThread { isAsked.wait() }
    let behind = waiting { try await vault.findAll(ItemQuery()) }
    try vault.pending.reject(attempt)
    #expect(throws: VaultError(.itemNotFound, "")) { try vault.pending.reject(attempt) }
    try await vault.lock()
    #expect(try vault.state() == .locked)
    try await vault.close()
    mayAnswer.signal()
    await #expect(throws: VaultError(.closed, "")) { try await unlocking.value }
    await #expect(throws: VaultError(.closed, "")) { try await behind.value }
  }
}
