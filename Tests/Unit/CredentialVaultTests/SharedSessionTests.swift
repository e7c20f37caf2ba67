@testable import CredentialVault
@testable import VaultStore
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel
import VaultAdministration

/// A session that processes share, as one of them meets it.
@Suite("Vault: a shared session", .needsKeyrings)
final class SharedSessionTests {
  private let fixture: Fixture
  private let vault: Vault
  private let recorder = EventRecorder()

  init() throws {
    LoginFolder.useOwn()
    fixture = try Fixture()
    vault = try Vault.open(path: fixture.path, key: fixture.key, withSharedSession: true)
  }

  // No key of a test is to count against the quota.
  deinit {
    _ = try? RememberedKey(vault).forget()
  }

  private func find(_ account: String = "ann") throws -> String? {
    var query = ItemQuery()
    query.account = .equals(account)
    return try vault.findAll(query, withSecrets: true).first?.secret.map {
      String(decoding: $0.array, as: UTF8.self)
    }
  }

  /// Returns the paths of the vault's sessions.
  private func files(of vault: Vault) throws -> [String] {
    let id = try #require(vault.session.shared).vault.hex
    guard let folder = try RuntimeFolder.existing() else { return [] }
    return try Posix.names(in: folder).filter { $0.hasPrefix(id) }.map { "\(folder)/\($0)" }
  }

  @Test("hides the file's credentials, and is hidden by this process's own")
  func layers() throws {
    try vault.add(item("ann", "permanent"))
    try vault.add(item("ann", "shared"), persistence: .session)
    #expect(try find() == "shared")
    expect(.duplicateItem) {
      _ = try vault.add(item("ann", "again"), persistence: .session)
    }
    // Another part of the program that shares nothing sees nothing of it.
    let other = fixture.vault
    #expect(try other.findAll(ItemQuery()).map(\.persistence) == [.permanent])
    let own = try other.add(item("ann", "own"), persistence: .session).item
    #expect(try find() == "own")
    #expect(try vault.credentials(for: space()).map(\.persistence) == [.session])
    #expect(try vault.removeAll(ItemQuery(key: own.key)) == 3)
  }

  @Test("each change is one event, as of any other session")
  func events() throws {
    let observation = vault.events.observe(recorder)
    let added = try vault.add(item(), persistence: .session).item
    let subject = VaultEvent.Subject(id: added.id, space: try space(), persistence: .session)
    #expect(added.persistence == .session)
    #expect(recorder.take() == [.added(subject)])
    try vault.modify(added, [.secret(Secret("two")), .comment("x")])
    #expect(recorder.take() == [.modified(subject)])
    try vault.setDefaultUser("ann", for: space())
    #expect(try vault.defaultUser(for: space()) == "ann")
    #expect(recorder.take() == [.defaultChanged(try space())])
    try vault.remove(vault.findUnique(ItemQuery()))
    #expect(recorder.take() == [.removed(subject)])
    observation.cancel()
  }

