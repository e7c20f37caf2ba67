import CredentialVault
import Foundation
import FoundationNetworking
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel
import VaultURLSession

@Suite("VaultCredentialStorage: what others change", .waiting)
struct StorageFollowingTests {
  private func credential(
    _ user: String, _ secret: String, _ persistence: Persistence = .permanent
  ) -> Credential {
    Credential(user: user, secret: Secret(secret), persistence: persistence)
  }

  @Test("what another vault of this process does is seen and told, each once")
  func otherVault() throws {
    let fixture = try StorageFixture()
    let other = try fixture.open()
    let storage = fixture.storage
    func expectOneChange(_ change: () throws -> Void) throws {
      try change()
      try fixture.settle()
      #expect(fixture.recorder.takeChanges() == 1)
    }
    try expectOneChange { try other.set(credential("ann", "one"), for: gitSpace()) }
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
    try expectOneChange { try other.set(credential("ann", "two"), for: gitSpace()) }
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    try expectOneChange { try other.setDefaultUser("ann", for: gitSpace()) }
    try expectOneChange { try other.move(user: "ann", for: gitSpace(), to: .session) }
    #expect(storage.said("ann", "two") == URLCredentialValues("ann", .forSession))
    try expectOneChange { try other.move(user: "ann", for: gitSpace(), to: .permanent) }
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    try expectOneChange {
      try other.modify(other.findUnique(ItemQuery(gitSpace()), withSecrets: true), [.port(8443)])
    }
    #expect(storage.users().isEmpty)
    #expect(storage.users(foundationSpace(port: 8443)) == ["ann"])
    try expectOneChange {
      try other.remove(
        user: "ann",
        for: ProtectionSpace(
          host: "git.example.com", port: 8443, realm: "Team Git", authenticationMethod: .basic))
    }
    #expect(storage.allCredentials.isEmpty)
  }

  @Test("what is removed or locked elsewhere in the process is gone when that returns")
  func removed() throws {
    let fixture = try StorageFixture { vault in
      for user in ["ann", "bob"] { try vault.set(credential(user, "one"), for: gitSpace()) }
      try vault.set(credential("carl", "one", .session), for: gitSpace())
    }
    let other = try fixture.open()
    try other.remove(user: "ann", for: gitSpace())
    #expect(fixture.storage.users() == ["bob", "carl"])
    try other.remove(user: "carl", for: gitSpace())
    #expect(fixture.storage.users() == ["bob"])
    try other.lock()
    #expect(fixture.storage.credentials(for: foundationSpace()) == nil)
  }

  @Test("a file that was removed is not answered out of, and that is told")
  func fileRemoved() throws {
    let fixture = try StorageFixture { vault in
      try vault.set(credential("ann", "one"), for: gitSpace())
      try vault.set(credential("bob", "two", .session), for: gitSpace())
    }
    #expect(fixture.storage.users() == ["ann", "bob"])
    try FileManager.default.removeItem(atPath: fixture.path)
    // A vault checks the name of its file only so often.
    let limit = ContinuousClock.now + .seconds(120)
    while fixture.storage.users() != ["bob"], ContinuousClock.now < limit {
      try fixture.settle()
    }
    #expect(fixture.storage.users() == ["bob"])
    try fixture.settle()
    #expect(fixture.recorder.takeErrors().contains(.vaultNotFound))
  }

  @Test("a file that was away for a while is answered out of again")
  func fileAway() throws {
    let fixture = try StorageFixture { try $0.set(credential("ann", "one"), for: gitSpace()) }
    let away = fixture.path + ".away"
    try FileManager.default.moveItem(atPath: fixture.path, toPath: away)
    var limit = ContinuousClock.now + .seconds(120)
    while !fixture.storage.users().isEmpty, ContinuousClock.now < limit { try fixture.settle() }
    #expect(fixture.storage.users().isEmpty)
    try FileManager.default.moveItem(atPath: away, toPath: fixture.path)
    limit = ContinuousClock.now + .seconds(120)
    while fixture.storage.users().isEmpty, ContinuousClock.now < limit { try fixture.settle() }
    #expect(fixture.storage.said("ann", "one") == URLCredentialValues("ann"))
  }

