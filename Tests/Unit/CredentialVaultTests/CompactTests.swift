import VaultAdministration
import Glibc
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault: compact")
struct CompactTests {
  /// Adds many items and removes all but the first.
  private func grow(_ vault: Vault) throws {
    try vault.write { (transaction) throws(VaultError) in
      for number in 0..<600 {
        try transaction.add(
          Item(
            server: HostName("host\(number).example.com"), account: "ann", secret: Secret("one")))
      }
    }
    try vault.write { (transaction) throws(VaultError) in
      for item in try transaction.findAll(ItemQuery()).dropFirst() {
        try transaction.remove(item, removal: .permanent)
      }
    }
  }

  @Test("a vault of which much was removed becomes small, and holds what it held")
  func shrinks() throws {
    let fixture = try Fixture()
    try grow(fixture.vault)
    let before = try fixture.vault.maintenance.information()
    let items = try fixture.vault.findAll(ItemQuery())
    let sizes = try fixture.vault.maintenance.compact()
    #expect(sizes.before == before.fileBytes)
    #expect(sizes.after < sizes.before / 4)
    let after = try fixture.vault.maintenance.information()
    #expect(after.fileBytes == sizes.after)
    #expect(after.generation == before.generation)
    #expect(try fixture.vault.findAll(ItemQuery()).map(\.id) == items.map(\.id))
    #expect(try fixture.vault.maintenance.verify().isClean)
    #expect(unsafe access(fixture.path + "-journal", F_OK) != 0)
    // Writing still works, and there is nothing more to gain.
    try fixture.vault.add(item())
    let again = try fixture.vault.maintenance.compact()
    #expect(again.before - again.after <= 4096)
  }

  @Test("a locked vault is not compacted")
  func locked() throws {
    let fixture = try Fixture()
    try fixture.vault.lock()
    expect(.locked) { try fixture.vault.maintenance.compact() }
    expect(.unsupported) { try Vault.inMemory().maintenance.compact() }
  }

  @Test(
    "beside a reader or a writer it is busy after the lock timeout, and works when they are gone")
  func busy() throws {
    let fixture = try Fixture()
    try grow(fixture.vault)
    try fixture.vault.close()
    let vault = try fixture.open(lockTimeout: .milliseconds(100))
    let other = try LockHolder(fixture.path)
    for kind in ["IMMEDIATE", "EXCLUSIVE"] {
      try other.lock(kind)
      expect(.busy) { try vault.maintenance.compact() }
      try other.unlock()
    }
    #expect(try vault.maintenance.compact().after < vault.maintenance.compact().before + 1)
    #expect(try vault.maintenance.verify().isClean)
  }

  @Test(
    "a file whose structure is damaged stays as it is: a salvage may still find something there")
  func damaged() throws {
    let fixture = try Fixture()
    try fixture.vault.close()
    var bytes = try fixture.folder.bytes(fixture.path)
    let pages = bytes.count / 4096
    bytes += [UInt8](repeating: 0, count: 4096)
    bytes[31] = UInt8(pages + 1)
    _ = try fixture.folder.write(bytes, as: "vault/own.vault")
    let vault = try fixture.open()
    expect(.damaged) { try vault.maintenance.compact() }
    try vault.close()
    #expect(try fixture.folder.bytes(fixture.path) == bytes)
  }
}
