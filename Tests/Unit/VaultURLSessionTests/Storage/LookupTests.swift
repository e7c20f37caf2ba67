import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel
import VaultURLSession

@Suite("VaultCredentialStorage: looking up", .waiting)
struct LookupTests {
  private func stored() throws -> StorageFixture {
    try StorageFixture { vault in
      try vault.set(
        Credential(user: "ann", secret: Secret("one"), persistence: .permanent), for: gitSpace())
      try vault.set(
        Credential(user: "bob", secret: Secret("two"), persistence: .session), for: gitSpace())
    }
  }

  @Test("finds what is stored with another object of the same value at every call")
  func values() throws {
    let fixture = try stored()
    for _ in 1...3 {
      #expect(fixture.storage.users() == ["ann", "bob"])
      #expect(fixture.storage.said("ann", "one") == URLCredentialValues("ann"))
      #expect(fixture.storage.said("bob", "two") == URLCredentialValues("bob", .forSession))
    }
    #expect(fixture.storage.credentials(for: foundationSpace(realm: "team git")) == nil)
    #expect(fixture.storage.credentials(for: foundationSpace("hub.example.com")) == nil)
  }

  @Test("falls back to what is stored without a realm where the realm has nothing")
  func withoutRealm() throws {
    let fixture = try StorageFixture()
    let (storage, space) = (fixture.storage, foundationSpace())
    storage.set(foundationCredential("zoe", "one"), for: foundationSpace(realm: nil))
    for _ in 1...2 {
      #expect(storage.said("zoe", "one") == URLCredentialValues("zoe"))
      #expect(
        URLCredentialValues(storage.defaultCredential(for: space), "one")
          == URLCredentialValues("zoe"))
      try fixture.settle()
    }
    #expect(storage.users(foundationSpace("hub.example.com")).isEmpty)
    storage.set(foundationCredential("mia", "two"), for: foundationSpace(realm: nil))
    storage.setDefaultCredential(
      foundationCredential("zoe", "one"), for: foundationSpace(realm: nil))
    #expect(storage.users() == ["mia", "zoe"])
    #expect(
      URLCredentialValues(storage.defaultCredential(for: space), "one")
        == URLCredentialValues("zoe"))
    storage.set(foundationCredential("ann", "three"), for: foundationSpace())
    #expect(storage.users() == ["ann"])
    #expect(
      URLCredentialValues(storage.defaultCredential(for: space), "three")
        == URLCredentialValues("ann"))
    #expect(storage.users(foundationSpace(realm: "other")) == ["mia", "zoe"])
    try fixture.settle()
    #expect(storage.users() == ["ann"])
  }

  @Test("takes spellings, ports and methods as the vault does")
  func spellings() throws {
    let fixture = try stored()
    #expect(fixture.storage.users(foundationSpace("GIT.example.com.", port: 0)) == ["ann", "bob"])
    #expect(
      fixture.storage.users(foundationSpace(protocol: NSURLProtectionSpaceHTTPS)) == ["ann", "bob"])
    #expect(fixture.storage.users(foundationSpace(port: 8443)).isEmpty)
    #expect(
      fixture.storage.users(foundationSpace(method: NSURLAuthenticationMethodHTTPDigest)).isEmpty)
    fixture.storage.set(foundationCredential("any", "three"), for: foundationSpace(method: nil))
    #expect(
      fixture.storage.users(foundationSpace(method: NSURLAuthenticationMethodHTTPDigest)) == ["any"]
    )
    try fixture.settle()
    #expect(
      fixture.storage.users(foundationSpace(method: NSURLAuthenticationMethodHTTPDigest)) == ["any"]
    )
    #expect(fixture.storage.users() == ["ann", "bob", "any"])
  }

  @Test("never takes a proxy for a server, nor the other way round")
  func proxies() throws {
    let fixture = try stored()
    let proxy = URLProtectionSpace(
      proxyHost: "git.example.com", port: 443, type: NSURLProtectionSpaceHTTPSProxy,
      realm: "Team Git",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(fixture.storage.credentials(for: proxy) == nil)
    fixture.storage.set(foundationCredential("carl", "three"), for: proxy)
    try fixture.settle()
    #expect(fixture.storage.users(proxy) == ["carl"])
    #expect(fixture.storage.users() == ["ann", "bob"])
  }

  @Test("lists each space as the same object at every call, and what is asked for adds none")
  func interned() throws {
    let fixture = try stored()
    for number in 1...100 {
      _ = fixture.storage.credentials(for: foundationSpace("h\(number).example.com"))
      _ = fixture.storage.credentials(for: foundationSpace())
    }
    let first = fixture.storage.allCredentials
    let second = fixture.storage.allCredentials
    #expect(first.count == 1)
    let space = try #require(first.keys.first)
    #expect(second.keys.first === space)
    #expect(Set((second[space] ?? [:]).keys) == ["ann", "bob"])
    #expect(try ProtectionSpace(space) == gitSpace())
  }

  @Test("the default is a user's credential as it is now, and goes with the user")
  func defaults() throws {
    let fixture = try stored()
    #expect(fixture.storage.defaultCredential(for: foundationSpace()) == nil)
    try fixture.vault.setDefaultUser("ann", for: gitSpace())
    try fixture.settle()
    let space = foundationSpace()
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: space), "one")
        == URLCredentialValues("ann"))
    fixture.storage.set(foundationCredential("ann", "other"), for: foundationSpace())
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: space), "other")
        == URLCredentialValues("ann"))
    try fixture.settle()
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: space), "other")
        == URLCredentialValues("ann"))
    fixture.storage.set(foundationCredential("carl", "x"), for: foundationSpace())
    fixture.storage.remove(foundationCredential("ann", "whatever"), for: foundationSpace())
    #expect(fixture.storage.defaultCredential(for: space) == nil)
    try fixture.settle()
    #expect(fixture.storage.defaultCredential(for: space) == nil)
    #expect(fixture.storage.users() == ["bob", "carl"])
  }

  @Test("the session's choice of a default comes before the file's, until the session ends")
  func sessionDefault() throws {
    let fixture = try stored()
    try fixture.vault.setDefaultUser("ann", for: gitSpace())
    try fixture.vault.setDefaultUser("bob", for: gitSpace())
    try fixture.settle()
    let space = foundationSpace()
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: space), "two")
        == URLCredentialValues("bob", .forSession))
    // A lookup in a space without any default asks the file for both.
    let host = try HostName("git.example.com")
    let spaces = [try gitSpace(), try gitSpace(method: .digest)]
    #expect(try fixture.vault.defaultUsers(for: spaces, of: host) == ["bob"])
    try fixture.vault.removeAll(.session)
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: space), "one")
        == URLCredentialValues("ann"))
    #expect(try fixture.vault.defaultUsers(for: spaces, of: host) == ["ann"])
  }

  @Test("the only credential of a space is its default")
  func onlyOne() throws {
    let fixture = try StorageFixture()
    fixture.storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    #expect(
      URLCredentialValues(fixture.storage.defaultCredential(for: foundationSpace()), "one")
        == URLCredentialValues("ann"))
  }

  @Test("what expires is not found any more, though nothing was changed")
  func expired() throws {
    let fixture = try StorageFixture()
    try fixture.vault.close()
    let clock = TestClock(.now().adding(.seconds(1)))
    let vault = try Vault.open(path: fixture.path, key: fixture.key, time: clock.source)
    for persistence in [Persistence.session, .permanent] {
      var item = Item(
        space: try gitSpace(), account: "\(persistence)", secret: Secret("one"))
      item.expires = clock.now.adding(.seconds(60))
      try vault.add(item, persistence: persistence)
    }
    let storage = VaultCredentialStorage(vault)
    #expect(storage.users() == ["session", "permanent"])
    clock.pass(.seconds(59))
    #expect(storage.users() == ["session", "permanent"])
    clock.pass(.seconds(1))
    #expect(storage.credentials(for: foundationSpace()) == nil)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test("gives no private keys, no tokens, nothing that is no text or says that there is none")
  func others() throws {
    let fixture = try StorageFixture { vault in
      var negative = Item(space: try gitSpace(), account: "none", secret: nil)
      negative.isNegative = true
      try vault.add(negative)
      var identity = Item(space: try gitSpace(), account: "key", secret: Secret("x"))
      identity.secretKind = .identity
      try vault.add(identity)
      identity.account = "session"
      try vault.add(identity, persistence: .session)
      var token = Item(space: try gitSpace(), account: "token", secret: Secret("x"))
      token.secretKind = .token
      try vault.add(token)
      token.account = "session token"
      try vault.add(token, persistence: .session)
      let bytes: [UInt8] = [0xff, 0xfe]
      // The bytes live for the call.
      let secret = unsafe Secret(copying: bytes.span.bytes)
      try vault.add(Item(space: gitSpace(), account: "bytes", secret: secret))
    }
    #expect(fixture.storage.credentials(for: foundationSpace()) == nil)
    #expect(fixture.storage.defaultCredential(for: foundationSpace()) == nil)
    #expect(fixture.storage.allCredentials.isEmpty)
  }

  @Test("a locked vault answers at once with nothing, and with everything when it is unlocked")
  func locked() throws {
    let fixture = try stored()
    try fixture.vault.lock()
    #expect(fixture.storage.credentials(for: foundationSpace()) == nil)
    #expect(fixture.storage.defaultCredential(for: foundationSpace()) == nil)
    #expect(fixture.storage.allCredentials.isEmpty)
    fixture.storage.set(foundationCredential("carl", "x"), for: foundationSpace())
    #expect(fixture.storage.credentials(for: foundationSpace()) == nil)
    try fixture.settle(expecting: .locked)
    #expect(fixture.recorder.takeErrors() == [.locked])
    let other = try Vault.openLocked(path: fixture.path)
    try other.unlock(with: fixture.key)
    try fixture.settle()
    #expect(fixture.storage.said("ann", "one") == URLCredentialValues("ann"))
    #expect(fixture.storage.users() == ["ann"])
  }

  @Test("a storage can be opened over a locked vault")
  func openedLocked() throws {
    let fixture = try stored()
    try fixture.vault.close()
    let vault = try Vault.openLocked(path: fixture.path)
    let storage = VaultCredentialStorage(vault) { Issue.record("\($0.code)") }
    #expect(storage.credentials(for: foundationSpace()) == nil)
    try vault.unlock(with: fixture.key)
    try storage.flush()
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
  }

  @Test("a closed vault gives nothing, also where another one has its file open")
  func closed() throws {
    let fixture = try stored()
    let other = try fixture.open()
    try fixture.vault.close()
    #expect(fixture.storage.credentials(for: foundationSpace()) == nil)
    fixture.storage.set(foundationCredential("carl", "x"), for: foundationSpace())
    try fixture.settle(expecting: .closed)
    #expect(try other.users(for: gitSpace()) == ["bob", "ann"])
  }

  @Test("a space that cannot be is told, and answered with nothing")
  func impossible() throws {
    let fixture = try stored()
    for space in [foundationSpace("two words"), foundationSpace(""), foundationSpace(realm: "\0")] {
      #expect(fixture.storage.credentials(for: space) == nil)
      #expect(fixture.storage.defaultCredential(for: space) == nil)
      fixture.storage.set(foundationCredential("x", "y"), for: space)
      fixture.storage.remove(foundationCredential("x", "y"), for: space)
    }
    try fixture.settle()
    #expect(fixture.recorder.takeErrors() == Array(repeating: .invalidArgument, count: 12))
    for port in [-1, 70000] {
      #expect(fixture.storage.credentials(for: foundationSpace(port: port)) == nil)
    }
  }
}
