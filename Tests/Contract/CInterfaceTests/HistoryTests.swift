import CVault
import CredentialVault
import TestSupport
import Testing
import VaultC

@Suite("the past through the C interface")
struct HistoryTests {
  private let folder: TemporaryFolder
  private let vault: CVaultObject
  private let item: CItem

  /// Makes a vault with an item whose secret was changed twice.
  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    vault = try CVaultObject.inFile(of: folder)
    item = try vault.add(
      CAttributes(
        [VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"], secret: "one"),
      VAULT_PERSISTENCE_PERMANENT)
    for secret in ["two", "three"] { try item.modify(CAttributes([:], secret: secret)) }
  }

  // MARK: Previous secrets

  @Test("the secrets before are listed with their times, the newest first, and opened one by one")
  func history() throws {
    let history = try item.history()
    #expect(try history.map { previous in try item.previousSecret(previous) } == ["two", "one"])
    #expect(history[0].replaced > history[1].replaced)
    #expect(try history[1].set == item.number(VAULT_CREATED))
    #expect(history.allSatisfy { $0.set <= $0.replaced })
    #expect(history.allSatisfy { $0.expires == 0 && $0.kept_until == 0 && $0.secret_kind == 0 })
    let other = try vault.add(CAttributes([VAULT_ACCOUNT.rawValue: "bob"]))
    #expect(try other.history().isEmpty)
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try other.previousSecret(history[0]) }
  }

  @Test("an expiry and a kind are those of the time, and what has expired is not opened")
  func expired() throws {
    let changes = try CAttributes([:], secret: "four")
    try changes.set(VAULT_EXPIRES, 1_000)
    try changes.set(VAULT_SECRET_KIND, 1)
    try item.modify(changes)
    let last = try CAttributes([:], secret: "five")
    try last.set(VAULT_EXPIRES, 0)
    try item.modify(last)
    let newest = try #require(item.history().first)
    #expect(newest.expires == 1_000 && newest.secret_kind == 1)
    #expect(throws: Failure(VAULT_EXPIRED)) { try item.previousSecret(newest) }
    #expect(throws: Failure(VAULT_EXPIRED)) { try item.revert(to: newest) }
  }

