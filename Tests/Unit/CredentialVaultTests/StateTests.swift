import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@Suite("Vault: locking and closing")
struct StateTests {
  @Test("a new vault is unlocked, its file 0600 in a folder 0700, and nothing lies beside it")
  func create() throws {
    let fixture = try Fixture()
    #expect(try fixture.vault.state() == .unlocked)
    #expect(fixture.vault.path == fixture.path)
    #expect(try permissions(fixture.path) == 0o600)
    #expect(try permissions(fixture.folder.file("vault")) == 0o700)
    try fixture.vault.add(item())
    #expect(unsafe access(fixture.path + "-journal", F_OK) != 0)
    #expect(try fixture.vault.maintenance.verify().isClean)
  }

  private func permissions(_ path: String) throws -> mode_t {
    var information = stat()
    // The path is a C string for this call.
    try #require(unsafe stat(path, &information) == 0)
    return information.st_mode & 0o7777
  }

  @Test(
    "a locked vault answers nothing and takes nothing, not even for the session",
    arguments: UnlockedOperation.all)
  func locked(operation: UnlockedOperation) throws {
    let fixture = try Fixture()
    try operation.prepare(fixture.vault)
    try fixture.vault.lock()
    #expect(try fixture.vault.state() == .locked)
    expect(.locked) { try operation.run(fixture.vault, fixture.folder) }
    try fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.vault.known(space()) == [CredentialValues("ann", "one")])
    #expect(try fixture.vault.findAll(ItemQuery()).count == 1)
  }

  @Test("a closed vault says that it is closed, for good", arguments: UnlockedOperation.all)
  func closed(operation: UnlockedOperation) throws {
    let fixture = try Fixture()
    try operation.prepare(fixture.vault)
    try fixture.vault.close()
    #expect(try fixture.vault.state() == .closed)
    expect(.closed) { try operation.run(fixture.vault, fixture.folder) }
    expect(.closed) { try fixture.vault.unlock(with: fixture.key) }
    try fixture.vault.lock()
    try fixture.vault.close()
    #expect(try fixture.vault.state() == .closed)
    #expect(try fixture.open().known(space()) == [CredentialValues("ann", "one")])
  }

  @Test("locking forgets the session's credentials and defaults, and keeps the permanent ones")
  func session() throws {
    let fixture = try Fixture()
    try fixture.vault.setDefaultCredential(credential("ann", "one"), for: space())
    try fixture.vault.setDefaultCredential(credential("bob", "two", .session), for: space())
    #expect(try fixture.vault.knownDefault(space()) == CredentialValues("bob", "two", .session))
    try fixture.vault.lock()
    try fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.vault.known(space()) == [CredentialValues("ann", "one")])
    #expect(try fixture.vault.knownDefault(space()) == CredentialValues("ann", "one"))
  }

  @Test("a vault in memory keeps the session's credentials until it is locked or closed")
  func inMemory() throws {
    let vault = Vault.inMemory()
    #expect(try vault.state() == .unlocked && vault.path == nil)
    try vault.setDefaultCredential(credential("ann", "one", .session), for: space())
    #expect(try vault.knownDefault(space()) == CredentialValues("ann", "one", .session))
    #expect(try vault.allCredentials().count == 1 && vault.defaults().count == 1)
    try vault.lock()
    #expect(try vault.findAll(ItemQuery()).isEmpty && vault.defaults().isEmpty)
    try vault.add(item(), persistence: .session)
    try vault.close()
    #expect(try vault.state() == .closed)
    expect(.closed) { _ = try vault.findAll(ItemQuery()) }
  }

  @Test("a vault in memory keeps nothing permanently and says so")
  func inMemoryPermanent() throws {
    let vault = Vault.inMemory()
    let folder = try TemporaryFolder()
    try vault.set(credential("ann", "one", .session), for: space())
    expect(.unsupported) { try vault.add(item()) }
    expect(.unsupported) { try vault.set(credential("ann", "two"), for: space()) }
    expect(.unsupported) { try vault.setDefaultCredential(credential("ann", "2"), for: space()) }
    expect(.unsupported) { try vault.move(user: "ann", for: space(), to: .permanent) }
    expect(.unsupported) { try vault.write { (_) throws(VaultError) in } }
    expect(.unsupported) { _ = try vault.maintenance.information() }
    expect(.unsupported) { _ = try vault.maintenance.verify() }
    expect(.unsupported) { _ = try vault.maintenance.backup(to: folder.file("copy")) }
    #expect(try vault.known(space()) == [CredentialValues("ann", "one", .session)])
  }

  @Test("unlocking again, or with another of the right keys, changes nothing")
  func again() throws {
    let fixture = try Fixture()
    try fixture.vault.set(credential("ann", "one", .session), for: space())
    try fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.vault.known(space()) == [CredentialValues("ann", "one", .session)])
  }
}

