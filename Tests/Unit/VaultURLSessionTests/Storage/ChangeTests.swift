import CredentialVault
import Foundation
import FoundationNetworking
import Glibc
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultModel
import VaultURLSession

@Suite("VaultCredentialStorage: changing", .waiting)
struct ChangeTests {
  let fixture: StorageFixture
  var storage: VaultCredentialStorage { fixture.storage }
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try StorageFixture()
  }

  @Test(
    "what is set is seen at once, and stored as it asks",
    arguments: [URLCredential.Persistence.forSession, .permanent])
  func set(persistence: URLCredential.Persistence) throws {
    storage.set(foundationCredential("ann", "one", persistence), for: foundationSpace())
    #expect(storage.said("ann", "one") == URLCredentialValues("ann", persistence))
    try fixture.settle()
    #expect(storage.said("ann", "one") == URLCredentialValues("ann", persistence))
    let isThere = try vault.permanent("ann", is: "one")
    #expect(isThere == (persistence == .permanent ? true : nil))
    #expect(fixture.recorder.takeChanges() == 1)
  }

  @Test("none stores nothing, removes nothing and tells nobody")
  func none() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    try fixture.settle()
    #expect(fixture.recorder.takeChanges() == 1)
    storage.set(foundationCredential("ann", "other", .none), for: foundationSpace())
    storage.setDefaultCredential(foundationCredential("bob", "two", .none), for: foundationSpace())
    try fixture.settle()
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
    #expect(storage.users() == ["ann"])
    #expect(fixture.recorder.takeChanges() == 0)
  }

  @Test("another password takes the place of the first, in the same item")
  func replaced() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    try fixture.settle()
    let item = try vault.findUnique(ItemQuery(gitSpace()), withSecrets: true)
    storage.set(foundationCredential("ann", "two"), for: foundationSpace())
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    try fixture.settle()
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    #expect(try vault.findUnique(ItemQuery(gitSpace()), withSecrets: true).id == item.id)
    #expect(fixture.recorder.takeChanges() == 2)
  }

  @Test("what is there already is not written, and nobody is told")
  func unchanged() throws {
    storage.setDefaultCredential(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("bob", "two", .forSession), for: foundationSpace())
    try fixture.settle()
    _ = fixture.recorder.takeChanges()
    let events = Lock<[VaultEvent]>([])
    let observation = vault.events.observe { event in events.withLock { $0.append(event) } }
    let before = try vault.findAll(ItemQuery()).map(\.revision)
    for _ in 1...3 {
      storage.set(foundationCredential("ann", "one"), for: foundationSpace())
      storage.set(foundationCredential("bob", "two", .forSession), for: foundationSpace())
      storage.setDefaultCredential(foundationCredential("ann", "one"), for: foundationSpace())
      for credential in (storage.credentials(for: foundationSpace()) ?? [:]).values {
        storage.set(credential, for: foundationSpace())
      }
    }
    try fixture.settle()
    #expect(try vault.findAll(ItemQuery()).map(\.revision) == before)
    #expect(events.withLock { $0 }.isEmpty)
    #expect(fixture.recorder.takeChanges() == 0)
    observation.cancel()
  }

  @Test("one for the session hides the permanent one, which stays")
  func shadowed() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("ann", "two", .forSession), for: foundationSpace())
    #expect(storage.said("ann", "two") == URLCredentialValues("ann", .forSession))
    try fixture.settle()
    #expect(storage.said("ann", "two") == URLCredentialValues("ann", .forSession))
    let stays = try vault.permanent("ann", is: "one")
    #expect(stays == true)
    try vault.removeAll(.session)
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
  }

  @Test("a permanent one takes the place of the session's")
  func raised() throws {
    storage.set(foundationCredential("ann", "one", .forSession), for: foundationSpace())
    try fixture.settle()
    storage.set(foundationCredential("ann", "two"), for: foundationSpace())
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    try fixture.settle()
    #expect(storage.said("ann", "two") == URLCredentialValues("ann"))
    #expect(try vault.findAll(ItemQuery()).count == 1)
  }

  @Test("what a policy does not grant is seen as it was granted, or told")
  func policy() throws {
    var rule = PersistencePolicy.Rule(name: "session")
    rule.maximumPersistence = .session
    rule.host = try HostPattern("git.example.com")
    var refusing = PersistencePolicy.Rule(name: "never")
    refusing.refuse = true
    try vault.policy.update { $0 = [rule, refusing] }
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("bob", "two"), for: foundationSpace("hub.example.com"))
    try fixture.settle(expecting: .policyRefused)
    #expect(storage.said("ann", "one") == URLCredentialValues("ann", .forSession))
    #expect(storage.users(foundationSpace("hub.example.com")).isEmpty)
    #expect(fixture.recorder.takeErrors() == [.policyRefused])
    #expect(fixture.recorder.takeChanges() == 1)
  }

  @Test("a flush returns after everybody was told")
  func flushed() throws {
    let told = Lock(0)
    let token = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { [storage] _ in
      usleep(50_000)
      // An observer may flush itself.
      #expect(throws: Never.self) { try storage.flush() }
      told.withLock { $0 += 1 }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    for number in 1...3 {
      storage.set(foundationCredential("ann", "\(number)"), for: foundationSpace())
      try storage.flush()
      #expect(told.withLock { $0 } == number)
    }
  }

  @Test("a flush in a queue that an observer waits for ends, too")
  func flushedInQueue() throws {
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    let token = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: queue
    ) { _ in }
    defer { NotificationCenter.default.removeObserver(token) }
    let end = DispatchSemaphore(value: 0)
    queue.addOperation { [storage] in
      storage.set(foundationCredential("ann", "one"), for: foundationSpace())
      #expect(throws: Never.self) { try storage.flush() }
      end.signal()
    }
    try #require(end.wait(timeout: .now() + 120) == .success)
  }

  @Test("the first failure since the last time is thrown, and each is told")
  func failures() throws {
    try vault.lock()
    for user in ["ann", "bob", "carl"] {
      storage.set(foundationCredential(user, "x"), for: foundationSpace())
    }
    try fixture.settle(expecting: .locked)
    #expect(fixture.recorder.takeErrors() == [.locked, .locked, .locked])
    try fixture.settle()
  }

  @Test("of two failures that differ it is the first that is thrown")
  func firstFailure() throws {
    var refusing = PersistencePolicy.Rule(name: "never")
    refusing.host = try HostPattern("hub.example.com")
    refusing.refuse = true
    try vault.policy.update { [refusing] in $0 = [refusing] }
    storage.set(foundationCredential("ann", "one"), for: foundationSpace("hub.example.com"))
    let long = String(repeating: "x", count: 5000)
    storage.set(foundationCredential(long, "two"), for: foundationSpace())
    try fixture.settle(expecting: .policyRefused)
    #expect(fixture.recorder.takeErrors() == [.policyRefused, .tooLarge])
  }

  @Test("a user is removed from the session and from the file, whatever else the credential says")
  func removed() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(foundationCredential("ann", "two", .forSession), for: foundationSpace())
    storage.set(foundationCredential("bob", "three"), for: foundationSpace())
    try fixture.settle()
    _ = fixture.recorder.takeChanges()
    storage.remove(foundationCredential("ann", "wrong", .none), for: foundationSpace())
    #expect(storage.users() == ["bob"])
    try fixture.settle()
    #expect(storage.users() == ["bob"])
    #expect(try vault.users(for: gitSpace()) == ["bob"])
    #expect(fixture.recorder.takeChanges() == 1)
    // As with Apple's, a program's removal leaves nothing to restore.
    #expect(try vault.trash.items().isEmpty)
    storage.remove(foundationCredential("ann", "one"), for: foundationSpace())
    try fixture.settle()
    #expect(fixture.recorder.takeChanges() == 0)
    #expect(fixture.recorder.takeErrors().isEmpty)
  }

  @Test("what a lookup found without a realm can be removed")
  func removedWithoutRealm() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace(realm: nil))
    try fixture.settle()
    storage.remove(foundationCredential("bob", ""), for: foundationSpace())
    #expect(storage.users() == ["ann"])
    storage.remove(foundationCredential("ann", ""), for: foundationSpace())
    #expect(storage.users().isEmpty)
    try fixture.settle()
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("what is listed can be removed with the objects that were listed")
  func removedAsListed() throws {
    storage.set(foundationCredential("ann", "one"), for: foundationSpace())
    storage.set(
      foundationCredential("bob", "two", .forSession), for: foundationSpace("hub.example.com"))
    try fixture.settle()
    for (space, credentials) in storage.allCredentials {
      for credential in credentials.values { storage.remove(credential, for: space) }
    }
    #expect(storage.allCredentials.isEmpty)
    try fixture.settle()
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("a credential that says it is synchronizable is removed only where that is asked for")
  func synchronizable() throws {
    let persistence = try #require(URLCredential.Persistence(rawValue: 3))
    let credential = foundationCredential("ann", "one", persistence)
    storage.set(credential, for: foundationSpace())
    #expect(storage.said("ann", "one") == URLCredentialValues("ann"))
    let no = [NSURLCredentialStorageRemoveSynchronizableCredentials: NSNumber(value: false)]
    let yes = [NSURLCredentialStorageRemoveSynchronizableCredentials: NSNumber(value: true)]
    storage.remove(credential, for: foundationSpace())
    storage.remove(credential, for: foundationSpace(), options: [:])
    storage.remove(credential, for: foundationSpace(), options: no)
    #expect(storage.users() == ["ann"])
    storage.remove(credential, for: foundationSpace(), options: yes)
    #expect(storage.users().isEmpty)
    try fixture.settle()
    #expect(storage.users().isEmpty)
  }

  @Test("the default is stored if it is not there, and told once")
  func defaultAdded() throws {
    storage.set(foundationCredential("bob", "two"), for: foundationSpace())
    try fixture.settle()
    _ = fixture.recorder.takeChanges()
    storage.setDefaultCredential(foundationCredential("ann", "one"), for: foundationSpace())
    #expect(
      URLCredentialValues(storage.defaultCredential(for: foundationSpace()), "one")
        == URLCredentialValues("ann"))
    try fixture.settle()
    #expect(
      URLCredentialValues(storage.defaultCredential(for: foundationSpace()), "one")
        == URLCredentialValues("ann"))
    #expect(storage.users() == ["ann", "bob"])
    #expect(fixture.recorder.takeChanges() == 1)
    #expect(try vault.defaultUser(for: gitSpace()) == "ann")
  }

  @Test("a credential without a user or a password is told, and stores nothing")
  func incomplete() throws {
    final class Wordless: URLCredential, @unchecked Sendable {
      override var password: String? { nil }
    }
    final class Nameless: URLCredential, @unchecked Sendable {
      override var user: String? { nil }
    }
    let wordless = Wordless(user: "ann", password: "", persistence: .permanent)
    let nameless = Nameless(user: "ann", password: "one", persistence: .permanent)
    for credential in [wordless, nameless] {
      storage.set(credential, for: foundationSpace())
      try fixture.settle()
      #expect(fixture.recorder.takeErrors() == [.invalidArgument])
      #expect(storage.users().isEmpty)
    }
    storage.remove(nameless, for: foundationSpace())
    try fixture.settle()
    #expect(fixture.recorder.takeErrors() == [.invalidArgument])
  }

  @Test("what is queued is written though the storage is gone")
  func released() throws {
    weak var gone: VaultCredentialStorage?
    do {
      let other = VaultCredentialStorage(try fixture.open())
      gone = other
      for number in 1...50 {
        other.set(foundationCredential("user\(number)", "x"), for: foundationSpace())
      }
    }
    let limit = ContinuousClock.now + .seconds(120)
    // A change that is being told to it keeps it for that moment.
    while gone != nil, ContinuousClock.now < limit {}
    #expect(gone == nil)
    while try vault.users(for: gitSpace()).count < 50, ContinuousClock.now < limit {}
    #expect(try vault.users(for: gitSpace()).count == 50)
  }

  @Test("threads that set, look up and remove lose nothing")
  func threads() throws {
    let storage = storage
    inThreads(8) { thread in
      let space = foundationSpace("h\(thread % 4).example.com")
      for turn in 1...10 {
        storage.set(
          foundationCredential(
            "user\(thread)", "\(turn)", turn % 2 == 0 ? .permanent : .forSession),
          for: space)
        _ = storage.credentials(for: foundationSpace("h\(turn % 4).example.com"))
        if turn == 5 { storage.remove(foundationCredential("user\(thread)", ""), for: space) }
        if turn % 4 == 0 { _ = storage.allCredentials }
      }
    }
    try fixture.settle()
    for thread in 0..<8 {
      let space = foundationSpace("h\(thread % 4).example.com")
      #expect(storage.said("user\(thread)", "10", space) == URLCredentialValues("user\(thread)"))
    }
    #expect(try vault.findAll(ItemQuery()).count == 8)
  }
}
