import VaultAdministration
import Glibc
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: its file moved, and another in its place")
struct MovedFileTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }
  var elsewhere: String { fixture.folder.file("vault/elsewhere.vault") }

  init() throws {
    fixture = try Fixture()
    try vault.add(item("ann", "moved"))
    // Both paths are C strings for this call.
    try #require(unsafe rename(fixture.path, elsewhere) == 0)
  }

  @Test("a vault whose file was moved away is missing, and the file opens where it is")
  func moved() throws {
    expect(.vaultNotFound) { try vault.add(item("bob")) }
    let moved = try Vault.open(path: elsewhere, key: fixture.key)
    try moved.add(item("bob", "there"))
    expect(.vaultNotFound) { _ = try vault.maintenance.verify() }
    #expect(
      try moved.known(space()) == [
        CredentialValues("ann", "moved"), CredentialValues("bob", "there"),
      ])
    // Moved back, it is the same vault.
    try moved.close()
    try #require(unsafe rename(elsewhere, fixture.path) == 0)
    #expect(
      try vault.known(space()) == [
        CredentialValues("ann", "moved"), CredentialValues("bob", "there"),
      ])
  }

  @Test("a new vault at the old path is the one that is found there, by whoever had the old one")
  func replaced() throws {
    let new = try Vault.create(path: fixture.path, key: fixture.key)
    try new.add(item("carl", "new"))
    // It has a key of its own: until that is unwrapped, the vault is locked.
    expect(.locked) { try vault.add(item("bob")) }
    try vault.unlock(with: fixture.key)
    #expect(try vault.known(space()) == [CredentialValues("carl", "new")])
    try vault.add(item("bob", "both"))
    #expect(
      try new.known(space()) == [CredentialValues("bob", "both"), CredentialValues("carl", "new")])
    let moved = try Vault.open(path: elsewhere, key: fixture.key)
    #expect(try moved.known(space()) == [CredentialValues("ann", "moved")])
    #expect(try [vault, new, moved].allSatisfy { try $0.maintenance.verify().isClean })
  }

  @Test("a file that another one replaces during a change is left, and the other has the change")
  func replacedMeanwhile() throws {
    // Both are files of one vault.
    try #require(unsafe rename(elsewhere, fixture.path) == 0)
    let copy = try fixture.folder.copy(fixture.path, as: "vault/copy.vault")
    var attempts = 0
    try vault.write { transaction in
      attempts += 1
      if attempts == 1 {
        // All three paths are C strings for these calls.
        try #require(unsafe rename(fixture.path, elsewhere) == 0)
        try #require(unsafe rename(copy, fixture.path) == 0)
      }
      try transaction.add(item("bob", "both"))
    }
    let ann = CredentialValues("ann", "moved")
    let bob = CredentialValues("bob", "both")
    #expect(try attempts == 2 && vault.known(space()) == [ann, bob])
    #expect(try Vault.open(path: elsewhere, key: fixture.key).known(space()) == [ann])
  }

  @Test("a file that is removed during a change is missing, and not one that cannot be written")
  func removedMeanwhile() throws {
    try #require(unsafe rename(elsewhere, fixture.path) == 0)
    expect(.vaultNotFound) {
      try vault.write { transaction in
        // The path is a C string for this call.
        try #require(unsafe unlink(fixture.path) == 0)
        try transaction.add(item("bob"))
      }
    }
  }
}
