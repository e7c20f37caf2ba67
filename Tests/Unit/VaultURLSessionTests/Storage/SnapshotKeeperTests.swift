import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import StoreTesting
import TestTraits
import Testing
import VaultModel

@testable import VaultURLSession

@Suite("What a storage knows without its file", .waiting)
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
    try holder.lock("EXCLUSIVE")
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

/// Changes that are set and not written yet.
@Suite("Changes that are queued", .waiting, .timeLimit(.minutes(5))) struct QueuedChangeTests {
  @Test("what is queued for one space is found for no other one")
  func otherSpace() throws {
    let fixture = try StorageFixture()
    let held = HeldFile(fixture.vault)
    fixture.storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    #expect(fixture.storage.users() == ["ann"])
    for space in [
      foundationSpace("hub.example.com"), foundationSpace(port: 8443),
      foundationSpace(realm: "Other"), foundationSpace(protocol: "http"),
    ] {
      #expect(fixture.storage.credentials(for: space) == nil)
    }
    held.release()
    try fixture.settle()
  }

  @Test("the same password is stored for good where it was the session's only")
  func raised() throws {
    let fixture = try StorageFixture()
    fixture.storage.set(foundationCredential("ann", "one", .forSession), for: foundationSpace())
    try fixture.settle()
    fixture.storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    try fixture.settle()
    let isThere = try fixture.vault.permanent("ann", is: "one")
    #expect(isThere == true)
  }

  @Test("of what is listed no more objects are kept than are listed")
  func interned() throws {
    let spaces = InternedSpaces()
    let first = try gitSpace()
    let known = try #require(spaces.objects(for: [first])[first])
    #expect(spaces.objects(for: [first])[first] === known)
    _ = spaces.objects(for: [try gitSpace("hub.example.com")])
    #expect(spaces.objects(for: [first])[first] !== known)
  }
}
