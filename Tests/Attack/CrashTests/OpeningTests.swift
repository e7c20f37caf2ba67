import SecureMemory
import AttackSupport
import CredentialVault
import Foundation
import TestSupport
import TestTraits
import Testing
import VaultModel

/// Opening vaults while others are in use.
@Suite(.waiting) struct OpeningTests {
  @Test
  func `Opening one vault within another's transaction does not hang, whoever waits for that`()
    throws
  {
    let (first, second) = (try VaultFixture(), try VaultFixture())
    let vault = try Vault.open(path: first.vault, key: .keyFile(first.folder("key")))
    let outcomes = Lock<[String]>([])
    let isInside = DispatchSemaphore(value: 0)
    let isWaiting = DispatchSemaphore(value: 0)
    let done = DispatchGroup()
    func run(_ name: String, _ body: @escaping @Sendable () throws -> Void) {
      done.enter()
      Thread.detachNewThread {
        let outcome = Result(catching: body)
        outcomes.withLock { $0.append("\(name): \(outcome.map { "done" })") }
        done.leave()
      }
    }
    run("transaction") {
      try vault.write { (_) throws(VaultError) in
        isInside.signal()
        isWaiting.wait()
        // The other thread has begun to open this transaction's vault.
        usleep(200_000)
        try Vault.open(path: second.vault, key: .keyFile(second.folder("key"))).close()
      }
    }
    run("opening") {
      isInside.wait()
      isWaiting.signal()
      _ = try Vault.open(path: first.vault, key: .keyFile(first.folder("key")))
    }
    try #require(done.wait(timeout: .now() + 120) == .success)
    #expect(outcomes.withLock { $0.sorted() }.allSatisfy { $0.contains("success") })
    try vault.close()
  }

  @Test func `Many threads that open and close one vault all get it whole`() throws {
    let fixture = try VaultFixture(holding: Workload.add.base)
    let failures = Lock<[String]>([])
    inThreads(8) { thread in
      for _ in 0..<20 {
        do {
          let vault = try Vault.open(path: fixture.vault, key: .keyFile(fixture.folder("key")))
          defer { withExtendedLifetime(vault) {} }
          let items = try vault.findAll(ItemQuery(), withSecrets: true)
          if items.count != Workload.add.base.count { failures.withLock { $0.append("count") } }
          if thread == 0 { try vault.close() }
        } catch VaultError.Code.closed, VaultError.Code.locked {
          // Another thread closed the store that both have.
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }
}
