import CredentialVault
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault: opening one beside another that another program holds", .timeLimit(.minutes(5)))
struct OpeningBesideTests {
  /// A vault that a task is opening, and that another program holds.
  private struct HeldOpening {
    let fixture: Fixture
    let holder: LockHolder
    let task: Task<Vault, any Error>

    init() async throws {
      let fixture = try Fixture()
      try await fixture.vault.close()
      holder = try LockHolder(fixture.path)
      try holder.lock("EXCLUSIVE")
      task = waiting {
        try await OpeningBesideTests.opened(fixture.path, .seconds(3600))
      }
      self.fixture = fixture
    }
  }

  private static func opened(_ path: String, _ timeout: Duration) async throws -> Vault {
    try await Vault.perform { try Vault.openLocked(path: path, lockTimeout: timeout) }
  }

  @Test("waits for the vault of its own only")
  func another() async throws {
    let own = try Fixture()
    try await own.vault.close()
    let held = try await HeldOpening()
    // Only after this is the other one let go, before its time is over.
    #expect(try await Vault.open(path: own.path, key: own.key).state() == .unlocked)
    try held.holder.unlock()
    #expect(try await held.task.value.state() == .locked)
  }

  @Test("gets the same vault as the other thread that was opening it")
  func same() async throws {
    let held = try await HeldOpening()
    let path = held.fixture.path
    let second = waiting { try await Self.opened(path, .seconds(3600)) }
    try held.holder.unlock()
    let (one, other) = (try await held.task.value, try await second.value)
    try await one.unlock(with: held.fixture.key)
    #expect(try other.state() == .unlocked)
  }

  @Test("gives up when its own time is over, or its task is cancelled")
  func givingUp() async throws {
    let held = try await HeldOpening()
    let path = held.fixture.path
    await #expect(throws: VaultError(.busy, "")) {
      _ = try await Self.opened(path, .milliseconds(20))
    }
    let cancelled = waiting { try await Self.opened(path, .seconds(3600)) }
    cancelled.cancel()
    await #expect(throws: VaultError(.interrupted, "")) { _ = try await cancelled.value }
    // The first one still waits.
    try held.holder.unlock()
    #expect(try await held.task.value.state() == .locked)
  }
}
