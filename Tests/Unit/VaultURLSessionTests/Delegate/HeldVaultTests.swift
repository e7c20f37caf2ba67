import VaultAdministration
import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import TestTraits
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Operations that wait, and those that do not, while somebody holds the vault's file.
@Suite("A vault that is held", .waiting, .timeLimit(.minutes(5))) struct HeldVaultTests {
  private static func credential(_ user: String, _ persistence: Persistence) -> Credential {
    Credential(user: user, secret: Secret("one"), persistence: persistence)
  }

  @Test("lookups and changes do not wait for those who wait for the file")
  func lookups() throws {
    let fixture = try StorageFixture { vault in
      for user in ["ann", "bob"] {
        try vault.set(Self.credential(user, .permanent), for: gitSpace())
        try vault.set(Self.credential(user, .session), for: gitSpace())
      }
    }
    let storage = fixture.storage
    let vault = fixture.vault
    let held = HeldFile(vault)
    let waiting: [@Sendable () throws -> Void] = [
      { try vault.set(HeldVaultTests.credential("ann", .session), for: gitSpace()) },
      { try vault.set(HeldVaultTests.credential("ann", .permanent), for: gitSpace()) },
      { try vault.move(user: "bob", for: gitSpace(), to: .session) },
      { try vault.remove(user: "bob", for: gitSpace()) },
      { try vault.setDefaultUser("ann", for: gitSpace()) },
      { _ = try vault.findAll(ItemQuery()) }, { try vault.maintenance.purge() },
      { try vault.lock() },
    ]
    let group = DispatchGroup()
    for body in waiting {
      group.enter()
      Thread.detachNewThread {
        // Their order, and so the result of each, is undefined.
        do { try body() } catch {}
        group.leave()
      }
    }
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      for _ in 0..<50 {
        _ = storage.credentials(for: foundationSpace())
        _ = storage.defaultCredential(for: foundationSpace())
        _ = storage.allCredentials
        storage.set(foundationCredential("carl", "x"), for: foundationSpace())
        usleep(10_000)
      }
      end.signal()
    }
    let didEnd = end.wait(timeout: .now() + 120) == .success
    held.release()
    group.wait()
    #expect(didEnd)
  }

  @Test("tasks that are cancelled while their challenge waits for the file end once")
  func cancelled() throws {
    let fixture = try StorageFixture()
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "one"]))
    try fixture.vault.set(
      Self.credential("ann", .permanent),
      for: ProtectionSpace(host: "127.0.0.1", port: server.port, protocol: .http, realm: "Team"))
    let session = URLSession(configuration: .ephemeral, vault: fixture.vault)
    let held = HeldFile(fixture.vault)
    let group = DispatchGroup()
    let calls = Lock(0)
    let tasks = (0..<20).map { _ in
      group.enter()
      let task = session.dataTask(with: server.url()) { _, _, _ in
        calls.withLock { $0 += 1 }
        group.leave()
      }
      task.resume()
      return task
    }
    while server.requests.count < tasks.count { usleep(1000) }
    for task in tasks.dropLast(2) { task.cancel() }
    held.release()
    #expect(group.wait(timeout: .now() + 120) == .success)
    #expect(calls.withLock { $0 } == 20)
  }
}