  @Test("is as it was if a transaction of the file fails: revision, key, secret and history")
  func failedTransaction() throws {
    let long = String(repeating: "long", count: 500)
    let ann = try vault.add(item("ann", long), persistence: .session).item
    try vault.modify(ann, [.secret(Secret("second"))])
    let old = try vault.findUnique(ItemQuery(), withSecrets: true)
    let observation = vault.events.observe(recorder)
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.modify(old, [.secret(Secret("third")), .comment("changed")])
        try transaction.modify(old, [.account("bob")])
        if let space = old.space { try transaction.setDefaultUser("bob", for: space) }
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    expect(.conflict) {
      try vault.writing { (transaction) throws(VaultError) in
        try transaction.remove(old, ifRevision: old.revision)
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    let now = try vault.findUnique(ItemQuery(), withSecrets: true)
    #expect(now.id == old.id && now.revision == old.revision && now.key == old.key)
    #expect(now.comment.isEmpty && now.secret?.array == Array("second".utf8))
    let history = try vault.history.entries(of: now, withSecrets: true)
    #expect(history.map { $0.secret?.array } == [Array(long.utf8)])
    #expect(try vault.defaults().isEmpty)
    #expect(recorder.take() == [])
    observation.cancel()
  }

  @Test("moves to the file and back, with the default of its user")
  func moves() throws {
    try vault.add(item("ann", "secret"), persistence: .session)
    try vault.setDefaultUser("ann", for: space())
    try vault.move(user: "ann", for: space(), to: .permanent)
    #expect(try vault.findAll(ItemQuery()).map(\.persistence) == [.permanent])
    #expect(try fixture.vault.defaultUser(for: space()) == "ann")
    try vault.move(user: "ann", for: space(), to: .session)
    #expect(try vault.findAll(ItemQuery()).map(\.persistence) == [.session])
    #expect(try fixture.vault.findAll(ItemQuery()).isEmpty && find() == "secret")
    #expect(try vault.defaultUser(for: space()) == "ann")
    #expect(try vault.trash.items(ItemQuery()).isEmpty)
  }

  @Test("the policy of the vault caps it, by time and by what may be kept")
  func policy() throws {
    var rule = PersistencePolicy.Rule(name: "brief")
    rule.maximumPersistence = .session
    rule.lifetime = .seconds(3600)
    try vault.policy.update { [rule] in $0 = [rule] }
    let stored = try vault.upsert(item("ann", "one"))
    #expect(stored.item.persistence == .session && stored.decision.granted == .session)
    #expect(try #require(stored.item.keptUntil) > .now())
    #expect(try vault.upsert(item("ann", "two")).item.id == stored.item.id)
    rule.maximumPersistence = .none
    try vault.policy.update { [rule] in $0 = [rule] }
    #expect(try vault.policy.apply().map(\.remedy) == [.remove])
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("a default of this process's own stays if the one to share cannot be committed")
  func unsharedDefault() throws {
    let fixture = try Fixture()
    let vault = try Vault.open(
      path: fixture.path, key: fixture.key, lockTimeout: .seconds(2), withSharedSession: true)
    defer { _ = try? RememberedKey(vault).forget() }
    for user in ["bob", "eve"] { try vault.add(item(user, "shared"), persistence: .session) }
    try vault.setDefaultUser("bob", for: space())
    // Another part of the program that shares nothing.
    try fixture.vault.add(item("ann", "own"), persistence: .session)
    try fixture.vault.setDefaultUser("ann", for: space())
    let holder = try LockHolder(#require(files(of: vault).first))
    try holder.share()
    for user in ["eve", nil] {
      expect(.busy) { try vault.setDefaultUser(user, for: space()) }
      #expect(try vault.defaultUser(for: space()) == "ann")
    }
    try holder.unlock()
    try vault.setDefaultUser("eve", for: space())
    #expect(try vault.defaultUser(for: space()) == "eve")
  }

  @Test("says without beginning it whether it can be shared")
  func possible() throws {
    #expect(try vault.canShareSession)
    #expect(try !vault.isSessionShared && files(of: vault).isEmpty)
    #expect(try !fixture.vault.canShareSession)
    try vault.policy.setMostRemembered(0)
    #expect(try !vault.canShareSession)
  }

  /// Returns the file of the one session that the vault has, and its ident.
  private func session() throws -> (path: String, ident: Ident) {
    let path = try #require(files(of: vault).first { $0.hasSuffix(".session") })
    let digits = Array(path.dropLast(".session".count).suffix(32))
    let bytes = stride(from: 0, to: 32, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
    let id = try #require(VaultID(bytes.compactMap(\.self)[...]))
    return (path, Ident(vaultID: id, epoch: 1))
  }

  /// Returns the times of the session's key.
  private func times() throws -> RememberedTime {
    let owner = try #require(vault.session.shared).owner
    let found = try #require(
      RememberedKeys.look(
        session().ident, sessionOf: owner, isUse: false, at: BootMark.current()))
    return RememberedTime(idle: Int64(found.idle), most: Int64(found.secondsLeft))
  }

  @Test("lasts as long as the vault's key, whichever of the two is kept first")
  func lifetime() throws {
    try RememberedKey(vault).remember(for: RememberedTime(idle: 1000, most: 2000))
    try vault.add(item(), persistence: .session)
    var times = try self.times()
    #expect(times.idle == 1000 && (1900...2000).contains(times.most))
    try RememberedKey(vault).remember(for: RememberedTime(idle: 500, most: 600))
    times = try self.times()
    #expect(times.idle == 500 && (501...600).contains(times.most))
    try RememberedKey(vault).remember(for: .oneUse)
    #expect(try self.times().idle == 500)
    #expect(try find() == "one")
  }

  @Test("a lock wipes it here alone; forgetting the vault's key ends it for all, for good")
  func ending() throws {
    try vault.add(item("ann", "secret"), persistence: .session)
    try vault.lock()
    expect(.locked) { _ = try vault.findAll(ItemQuery()) }
    try vault.unlock(with: fixture.key)
    #expect(try find() == "secret")
    #expect(try files(of: vault).count == 1)
    try RememberedKey(vault).forget()
    #expect(try files(of: vault).isEmpty)
    #expect(try find() == nil)
    try vault.add(item("bob", "other"), persistence: .session)
    #expect(try vault.findAll(ItemQuery()).map(\.account) == ["bob"])
    try vault.removeAll(.session)
    #expect(try vault.findAll(ItemQuery()).isEmpty)
  }

  @Test("one that ends while something waits to be stored in it is followed by a new one")
  func endingMeanwhile() throws {
    try vault.add(item("ann", "secret"), persistence: .session)
    let (path, ident) = try session()
    let owner = try #require(vault.session.shared).owner
    let bob = try item("bob", "other")
    var attempts = 0
    let isShared = try vault.session.place(isQuiet: true) { (transaction) throws(VaultError) in
      attempts += 1
      if attempts == 1 {
        // As another process ends it.
        try RememberedKeys.forget(ident, sessionOf: owner)
        SessionFile.remove(path)
      }
      _ = try transaction.add(bob)
      return true
    } own: { () throws(VaultError) in
      false
    }
    #expect(isShared && attempts == 2)
    #expect(try vault.findAll(ItemQuery()).map(\.account) == ["bob"])
    #expect(try session().path != path)
  }

  @Test("a vault that forbids its keys to be remembered shares none, and says so")
  func forbidden() throws {
    try vault.keys.requireSharedSession()
    expect(.unsupported) { try fixture.vault.keys.requireSharedSession() }
    try vault.policy.setMostRemembered(0)
    expect(.policyRefused) { try vault.keys.requireSharedSession() }
    // It is kept nevertheless, in this process.
    try vault.add(item("ann", "secret"), persistence: .session)
    #expect(try fixture.vault.findAll(ItemQuery()).map(\.persistence) == [.session])
  }
}
