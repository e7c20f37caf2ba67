import AttackSupport
import VaultAdministration
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@Suite("Vault: what can be wrong with a file")
struct ErrorTests {
  @Test("no vault: no file, no folder")
  func missing() throws {
    let fixture = try Fixture()
    for name in ["none.vault", "none/own.vault"] {
      expect(.vaultNotFound) {
        _ = try Vault.open(path: fixture.folder.file(name), key: fixture.key)
      }
    }
  }

  @Test("a file that never was a vault is not a vault, and a folder neither")
  func foreign() throws {
    let fixture = try Fixture()
    let paths = [
      try fixture.folder.write([], as: "empty"),
      try fixture.folder.write(Array("[core]\n\tbare = true\n".utf8), as: "text"),
      try fixture.folder.write([UInt8](repeating: 0, count: 8192), as: "zeros"),
      fixture.folder.file("vault"),
    ]
    for path in paths {
      expect(.notAVault) { _ = try Vault.open(path: path, key: fixture.key) }
    }
  }

  @Test("an existing file is never replaced by a new vault")
  func exists() throws {
    let fixture = try Fixture()
    let other = try fixture.folder.write([1, 2, 3], as: "other")
    for path in [fixture.path, other] {
      expect(.vaultExists) { _ = try Vault.create(path: path, key: fixture.key) }
    }
    #expect(try fixture.folder.bytes(other) == [1, 2, 3])
    #expect(try fixture.vault.maintenance.verify().isClean)
  }

