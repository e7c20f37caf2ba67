import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import Testing
import VaultModel

@testable import URLSessionTestDriver
@testable import VaultURLSession

@Suite("What a storage knows without its file")
struct SnapshotKeeperTests {
  let fixture: StorageFixture

  init() throws {
    fixture = try StorageFixture { vault in
      for user in ["ann", "bob"] {
        try vault.set(
          Credential(user: user, secret: Secret("one"), persistence: .permanent), for: gitSpace())
      }
    }
  }

  @Test("what was removed is forgotten before the file is read again")
  func forgotten() throws {
    // Reads after the test, when its folder is gone, do not matter.
    let keeper = SnapshotKeeper(fixture.vault) { _ in }
    let release = DispatchSemaphore(value: 0)
    // Nothing is read as long as this is on its queue.
    keeper.writing.async { release.wait() }
    defer { release.signal() }
    try fixture.open().remove(user: "ann", for: gitSpace())
    #expect(try keeper.candidates(for: gitSpace()).map(\.item.account) == ["bob"])
  }

  @Test("a file that somebody just has for long is answered out of as it was")
  func busy() throws {
    try fixture.vault.close()
    let vault = try Vault.open(path: fixture.path, key: fixture.key, lockTimeout: .zero)
    let errors = Lock<[VaultError.Code]>([])
    let keeper = SnapshotKeeper(vault) { error in errors.withLock { $0.append(error.code) } }
    let holder = try LockHolder(fixture.path)
    try holder.commit()
    try holder.lock()
    try keeper.flush()
    #expect(try keeper.candidates(for: gitSpace()).count == 2)
    try holder.unlock()
    try keeper.flush()
    keeper.telling.sync {}
    #expect(errors.withLock { $0 }.contains(.busy))
    #expect(try keeper.candidates(for: gitSpace()).count == 2)
  }

  @Test("another default alone is a difference, and nothing is none")
  func differences() throws {
    let snapshot = VaultSnapshot(of: fixture.vault)
    #expect(try snapshot.refresh())
    #expect(try !snapshot.refresh())
    try fixture.vault.setDefaultUser("bob", for: gitSpace())
    #expect(try snapshot.refresh())
    #expect(try !snapshot.refresh())
    #expect(try snapshot.defaultUsers(for: gitSpace()) == ["bob"])
  }
}
