import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel
import VaultURLSession

@Suite("VaultCredentialStorage: waiting for nobody", .waiting)
struct WaitingTests {
  let fixture: StorageFixture
  var storage: VaultCredentialStorage { fixture.storage }

  init() throws {
    fixture = try .withAnn()
  }

  /// Runs `body` on a thread of its own; false if it has not ended after a minute.
  private func ends(_ body: @escaping @Sendable () -> Void) -> Bool {
    let end = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      end.signal()
    }
    return end.wait(timeout: .now() + 120) == .success
  }

  @Test("lookups and changes go on while a transaction holds the file")
  func transaction() throws {
    let storage = storage
    let vault = fixture.vault
    let held = HeldFile(vault)
    let didEnd = ends {
      for _ in 1...3 {
        #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
        #expect(storage.defaultCredential(for: foundationSpace())?.user == "ann")
        #expect(storage.allCredentials.count == 1)
        storage.set(foundationCredential("bob", "two"), for: foundationSpace("hub.example.com"))
        #expect(storage.users(foundationSpace("hub.example.com")) == ["bob"])
        storage.remove(foundationCredential("bob", "two"), for: foundationSpace("hub.example.com"))
        #expect(storage.users(foundationSpace("hub.example.com")).isEmpty)
      }
      storage.set(foundationCredential("carl", "three"), for: foundationSpace())
    }
    held.release()
    try #require(didEnd)
    try fixture.settle()
    #expect(storage.users() == ["ann", "carl"])
    #expect(try vault.findAll(ItemQuery()).count == 2)
  }

  @Test("a listener may wait for what is written, and change the storage")
  func listeners() throws {
    let storage = storage
    let told = DispatchSemaphore(value: 0)
    let token = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { _ in
      do {
        if storage.users().contains("bob") {
          told.signal()
        } else {
          storage.set(foundationCredential("bob", "two"), for: foundationSpace())
          try storage.flush()
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    storage.set(foundationCredential("ann", "other"), for: foundationSpace())
    #expect(told.wait(timeout: .now() + 120) == .success)
  }

  @Test("an observer of the vault that waits for its own change is told that it cannot")
  func observers() throws {
    let storage = storage
    let answers = Lock<[VaultError?]>([])
    let observation = fixture.vault.events.observe { _ in
      do throws(VaultError) {
        try storage.flush()
        answers.withLock { $0.append(nil) }
      } catch {
        answers.withLock { $0.append(error) }
      }
    }
    defer { observation.cancel() }
    storage.set(foundationCredential("ann", "other"), for: foundationSpace())
    try storage.flush()
    #expect(answers.withLock { $0 } == [VaultError(.invalidArgument, "")])
  }
}