  @Test("the newest secret or a chosen one comes back, and the handle shows it")
  func revert() throws {
    let oldest = try #require(item.history().last)
    let revision = try item.number(VAULT_REVISION)
    try item.revert()
    #expect(try item.secret() == "two")
    #expect(try item.number(VAULT_REVISION) > revision)
    #expect(throws: Failure(VAULT_CONFLICT)) { try item.revert(ifRevision: revision) }
    try item.revert(to: oldest, ifRevision: item.number(VAULT_REVISION))
    #expect(try vault.find(nil).secret() == "one")
    var unknown = oldest
    unknown.replaced += 1
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.revert(to: unknown) }
    try item.remove()
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try item.revert() }
  }

  @Test("a vault keeps as many as it was told")
  func limit() throws {
    var limit = -1
    // The place is this function's own.
    try check(unsafe vault_get_history_limit(vault.handle, &limit))
    #expect(limit == 10)
    try check(unsafe vault_set_history_limit(vault.handle, 1))
    #expect(try item.history().count == 1)
    for limit in [101, -1, .max] {
      #expect(unsafe vault_set_history_limit(vault.handle, limit) == VAULT_INVALID_ARGUMENT)
    }
    let memory = try CVaultObject.inMemory()
    #expect(unsafe vault_set_history_limit(memory.handle, 1) == VAULT_UNSUPPORTED)
  }

  // MARK: The trash

  @Test("what was removed is in the trash with its time, and comes back with its past")
  func restore() throws {
    try item.remove()
    let removed = try #require(vault.trash().first)
    #expect(try removed.text(VAULT_ID) == item.text(VAULT_ID))
    let days = try removed.number(VAULT_RESTORABLE_UNTIL) - removed.number(VAULT_REMOVED)
    #expect(days == 30 * 86_400_000)
    #expect(try item.number(VAULT_REMOVED) == 0 && item.number(VAULT_RESTORABLE_UNTIL) == 0)
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try removed.secret() }
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try removed.remove() }
    // Only a handle of the trash says which of several removals is meant.
    #expect(unsafe vault_trash_restore(item.handle) == VAULT_ITEM_NOT_FOUND)
    #expect(unsafe vault_trash_remove(item.handle) == VAULT_ITEM_NOT_FOUND)

    try removed.restore()
    #expect(try removed.number(VAULT_REMOVED) == 0)
    #expect(try removed.secret() == "three")
    #expect(try removed.history().count == 2)
    #expect(try vault.trash().isEmpty)
    #expect(unsafe vault_trash_restore(removed.handle) == VAULT_ITEM_NOT_FOUND)
  }

  @Test("an item of the same key is in the way of a restored one, and is named")
  func duplicate() throws {
    try item.remove()
    let other = try vault.add(
      CAttributes([VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"]),
      VAULT_PERSISTENCE_PERMANENT)
    let removed = try #require(vault.trash().first)
    #expect(unsafe vault_trash_restore(removed.handle) == VAULT_DUPLICATE_ITEM)
    #expect(try vault.candidates().map { try $0.text(VAULT_ID) } == [other.text(VAULT_ID)])
    #expect(try removed.number(VAULT_REMOVED) > 0)
  }

  @Test("one item leaves the trash for good, or all that match do")
  func empty() throws {
    try item.remove()
    for account in ["bob", "eve", "joe"] {
      let attributes = try CAttributes([VAULT_ACCOUNT.rawValue: account])
      try vault.add(attributes, VAULT_PERSISTENCE_PERMANENT).remove()
    }
    let generic = try CAttributes([VAULT_SERVICE.rawValue: "backup"])
    try vault.add(generic, VAULT_PERSISTENCE_PERMANENT).remove()
    #expect(try vault.trash().count == 4)
    #expect(try vault.trash(limit: 3).count == 3)
    let bob = try CAttributes([VAULT_ACCOUNT.rawValue: "bob"])
    let removed = try #require(vault.trash(bob).first)
    try removed.removeForGood()
    #expect(unsafe vault_trash_remove(removed.handle) == VAULT_ITEM_NOT_FOUND)
    #expect(try vault.emptyTrash(CAttributes([VAULT_ACCOUNT.rawValue: "eve"])) == 1)
    #expect(try vault.emptyTrash() == 2)
    #expect(try vault.trash(generic).count == 1)
    #expect(try vault.emptyTrash(generic) == 1)
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.trash(nil, VAULT_WITH_SECRETS) }
  }

  @Test("a vault keeps what was removed for as many days as it was told")
  func days() throws {
    var days = -1
    // The place is this function's own.
    try check(unsafe vault_get_trash_days(vault.handle, &days))
    #expect(days == 30)
    try item.remove()
    try check(unsafe vault_set_trash_days(vault.handle, 0))
    #expect(try vault.trash().isEmpty)
    for days in [366, -1, .max] {
      #expect(unsafe vault_set_trash_days(vault.handle, days) == VAULT_INVALID_ARGUMENT)
    }
    let memory = try CVaultObject.inMemory()
    #expect(unsafe vault_set_trash_days(memory.handle, 1) == VAULT_UNSUPPORTED)
    #expect(throws: Failure(VAULT_UNSUPPORTED)) { try memory.emptyTrash() }
    #expect(try memory.trash().isEmpty)
  }

  // MARK: Removing one

  @Test("the one item that matches is removed and returned, and one of several is not")
  func removeUnique() throws {
    let server = try CAttributes([VAULT_SERVER.rawValue: "example.com"])
    let bob = try CAttributes([VAULT_ACCOUNT.rawValue: "bob", VAULT_SERVER.rawValue: "example.com"])
    _ = try vault.add(bob, VAULT_PERSISTENCE_PERMANENT)
    #expect(throws: Failure(VAULT_AMBIGUOUS)) { try vault.removeUnique(server) }
    #expect(try vault.candidates().map { try $0.text(VAULT_ACCOUNT) } == ["ann", "bob"])
    #expect(try vault.count(nil) == 2)
    #expect(try vault.removeUnique(bob).text(VAULT_ACCOUNT) == "bob")
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.removeUnique(bob) }
    #expect(try vault.trash().count == 1)
    for query in [nil, try CAttributes(), try CAttributes([:], secret: "three")] {
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeUnique(query) }
    }
    #expect(try vault.findAll(nil) == ["ann"])
  }

  // MARK: Candidates

  @Test("the items that a failure is about are those of the thread's last one")
  func candidates() throws {
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try vault.add(
        CAttributes([VAULT_ACCOUNT.rawValue: "ann", VAULT_SERVER.rawValue: "example.com"]),
        VAULT_PERSISTENCE_PERMANENT)
    }
    let duplicate = try #require(vault.candidates().first)
    #expect(try duplicate.text(VAULT_ID) == item.text(VAULT_ID))
    #expect(try duplicate.secret() == "three")
    // A call that succeeds in between changes nothing.
    #expect(try vault.count(nil) == 1)
    #expect(try vault.candidates().count == 1)

    #expect(throws: Failure(VAULT_CONFLICT)) { try item.remove(ifRevision: 1) }
    #expect(
      try vault.candidates().map { try $0.number(VAULT_REVISION) }
        == [item.number(VAULT_REVISION)])
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) {
      try vault.find(CAttributes([VAULT_ACCOUNT.rawValue: "eve"]))
    }
    #expect(try vault.candidates().isEmpty)
  }

  @Test("another thread has no candidates of this one")
  func thread() async throws {
    let vault = try CVaultObject.inMemory()
    for account in ["ann", "bob"] {
      _ = try vault.add(CAttributes([VAULT_ACCOUNT.rawValue: account]))
    }
    #expect(throws: Failure(VAULT_AMBIGUOUS)) { try vault.findUnique(nil) }
    let count = try await inThread { try vault.candidates().count }
    #expect(count == 0)
  }
}
