import VaultAdministration
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: transactions")
struct TransactionTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  private func users() throws -> [String] { try vault.findAll(ItemQuery()).map(\.account) }

  @Test("many changes are one write, and seen within it")
  func batch() throws {
    let before = try vault.generation()
    let items = try (0..<500).map { try item("user\($0)", "secret \($0)") }
    let count = try vault.write { (transaction) throws(VaultError) in
      for item in items { try transaction.add(item) }
      try transaction.modify(items[0], [.account("first"), .secret(Secret("changed"))])
      try transaction.remove(items[1])
      var query = ItemQuery()
      query.account = .equals("first")
      let found = try transaction.findUnique(query, withSecrets: true)
      #expect(found.secret?.array == Array("changed".utf8))
      try transaction.setDefaultUser("first", for: found.space)
      #expect(try transaction.defaultUser(for: found.space) == "first")
      return try transaction.findAll(ItemQuery()).count
    }
    #expect(count == 499)
    #expect(try vault.findAll(ItemQuery()).count == 499)
    #expect(try vault.generation() == before + 1)
    #expect(try vault.knownDefault(space()) == CredentialValues("first", "changed"))
    #expect(try vault.maintenance.verify().isClean)
  }

  @Test("a body that throws leaves the file as it was", arguments: [0, 1, 40])
  func rollback(count: Int) throws {
    let known = try item("known")
    try vault.add(known)
    let bytes = try fixture.folder.bytes(fixture.path)
    let items = try (0..<count).map { try item("user\($0)") }
    expect(.conflict) {
      try vault.write { (transaction) throws(VaultError) in
        for item in items { try transaction.add(item) }
        try transaction.modify(known, [.comment("changed")])
        try transaction.remove(known)
        throw VaultError(.conflict, "thrown by the body")
      }
    }
    #expect(try users() == ["known"])
    #expect(try vault.findAll(ItemQuery()).first?.comment == "")
    #expect(try fixture.folder.bytes(fixture.path) == bytes)
    try vault.add(item("later"))
    #expect(try users() == ["known", "later"])
    #expect(try vault.maintenance.verify().isClean)
  }

  @Test("an error that the body deals with does not undo the rest")
  func caught() throws {
    let (ann, bob) = (try item("ann"), try item("bob"))
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(ann)
      do throws(VaultError) {
        try transaction.add(ann)
      } catch {
        #expect(error.code == .duplicateItem)
      }
      try transaction.add(bob)
    }
    #expect(try users() == ["ann", "bob"])
  }

  @Test("a body that changes nothing writes nothing")
  func empty() throws {
    let ann = try item("ann")
    try vault.add(ann)
    let bytes = try fixture.folder.bytes(fixture.path)
    try vault.write { (transaction) throws(VaultError) in
      _ = try transaction.findAll(ItemQuery(), withSecrets: true)
      try transaction.modify(ann, [.secret(Secret("one"))])
      try transaction.setDefaultUser(nil, for: ann.space)
    }
    #expect(try fixture.folder.bytes(fixture.path) == bytes)
  }

  @Test(
    "a vault called from within its own transaction says so instead of hanging",
    arguments: UnlockedOperation.all)
  func nested(operation: UnlockedOperation) throws {
    try operation.prepare(vault)
    expect(.invalidArgument) {
      try vault.write { (transaction) throws(VaultError) in
        try transaction.add(Self.plain("in between"))
        do {
          try operation.run(vault, fixture.folder)
        } catch let error as VaultError {
          throw error
        } catch {
          throw VaultError(.internalError, "no error of ours")
        }
      }
    }
    #expect(try users().contains("in between") == false)
    try vault.add(Self.plain("after"))
  }

  private static func plain(_ account: String) throws(VaultError) -> Item {
    Item(
      space: try ProtectionSpace(host: "git.example.com"), account: account, secret: nil)
  }

  @Test("a transaction of a transaction, and ending the vault in one, are refused")
  func ending() throws {
    try vault.write { (_) throws(VaultError) in
      expect(.invalidArgument) { try vault.write { (_) throws(VaultError) in } }
      expect(.invalidArgument) { try vault.lock() }
      expect(.invalidArgument) { try vault.close() }
      expect(.invalidArgument) { try vault.unlock(with: fixture.key) }
      expect(.invalidArgument) { _ = try vault.state() }
    }
    #expect(try vault.state() == .unlocked)
  }

  @Test("large secrets come and go within one transaction")
  func largeSecrets() throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0) }
    let (ann, bob) = (try item("ann"), try item("bob"))
    try vault.write { (transaction) throws(VaultError) in
      try transaction.add(ann)
      try transaction.modify(ann, [.secret(Secret(bytes))])
      #expect(try transaction.findAll(ItemQuery(), withSecrets: true).first?.secret?.array == bytes)
      try transaction.modify(ann, [.secret(Secret(bytes.reversed()))])
      try transaction.add(bob)
      try transaction.modify(bob, [.secret(Secret(bytes))])
      try transaction.remove(bob)
    }
    #expect(
      try vault.findAll(ItemQuery(), withSecrets: true).map { $0.secret?.array } == [
        bytes.reversed()
      ])
    #expect(try vault.maintenance.verify().problems == [])
  }
}

extension Item {
  /// The space of the tests' items.
  fileprivate var space: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(
        host: server.name, realm: realm, authenticationMethod: authenticationMethod)
    }
  }
}
