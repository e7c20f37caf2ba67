import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import Testing
import VaultModel

@testable import VaultURLSession

/// Changes that are set and not written yet.
@Suite("Changes that are queued", .timeLimit(.minutes(5))) struct QueuedChangeTests {
  @Test("what is queued for one space is found for no other one")
  func otherSpace() throws {
    let fixture = try StorageFixture()
    let held = HeldVault(fixture.vault)
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