/// The operations that need an unlocked vault.
struct UnlockedOperation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let run: @Sendable (Vault, TemporaryFolder) throws -> Void

  init(
    _ testDescription: String, _ run: @escaping @Sendable (Vault, TemporaryFolder) throws -> Void
  ) {
    self.testDescription = testDescription
    self.run = run
  }

  func prepare(_ vault: Vault) throws {
    try vault.add(item())
    try vault.set(credential("bob", "of the session", .session), for: space())
  }

  static let all: [UnlockedOperation] = [
    UnlockedOperation("find") { vault, _ in _ = try vault.find(ItemQuery(), withSecrets: true) },
    UnlockedOperation("find all") { vault, _ in _ = try vault.findAll(ItemQuery()) },
    UnlockedOperation("count") { vault, _ in _ = try vault.count(ItemQuery()) },
    UnlockedOperation("item") { vault, _ in _ = try vault.item(ItemID(), withSecrets: true) },
    UnlockedOperation("upsert") { vault, _ in try vault.upsert(item("new")) },
    UnlockedOperation("upsert for the session") { vault, _ in
      try vault.upsert(item("new"), persistence: .session)
    },
    UnlockedOperation("upsert not at all") { vault, _ in
      try vault.upsert(item("new"), persistence: .none)
    },
    UnlockedOperation("delete one") { vault, _ in try vault.removeUnique(ItemQuery()) },
    UnlockedOperation("delete all") { vault, _ in try vault.removeAll(ItemQuery()) },
    UnlockedOperation("history") { vault, _ in _ = try vault.history.entries(of: item()) },
    UnlockedOperation("revert") { vault, _ in try vault.history.revert(item()) },
    UnlockedOperation("history limit") { vault, _ in _ = try vault.history.limit },
    UnlockedOperation("set history limit") { vault, _ in try vault.history.setLimit(3) },
    UnlockedOperation("find unique") { vault, _ in
      _ = try vault.findUnique(ItemQuery(), withSecrets: true)
    },
    UnlockedOperation("add") { vault, _ in try vault.add(item("new")) },
    UnlockedOperation("add for the session") { vault, _ in
      try vault.add(item("new"), persistence: .session)
    },
    UnlockedOperation("add not at all") { vault, _ in try vault.add(item("new"), persistence: .none)
    },
    UnlockedOperation("modify") { vault, _ in try vault.modify(item(), [.comment("x")]) },
    UnlockedOperation("delete") { vault, _ in try vault.remove(item()) },
    UnlockedOperation("credentials") { vault, _ in _ = try vault.credentials(for: space()) },
    UnlockedOperation("users") { vault, _ in _ = try vault.users(for: space()) },
    UnlockedOperation("default credential") { vault, _ in
      _ = try vault.defaultCredential(for: space())
    },
    UnlockedOperation("default user") { vault, _ in _ = try vault.defaultUser(for: space()) },
    UnlockedOperation("defaults") { vault, _ in _ = try vault.defaults() },
    UnlockedOperation("set") { vault, _ in try vault.set(credential("new", "x"), for: space()) },
    UnlockedOperation("set for the session") { vault, _ in
      try vault.set(credential("new", "x", .session), for: space())
    },
    UnlockedOperation("set not at all") { vault, _ in
      try vault.set(credential("new", "x", .none), for: space())
    },
    UnlockedOperation("set default credential") { vault, _ in
      try vault.setDefaultCredential(credential("new", "x", .session), for: space())
    },
    UnlockedOperation("set default user") { vault, _ in
      try vault.setDefaultUser("ann", for: space())
    },
    UnlockedOperation("clear default user") { vault, _ in
      try vault.setDefaultUser(nil, for: space())
    },
    UnlockedOperation("move") { vault, _ in try vault.move(user: "ann", for: space(), to: .session)
    },
    UnlockedOperation("remove") { vault, _ in try vault.remove(user: "ann", for: space()) },
    UnlockedOperation("all credentials") { vault, _ in _ = try vault.allCredentials() },
    UnlockedOperation("transaction") { vault, _ in
      try vault.write { (transaction) throws(VaultError) in
        _ = try transaction.findAll(ItemQuery())
      }
    },
    UnlockedOperation("information") { vault, _ in _ = try vault.maintenance.information() },
    UnlockedOperation("verify") { vault, _ in _ = try vault.maintenance.verify() },
    UnlockedOperation("compact") { vault, _ in try vault.maintenance.compact() },
    UnlockedOperation("backup") { vault, folder in
      _ = try vault.maintenance.backup(to: folder.file("copy"))
    },
  ]
}
