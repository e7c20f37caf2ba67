import VaultAdministration
import CVault
import CredentialVault
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

@Suite("transactions through the C interface")
struct TransactionTests {
  private let folder: TemporaryFolder
  private let vault: CVaultObject

  /// Makes a vault with the item of Ann.
  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
    vault = try CVaultObject.inFile(of: folder)
    _ = try vault.add(Self.name("ann", secret: "one"), VAULT_PERSISTENCE_PERMANENT)
  }

  private static func name(_ account: String, secret: String? = nil) throws -> CAttributes {
    try CAttributes(
      [VAULT_ACCOUNT.rawValue: account, VAULT_SERVER.rawValue: "example.com"], secret: secret)
  }

  private func lastError() -> String? {
    // A C string that is the thread's own, until its next failure.
    unsafe vault_last_error().map { unsafe String(cString: $0) }
  }

  private func generation() throws -> UInt64 {
    try Vault.open(path: folder.file("vault"), key: .keyFile(folder.file("key"))).maintenance
      .information().generation
  }

  @Test("everything that a transaction changes is one commit, and it sees its own changes")
  func commit() throws {
    let before = try generation()
    var added: CItem?
    try vault.transaction { vault in
      added = try vault.addPermanently(Self.name("bob", secret: "two"))
      #expect(try vault.findAll(nil) == ["ann", "bob"])
      #expect(try vault.findAll(nil, limit: 1).count == 1)
      let bob = try vault.find(Self.name("bob"), VAULT_WITH_SECRETS)
      #expect(try bob.secret() == "two")
      try bob.modify(CAttributes([VAULT_COMMENT.rawValue: "new"], secret: "three"))
      #expect(try bob.text(VAULT_COMMENT) == "new")
      #expect(try bob.secret() == "three")
      _ = try vault.upsert(Self.name("ann", secret: "four"), VAULT_PERSISTENCE_PERMANENT)
      let eve = try vault.upsert(Self.name("eve"), VAULT_PERSISTENCE_PERMANENT)
      #expect(try vault.count(nil) == 3)
      try eve.remove()
      #expect(try vault.removeUnique(Self.name("bob")).text(VAULT_COMMENT) == "new")
      _ = try vault.addPermanently(Self.name("bob", secret: "five"))
    }
    #expect(try generation() == before + 1)
    #expect(try vault.findAll(nil) == ["ann", "bob"])
    #expect(try vault.find(Self.name("ann")).secret() == "four")
    #expect(try vault.find(Self.name("bob")).secret() == "five")
    // Its item was removed, and another one has the key.
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try added?.secret() }
    #expect(try vault.trash().count == 2)
  }

  @Test("all that match are removed, and a query that names nothing is refused")
  func removeAll() throws {
    try vault.transaction { vault in
      _ = try vault.addPermanently(Self.name("bob"))
      #expect(throws: Failure(VAULT_AMBIGUOUS)) { try vault.findUnique(nil) }
      #expect(try vault.candidates().count == 2)
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.removeAll(CAttributes()) }
      let server = try CAttributes([VAULT_SERVER.rawValue: "example.com"])
      #expect(throws: Failure(VAULT_AMBIGUOUS)) { try vault.removeUnique(server) }
      #expect(try vault.removeAll(server) == 2)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.find(nil) }
    }
    #expect(try vault.count(nil) == 0)
  }

  @Test("a transaction that changes nothing writes nothing")
  func nothing() throws {
    let before = try generation()
    try vault.transaction { vault in _ = try vault.find(nil) }
    #expect(try generation() == before)
  }

  @Test("a function that returns a status changes nothing, and the items are again what they were")
  func abandoned() throws {
    let before = try generation()
    let ann = try vault.find(nil)
    var bob: CItem?
    #expect(throws: Failure(VAULT_UNAVAILABLE)) {
      try vault.transaction { vault in
        bob = try vault.addPermanently(Self.name("bob", secret: "two"))
        for comment in ["first", "second"] {
          try ann.modify(CAttributes([VAULT_COMMENT.rawValue: comment]))
        }
        #expect(try ann.text(VAULT_COMMENT) == "second")
        throw Failure(VAULT_UNAVAILABLE)
      }
    }
    #expect(lastError()?.contains("status 19") == true)
    #expect(try generation() == before)
    #expect(try ann.text(VAULT_COMMENT) == "")
    #expect(try vault.findAll(nil) == ["ann"])
    #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try bob?.secret() }
    try ann.modify(
      CAttributes([VAULT_COMMENT.rawValue: "now"]), ifRevision: ann.number(VAULT_REVISION))
  }

  @Test("a failure within leaves its words and its items, and the function may go on after it")
  func failure() throws {
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try vault.transaction { vault in _ = try vault.addPermanently(Self.name("ann")) }
    }
    #expect(lastError() == "an item with the same key exists already")
    #expect(try vault.candidates().map { try $0.text(VAULT_ACCOUNT) } == ["ann"])
    // The same status of the function's own has nothing to do with an earlier failure.
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try vault.transaction { _ in throw Failure(VAULT_DUPLICATE_ITEM) }
    }
    #expect(lastError()?.contains("status 5") == true)
    #expect(try vault.candidates().isEmpty)
    try vault.transaction { vault in
      #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) { try vault.addPermanently(Self.name("ann")) }
      _ = try vault.addPermanently(Self.name("bob"))
    }
    #expect(try vault.findAll(nil) == ["ann", "bob"])
  }

  @Test(
    "any status abandons a transaction and is returned, also one that the library does not have")
  func status() throws {
    for number in [1, 24, 29, 4242, .max] as [UInt32] {
      #expect(throws: Failure(vault_status_t(number))) {
        try vault.transaction { vault in
          _ = try vault.removeAll(Self.name("ann"))
          throw Failure(vault_status_t(number))
        }
      }
      #expect(try vault.count(nil) == 1)
    }
  }

  /// Returns the status of a call on another thread.
  private static func statusElsewhere(
    _ call: @escaping @Sendable () -> vault_status_t
  ) -> vault_status_t {
    let status = Lock(VAULT_OK)
    inThreads(1) { _ in
      let result = call()
      status.withLock { $0 = result }
    }
    return status.withLock { $0 }
  }

  @Test("the vault within is only valid until the function returns, and on its thread")
  func validity() throws {
    var kept: CVaultObject?
    try vault.transaction { within throws in
      kept = within
      let status = Self.statusElsewhere {
        var count = 0
        return unsafe vault_count(within.handle, nil, 0, &count)
      }
      #expect(status == VAULT_INVALID_ARGUMENT)
      #expect(try within.count(nil) == 1)
    }
    let over = try #require(kept)
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try over.count(nil) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try over.addPermanently(Self.name("bob")) }
    #expect(unsafe vault_close(over.handle) == VAULT_INVALID_ARGUMENT)
    #expect(try vault.count(nil) == 1)
  }

  @Test("the vault's own handle is refused within its transaction, and items take part")
  func vaultWithin() throws {
    let ann = try vault.find(nil)
    let changes = try CAttributes([VAULT_COMMENT.rawValue: "new"])
    try vault.transaction { [vault] within in
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(nil) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.transaction { _ in } }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try within.transaction { _ in } }
      #expect(try ann.text(VAULT_ACCOUNT) == "ann")
      try ann.modify(changes)
      #expect(try ann.secret() == "one")
      #expect(try within.find(nil).text(VAULT_COMMENT) == "new")
    }
    #expect(try vault.find(nil).text(VAULT_COMMENT) == "new")
  }

  @Test("what uses the vault for itself is refused within, and harms neither vault nor transaction")
  func refused() throws {
    let ann = try vault.find(nil)
    try vault.transaction { [vault] within in
      _ = try within.addPermanently(Self.name("bob"))
      for object in [within, vault] {
        // The texts are C strings, valid during the call.
        #expect(unsafe vault_unlock(object.handle) == VAULT_INVALID_ARGUMENT)
        #expect(
          unsafe vault_unlock_with_passphrase(object.handle, "p", 1) == VAULT_INVALID_ARGUMENT)
        #expect(unsafe vault_lock(object.handle) == VAULT_INVALID_ARGUMENT)
        #expect(unsafe vault_close(object.handle) == VAULT_INVALID_ARGUMENT)
      }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try within.state }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try within.setDefaultUser("ann", CAttributes([VAULT_SERVER.rawValue: "example.com"]))
      }
      #expect(unsafe vault_confirm(ann.handle) == VAULT_INVALID_ARGUMENT)
      #expect(unsafe vault_item_set_pin(ann.handle, "1234", 4, nil, 0) == VAULT_INVALID_ARGUMENT)
    }
    #expect(try vault.state == VAULT_STATE_UNLOCKED)
    #expect(try vault.findAll(nil) == ["ann", "bob"])
  }

  @Test("items of another handle of the same file are refused, though another thread changes them")
  func otherHandle() throws {
    // The place is the initializer's, and the path is valid during the call.
    let other = try unsafe CVaultObject { unsafe vault_open_locked(folder.file("vault"), $0) }
    let ann = try other.find(nil)
    let changes = try CAttributes([VAULT_COMMENT.rawValue: "new"])
    let status = Lock(VAULT_INTERNAL_ERROR)
    let changed = DispatchSemaphore(value: 0)
    try vault.transaction { _ in
      Thread.detachNewThread {
        // It waits for the transaction.
        let result = unsafe vault_modify(ann.handle, changes.handle, 0, 0)
        status.withLock { $0 = result }
        changed.signal()
      }
      for _ in 0..<20 {
        #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try ann.modify(changes) }
        Thread.sleep(forTimeInterval: 0.001)
      }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try ann.remove() }
    }
    changed.wait()
    #expect(status.withLock { $0 } == VAULT_OK)
    #expect(try vault.find(nil).text(VAULT_COMMENT) == "new")
  }

  @Test("another vault and its items are used within as anywhere, and keep their changes")
  func otherVault() throws {
    let other = try CVaultObject.inMemory()
    let item = try other.add(Self.name("ann"))
    #expect(throws: Failure(VAULT_UNAVAILABLE)) {
      try vault.transaction { _ in
        _ = try other.add(Self.name("bob"))
        try item.modify(CAttributes([VAULT_COMMENT.rawValue: "new"]))
        throw Failure(VAULT_UNAVAILABLE)
      }
    }
    #expect(try other.count(nil) == 2)
    #expect(try item.text(VAULT_COMMENT) == "new")
    #expect(throws: Failure(VAULT_UNSUPPORTED)) { try other.transaction { _ in } }
  }

  @Test("an item for the session is there after the transaction, unless that is abandoned")
  func session() throws {
    for status in [VAULT_OK, VAULT_UNAVAILABLE] {
      let name = try Self.name("session\(status.rawValue)", secret: "s")
      do throws(Failure) {
        try vault.transaction { vault in
          let item = try vault.add(name, VAULT_PERSISTENCE_SESSION)
          #expect(try item.number(VAULT_PERSISTENCE) == 1)
          #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try vault.find(name) }
          try check(status)
        }
      } catch {
        #expect(error == Failure(status))
      }
      #expect(try vault.count(name) == (status == VAULT_OK ? 1 : 0))
    }
  }

  @Test("previous secrets and the trash are those within the transaction")
  func past() throws {
    let ann = try vault.find(nil)
    try vault.transaction { vault in
      try ann.modify(CAttributes([:], secret: "two"))
      let history = try ann.history()
      #expect(try history.map { try ann.previousSecret($0) } == ["one"])
      var unknown = try #require(history.first)
      unknown.replaced += 1
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try ann.previousSecret(unknown) }
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try ann.revert(to: unknown) }
      #expect(throws: Failure(VAULT_CONFLICT)) { try ann.revert(ifRevision: 1) }
      try ann.revert(to: history.first)
      #expect(try vault.find(nil, VAULT_WITH_SECRETS).secret() == "one")
      try ann.remove()
      let removed = try #require(vault.trash().first)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try ann.restore() }
      try removed.restore()
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try removed.restore() }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.trash(nil, VAULT_WITH_SECRETS) }
      #expect(try vault.trash().isEmpty)
    }
    #expect(try vault.find(nil).secret() == "one")
    #expect(try vault.find(nil).text(VAULT_ID) == ann.text(VAULT_ID))
  }

  /// Returns the history's limit and the trash's days.
  private static func limits(of vault: CVaultObject) throws(Failure) -> [Int] {
    var (limit, days) = (-1, -1)
    // The places are this function's own.
    try check(unsafe vault_get_history_limit(vault.handle, &limit))
    try check(unsafe vault_get_trash_days(vault.handle, &days))
    return [limit, days]
  }

  @Test("of an abandoned transaction nothing comes back, and the items show what they were")
  func abandonedPast() throws {
    let ann = try vault.find(nil)
    try ann.modify(CAttributes([:], secret: "two"))
    for account in ["bob", "eve", "joe"] {
      try vault.add(Self.name(account), VAULT_PERSISTENCE_PERMANENT).remove()
    }
    let bob = try #require(vault.trash(Self.name("bob")).first)
    #expect(throws: Failure(VAULT_UNAVAILABLE)) {
      try vault.transaction { vault in
        try ann.revert()
        try bob.restore()
        #expect(try bob.number(VAULT_REMOVED) == 0)
        #expect(try vault.emptyTrash() == 2)
        try check(unsafe vault_set_history_limit(vault.handle, 3))
        try check(unsafe vault_set_trash_days(vault.handle, 3))
        #expect(try Self.limits(of: vault) == [3, 3])
        throw Failure(VAULT_UNAVAILABLE)
      }
    }
    #expect(try vault.find(nil).secret() == "two")
    #expect(try bob.number(VAULT_REMOVED) > 0)
    #expect(try vault.trash().count == 3)
    #expect(try Self.limits(of: vault) == [10, 30])
    try vault.transaction { vault in
      try bob.removeForGood()
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try bob.removeForGood() }
      #expect(try vault.emptyTrash(Self.name("eve")) == 1)
    }
    #expect(try vault.trash().map { try $0.text(VAULT_ACCOUNT) } == ["joe"])
  }

  @Test("generic passwords are stored and found within, too")
  func generic() throws {
    let service = try CAttributes([VAULT_SERVICE.rawValue: "backup"], secret: "g")
    try vault.transaction { vault in
      let added = try vault.addPermanently(service)
      let found = try vault.find(service)
      try added.modify(CAttributes([VAULT_ACCOUNT.rawValue: "ann"]))
      #expect(try added.secret() == "g")
      // Its key was another one when it was found.
      #expect(try found.secret() == "g")
      #expect(try vault.find(service).text(VAULT_ACCOUNT) == "ann")
      #expect(try vault.count(nil) == 1)
    }
    #expect(try vault.find(service).secret() == "g")
  }
}

extension CVaultObject {
  fileprivate func addPermanently(_ attributes: CAttributes) throws(Failure) -> CItem {
    try add(attributes, VAULT_PERSISTENCE_PERMANENT)
  }
}