  @Test("opening a storage over what is stored is no change, nor unlocking a vault of nothing")
  func nothingNew() throws {
    let full = try StorageFixture { try $0.set(credential("ann", "one"), for: gitSpace()) }
    try full.settle()
    #expect(full.recorder.takeChanges() == 0)
    let empty = try StorageFixture()
    try empty.vault.lock()
    try empty.settle()
    _ = empty.recorder.takeChanges()
    try empty.vault.unlock(with: empty.key)
    try empty.settle()
    #expect(empty.recorder.takeChanges() == 0)
  }

  @Test("what was moved to the session ends with it")
  func movedToSession() throws {
    let fixture = try StorageFixture { try $0.set(credential("ann", "one"), for: gitSpace()) }
    try fixture.open().move(user: "ann", for: gitSpace(), to: .session)
    try fixture.settle()
    #expect(fixture.storage.said("ann", "one") == URLCredentialValues("ann", .forSession))
    try fixture.vault.removeAll(.session)
    #expect(fixture.storage.users().isEmpty)
  }

  @Test("a policy that is changed is nothing to tell")
  func policy() throws {
    let fixture = try StorageFixture()
    try fixture.vault.policy.update { $0 = [PersistencePolicy.Rule(name: "any")] }
    try fixture.settle()
    #expect(fixture.recorder.takeChanges() == 0)
  }

  @Test("another process sees what was set after a flush, and what it does is seen and told")
  func otherProcess() throws {
    StateFolder.useOwn()
    let sandbox = try Sandbox()
    #expect(try sandbox.makeVault().status == 0)
    let vault = try Vault.open(
      path: sandbox.home.appending(path: "test.vault").path,
      key: .keyFile(sandbox.home.appending(path: "test.key").path))
    let recorder = StorageRecorder()
    let storage = VaultCredentialStorage(vault) { recorder.note($0) }
    recorder.observe(storage)
    storage.set(foundationCredential("ann", "one"), for: foundationSpace(method: nil))
    try storage.flush()
    let item = ["-s", "git.example.com", "-d", "Team Git", "-a"]
    let found = try sandbox.run(["vaultctl", "find", "-w"] + item + ["ann"])
    #expect(found.status == 0)
    let isSeen = found.lines == ["one"]
    #expect(isSeen)
    recorder.waitForAll(of: storage)
    #expect(recorder.takeChanges() == 1)

    let modified = try sandbox.run(
      ["vaultctl", "modify", "-q", "--password-stdin"] + item + ["ann"], input: "two")
    #expect(modified.status == 0)
    let added = try sandbox.run(
      ["vaultctl", "add", "-q", "--password-stdin", "-r", "https"] + item + ["bob"], input: "three")
    #expect(added.status == 0)
    // A lookup causes a check of the file, and a later one has the result.
    let limit = ContinuousClock.now + .seconds(120)
    while storage.users() != ["ann", "bob"], ContinuousClock.now < limit {}
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    #expect(storage.said("bob", "three") == URLCredentialValues("bob"))
    recorder.waitForAll(of: storage)
    #expect(recorder.takeChanges() == 1)

    let hub = ["vaultctl", "add", "-q", "--password-stdin", "-r", "https", "-s", "hub.example.com"]
    #expect(try sandbox.run(hub + ["-a", "carl"], input: "four").status == 0)
    // Nobody has asked meanwhile: the flush does the check.
    try storage.flush()
    #expect(storage.users(foundationSpace("hub.example.com", realm: nil, method: nil)) == ["carl"])

    storage.remove(foundationCredential("ann", ""), for: foundationSpace())
    try storage.flush()
    #expect(try sandbox.run(["vaultctl", "find", "-w"] + item + ["ann"]).status != 0)
    #expect(try sandbox.run(["vaultctl", "find", "-w"] + item + ["bob"]).status == 0)
  }
}

/// A default that was the session's, and is made permanent by somebody else.
@Suite("A default that is raised", .waiting) struct RaisedDefaultTests {
  @Test("stays the storage's default")
  func raised() throws {
    let fixture = try StorageFixture { vault in
      for user in ["ann", "bob"] {
        try vault.set(
          Credential(user: user, secret: Secret("one"), persistence: .permanent), for: gitSpace())
      }
    }
    for persistence in [Persistence.session, .permanent] {
      try fixture.vault.setDefaultCredential(
        Credential(user: "ann", secret: Secret("one"), persistence: persistence), for: gitSpace())
      try fixture.settle()
      #expect(try fixture.vault.defaultUser(for: gitSpace()) == "ann")
      #expect(fixture.storage.defaultCredential(for: foundationSpace())?.user == "ann")
    }
  }
}