  @Test("a folder that cannot be made cannot hold a vault")
  func cannotCreate() throws {
    let fixture = try Fixture()
    _ = try fixture.folder.write([], as: "file")
    let error = #expect(throws: VaultError.self) {
      try Vault.create(path: fixture.folder.file("file/below/own.vault"), key: fixture.key)
    }
    #expect([.cannotCreate, .vaultNotFound].contains(error?.code))
  }

  @Test("a wrong key, of the right kind or of another")
  func wrongKey() throws {
    let fixture = try Fixture()
    try fixture.vault.lock()
    try KeyFile.create(at: fixture.folder.file("other"))
    for key in [KeySource.keyFile(fixture.folder.file("other")), .passphrase(Secret("guess"))] {
      expect(.authenticationFailed) { try fixture.vault.unlock(with: key) }
      expect(.authenticationFailed) { _ = try Vault.open(path: fixture.path, key: key) }
      #expect(try fixture.vault.state() == .locked)
    }
    try fixture.vault.unlock(with: fixture.key)
    #expect(try fixture.vault.state() == .unlocked)
  }

  @Test("a wrong key offered to an unlocked vault fails and takes nothing away")
  func wrongKeyUnlocked() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item())
    try KeyFile.create(at: fixture.folder.file("other"))
    expect(.authenticationFailed) {
      try fixture.vault.unlock(with: .keyFile(fixture.folder.file("other")))
    }
    #expect(try fixture.vault.known(space()) == [CredentialValues("ann", "one")])
  }

  @Test(
    "damage: of the head, of the ident, of a slot, of SQLite's own page",
    arguments: [
      "UPDATE vault SET head = zeroblob(length(head))", "UPDATE vault SET head = substr(head, 2)",
      "UPDATE vault SET ident = zeroblob(48)", "UPDATE slot SET body = zeroblob(length(body))",
      "DELETE FROM vault", "CREATE TABLE foreign_table (x)", "PRAGMA user_version = 2",
      "PRAGMA application_id = 7", "DELETE FROM slot",
    ])
  func damaged(sql: String) throws {
    let fixture = try Fixture()
    try fixture.vault.add(item())
    try fixture.vault.close()
    try Database.run(sql, on: fixture.path)
    let error = #expect(throws: VaultError.self) { try fixture.open() }
    // Without slots a wrong key and a missing slot cannot be distinguished before the head is
    // opened.
    let codes: Set<VaultError.Code> =
      sql == "DELETE FROM slot" ? [.authenticationFailed, .damaged] : [.damaged]
    #expect(codes.contains(error?.code ?? .internalError))
  }

  @Test(
    "a vault of a newer format, or with a feature of one, is too new; a newer minor is not",
    arguments: [(2, 0, 0), (0xFFFF, 9, 0), (1, 0, 1), (1, 0, 1 << 31)] as [(UInt16, UInt16, UInt32)]
  )
  func tooNew(major: UInt16, minor: UInt16, features: UInt32) throws {
    let fixture = try Fixture()
    try fixture.vault.close()
    var ident = try Ident(
      decoding: Database.bytes("SELECT ident FROM vault", of: fixture.path))
    ident.major = major
    ident.minor = minor
    ident.features = features
    let digits = ident.encoded.map { byte in
      (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
    try Database.run("UPDATE vault SET ident = X'\(digits.joined())'", on: fixture.path)
    expect(.tooNew) { _ = try fixture.open() }
    // As long as there is an ident in its place, the vault's own schema does not contradict it.
    for change in [
      "PRAGMA user_version = 2", "CREATE TABLE later (x ANY) STRICT",
      "ALTER TABLE node ADD COLUMN later ANY", "DROP TABLE slot",
    ] {
      try Database.run(change, on: fixture.path)
      expect(.tooNew) { _ = try fixture.open() }
    }
  }

  @Test("another writer's lock makes the vault busy, after the time that one is willing to wait")
  func busy() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item())
    try fixture.vault.close()
    let vault = try fixture.open(lockTimeout: .milliseconds(30))
    let other = try LockHolder(fixture.path)
    try other.lock("EXCLUSIVE")
    expect(.busy) { try vault.add(item("bob")) }
    expect(.busy) { _ = try vault.maintenance.verify() }
    let error = try #require(throws: VaultError.self) { _ = try fixture.open(lockTimeout: .zero) }
    #expect(error.text == "another process holds the vault's lock")
    try other.unlock()
    try vault.add(item("bob"))
    try other.lock("IMMEDIATE")
    expect(.busy) { try vault.add(item("carl")) }
    #expect(try vault.findAll(ItemQuery()).count == 2)
    try other.unlock()
    try vault.add(item("carl"))
    #expect(try vault.findAll(ItemQuery()).count == 3)
  }

  @Test("an unlock that meets another's lock is busy, and leaves an open vault open")
  func busyUnlock() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item())
    try fixture.vault.close()
    let vault = try fixture.open(lockTimeout: .zero)
    try vault.set(credential("bob", "two", .session), for: space())
    let other = try LockHolder(fixture.path)
    try other.lock("EXCLUSIVE")
    expect(.busy) { try vault.unlock(with: fixture.key) }
    #expect(try vault.state() == .unlocked)
    try other.unlock()
    #expect(
      try vault.known(space()) == [
        CredentialValues("bob", "two", .session), CredentialValues("ann", "one"),
      ])
  }

  @Test("a file, folder or key that others can use is refused")
  func unsafePermissions() throws {
    let fixture = try Fixture()
    let key = fixture.folder.file("key")
    for (path, mode) in [
      (fixture.path, 0o644), (fixture.folder.file("vault"), 0o777), (key, 0o640),
    ] as [(String, mode_t)] {
      var information = stat()
      // The paths are C strings for these calls.
      try #require(unsafe stat(path, &information) == 0)
      try #require(unsafe chmod(path, mode) == 0)
      try fixture.vault.lock()
      expect(.unsafePermissions) { _ = try fixture.open() }
      try #require(unsafe chmod(path, information.st_mode & 0o777) == 0)
      #expect(try fixture.open().state() == .unlocked)
    }
    let link = fixture.folder.file("link")
    try #require(unsafe symlink(fixture.path, link) == 0)
    expect(.unsafePermissions) { _ = try Vault.open(path: link, key: fixture.key) }
  }

  @Test("an old copy put back is noticed, and one that was changed apart too")
  func timeTravel() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item("ann"))
    try fixture.vault.close()
    let old = try fixture.folder.bytes(fixture.path)
    let vault = try fixture.open()
    try vault.add(item("bob"))
    try vault.close()
    let seen = try fixture.folder.bytes(fixture.path)
    _ = try fixture.folder.write(old, as: "vault/own.vault")
    expect(.rolledBack) { _ = try fixture.open() }
    let locked = try Vault.open(path: fixture.path, key: nil)
    expect(.rolledBack) { try locked.unlock(with: fixture.key) }
    try locked.close()
    // Elsewhere the old copy is a vault of its own, with its own history.
    let elsewhere = try fixture.folder.write(old, as: "vault/copy.vault")
    let copy = try Vault.open(path: elsewhere, key: fixture.key)
    try copy.add(item("mallory"))
    try copy.close()
    _ = try fixture.folder.write(try fixture.folder.bytes(elsewhere), as: "vault/own.vault")
    expect(.forked) { _ = try fixture.open() }
    _ = try fixture.folder.write(seen, as: "vault/own.vault")
    #expect(try fixture.open().findAll(ItemQuery()).map(\.account) == ["ann", "bob"])
  }

  @Test("a vault on a medium that cannot be written can be read, and refuses every change")
  func readOnly() async {
    await #expect(processExitsWith: .success) {
      let fixture = try Fixture()
      try fixture.vault.add(item())
      try fixture.vault.close()
      // The user that owns the files may not write them, unless it is root.
      for name in ["", "key", "vault", "vault/own.vault"] where geteuid() == 0 {
        // The path is a C string for this call.
        try #require(unsafe chown(fixture.folder.file(name), 65534, 65534) == 0)
      }
      try #require(unsafe chmod(fixture.path, 0o400) == 0)
      if geteuid() == 0 { try #require(seteuid(65534) == 0) }
      let vault = try fixture.open()
      #expect(try vault.known(space()) == [CredentialValues("ann", "one")])
      expect(.readOnly) { try vault.add(item("bob")) }
      let reason = #expect(throws: VaultError.self) { try vault.add(item("bob")) }
      #expect(reason?.underlying == .errno(EACCES))
      expect(.readOnly) { try vault.modify(item(), [.comment("x")]) }
      expect(.readOnly) { try vault.set(credential("ann", "two"), for: space()) }
      try vault.set(credential("ann", "two", .session), for: space())
      #expect(try vault.known(space()) == [CredentialValues("ann", "two", .session)])
    }
  }
}
