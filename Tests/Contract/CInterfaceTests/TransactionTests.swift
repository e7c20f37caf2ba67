import CVault
import CredentialVault
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
    try vault.transaction { transaction in
      added = try transaction.add(Self.name("bob", secret: "two"))
      #expect(try transaction.findAll(nil).map { try $0.text(VAULT_ACCOUNT) } == ["ann", "bob"])
      #expect(try transaction.findAll(nil, limit: 1).count == 1)
      let bob = try transaction.find(Self.name("bob"), VAULT_WITH_SECRETS)
      #expect(try bob.secret() == "two")
      try transaction.modify(bob, CAttributes([VAULT_COMMENT.rawValue: "new"], secret: "three"))
      #expect(try bob.text(VAULT_COMMENT) == "new")
      _ = try transaction.upsert(Self.name("ann", secret: "four"))
      let eve = try transaction.upsert(Self.name("eve"))
      #expect(try transaction.count(nil) == 3)
      try transaction.remove(eve)
      #expect(try transaction.removeUnique(Self.name("bob")).text(VAULT_COMMENT) == "new")
      _ = try transaction.add(Self.name("bob", secret: "five"))
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
    try vault.transaction { transaction in
      _ = try transaction.add(Self.name("bob"))
      #expect(throws: Failure(VAULT_AMBIGUOUS)) { try transaction.findUnique(nil) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try transaction.removeAll(CAttributes()) }
      let server = try CAttributes([VAULT_SERVER.rawValue: "example.com"])
      #expect(throws: Failure(VAULT_AMBIGUOUS)) { try transaction.removeUnique(server) }
      #expect(try transaction.removeAll(server) == 2)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try transaction.find(nil) }
    }
    #expect(try vault.count(nil) == 0)
  }

  @Test("a transaction that changes nothing writes nothing")
  func nothing() throws {
    let before = try generation()
    try vault.transaction { transaction in _ = try transaction.find(nil) }
    #expect(try generation() == before)
  }

  @Test("a function that returns a status changes nothing, and the items are again what they were")
  func abandoned() throws {
    let before = try generation()
    let ann = try vault.find(nil)
    var bob: CItem?
    #expect(throws: Failure(VAULT_UNAVAILABLE)) {
      try vault.transaction { transaction in
        bob = try transaction.add(Self.name("bob", secret: "two"))
        for comment in ["first", "second"] {
          try transaction.modify(ann, CAttributes([VAULT_COMMENT.rawValue: comment]))
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
      try vault.transaction { transaction in _ = try transaction.add(Self.name("ann")) }
    }
    #expect(lastError() == "an item with the same key exists already")
    #expect(try vault.candidates().map { try $0.text(VAULT_ACCOUNT) } == ["ann"])
    // The same status of the function's own has nothing to do with an earlier failure.
    #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) {
      try vault.transaction { _ in throw Failure(VAULT_DUPLICATE_ITEM) }
    }
    #expect(lastError()?.contains("status 5") == true)
    #expect(try vault.candidates().isEmpty)
    try vault.transaction { transaction in
      #expect(throws: Failure(VAULT_DUPLICATE_ITEM)) { try transaction.add(Self.name("ann")) }
      _ = try transaction.add(Self.name("bob"))
    }
    #expect(try vault.findAll(nil) == ["ann", "bob"])
  }

  @Test(
    "any status abandons a transaction and is returned, also one that the library does not have")
  func status() throws {
    for number in [1, 24, 29, 4242, .max] as [UInt32] {
      #expect(throws: Failure(vault_status_t(number))) {
        try vault.transaction { transaction in
          _ = try transaction.removeAll(Self.name("ann"))
          throw Failure(vault_status_t(number))
        }
      }
      #expect(try vault.count(nil) == 1)
    }
  }

  /// Returns the status of a call for a transaction on another thread.
  private static func statusElsewhere(_ transaction: CTransaction) -> vault_status_t {
    // A handle is a number that nobody reads through.
    nonisolated(unsafe) let handle = unsafe transaction.handle
    let status = Lock(VAULT_OK)
    inThreads(1) { _ in
      var count = 0
      let result = unsafe vault_transaction_count(handle, nil, 0, &count)
      status.withLock { $0 = result }
    }
    return status.withLock { $0 }
  }

  @Test("a transaction is only valid until its function returns, and on its thread")
  func validity() throws {
    var kept: CTransaction?
    try vault.transaction { transaction throws in
      kept = transaction
      #expect(Self.statusElsewhere(transaction) == VAULT_INVALID_ARGUMENT)
      #expect(try transaction.count(nil) == 1)
    }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try kept?.count(nil) }
    #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try kept?.add(Self.name("bob")) }
  }

  @Test("the vault itself is refused within its transaction, and attributes can be read")
  func vaultWithin() throws {
    let ann = try vault.find(nil)
    let changes = try CAttributes([VAULT_COMMENT.rawValue: "new"])
    try vault.transaction { [vault] transaction in
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.find(nil) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try ann.modify(changes) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try ann.secret() }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try vault.transaction { _ in } }
      #expect(try ann.text(VAULT_ACCOUNT) == "ann")
      try transaction.modify(ann, changes)
    }
    #expect(try vault.find(nil).text(VAULT_COMMENT) == "new")
  }

  @Test("an item of another vault is refused, and another vault can be used within")
  func otherVault() throws {
    let other = try CVaultObject.inMemory()
    let item = try other.add(Self.name("ann"))
    try vault.transaction { transaction in
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try transaction.remove(item) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try transaction.modify(item, CAttributes([VAULT_COMMENT.rawValue: "new"]))
      }
      _ = try other.add(Self.name("bob"))
    }
    #expect(try other.count(nil) == 2)
    #expect(throws: Failure(VAULT_UNSUPPORTED)) { try other.transaction { _ in } }
  }

  @Test("previous secrets and the trash are those within the transaction")
  func past() throws {
    let ann = try vault.find(nil)
    try vault.transaction { transaction in
      try transaction.modify(ann, CAttributes([:], secret: "two"))
      let history = try transaction.history(of: ann)
      #expect(try history.map { try transaction.previousSecret($0, of: ann) } == ["one"])
      var unknown = try #require(history.first)
      unknown.replaced += 1
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) {
        try transaction.previousSecret(unknown, of: ann)
      }
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try transaction.revert(ann, to: unknown) }
      #expect(throws: Failure(VAULT_CONFLICT)) { try transaction.revert(ann, ifRevision: 1) }
      try transaction.revert(ann, to: history.first)
      #expect(try transaction.find(nil, VAULT_WITH_SECRETS).secret() == "one")
      try transaction.remove(ann)
      let removed = try #require(transaction.trash().first)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try transaction.restore(ann) }
      try transaction.restore(removed)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try transaction.restore(removed) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) {
        try transaction.trash(nil, VAULT_WITH_SECRETS)
      }
      #expect(try transaction.trash().isEmpty)
    }
    #expect(try vault.find(nil).secret() == "one")
    #expect(try vault.find(nil).text(VAULT_ID) == ann.text(VAULT_ID))
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
      try vault.transaction { transaction in
        try transaction.revert(ann)
        try transaction.restore(bob)
        #expect(try bob.number(VAULT_REMOVED) == 0)
        #expect(try transaction.emptyTrash() == 2)
        throw Failure(VAULT_UNAVAILABLE)
      }
    }
    #expect(try vault.find(nil).secret() == "two")
    #expect(try bob.number(VAULT_REMOVED) > 0)
    #expect(try vault.trash().count == 3)
    let elsewhere = try CVaultObject.inMemory().add(Self.name("ann"))
    try vault.transaction { transaction in
      try transaction.removeForGood(bob)
      #expect(throws: Failure(VAULT_ITEM_NOT_FOUND)) { try transaction.removeForGood(bob) }
      for call in [transaction.restore, transaction.removeForGood] as [(CItem) throws -> Void] {
        #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try call(elsewhere) }
      }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try transaction.history(of: elsewhere) }
      #expect(throws: Failure(VAULT_INVALID_ARGUMENT)) { try transaction.revert(elsewhere) }
      #expect(try transaction.emptyTrash(Self.name("eve")) == 1)
    }
    #expect(try vault.trash().map { try $0.text(VAULT_ACCOUNT) } == ["joe"])
  }

  @Test("generic passwords are stored and found within, too")
  func generic() throws {
    let service = try CAttributes([VAULT_SERVICE.rawValue: "backup"], secret: "g")
    try vault.transaction { transaction in
      let added = try transaction.add(service)
      try transaction.modify(added, CAttributes([VAULT_ACCOUNT.rawValue: "ann"]))
      #expect(try transaction.find(service).text(VAULT_ACCOUNT) == "ann")
      #expect(try transaction.count(nil) == 1)
    }
    #expect(try vault.find(service).secret() == "g")
  }
}
