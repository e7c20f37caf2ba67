import VaultAdministration
import TestSupport
import Testing

@Suite("Closures of users throw what they like")
struct UserClosureTests {
  private let item: Item

  init() throws {
    item = Item(space: try space(), account: "ann", secret: Secret("one"))
  }

  @Test("an error of one's own leaves a transaction unchanged, and the file as it was")
  func transaction() throws {
    let fixture = try Fixture()
    #expect(throws: OwnError(number: 7)) {
      try fixture.vault.write { transaction in
        try transaction.add(item)
        throw OwnError(number: 7)
      }
    }
    #expect(try fixture.vault.count(ItemQuery()) == 0)
    let stored = try fixture.vault.write { transaction in try transaction.add(item) }
    #expect(stored.item.account == "ann")
    #expect(try fixture.vault.count(ItemQuery()) == 1)
  }

  @Test("an error of the vault's stays one, thrown or met in the body")
  func errorsOfTheVault() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item)
    #expect(throws: VaultError(.duplicateItem, "")) {
      try fixture.vault.write { transaction in try transaction.add(item) }
    }
    #expect(throws: VaultError(.interrupted, "")) {
      try fixture.vault.write { _ in throw VaultError(.interrupted, "by the caller") }
    }
    let locked = try Vault.openLocked(path: fixture.path)
    try fixture.vault.lock()
    #expect(throws: VaultError(.locked, "")) {
      try locked.write { _ in throw OwnError(number: 1) }
    }
  }

  @Test("a policy, a rekey and a restore go back where their closures throw")
  func others() throws {
    let fixture = try Fixture()
    try fixture.vault.add(item)
    #expect(throws: OwnError(number: 1)) {
      try fixture.vault.policy.update { rules in
        rules.append(.init(name: "mine"))
        throw OwnError(number: 1)
      }
    }
    #expect(try fixture.vault.policy.current().rules.isEmpty)
    let epoch = try fixture.vault.maintenance.information().epoch
    #expect(throws: OwnError(number: 2)) {
      try fixture.vault.keys.rekey(keeping: [], otherSlot: { _ in throw OwnError(number: 2) })
    }
    #expect(throws: OwnError(number: 4)) {
      try fixture.vault.keys.rekey(
        keeping: [fixture.key], progress: { _ in throw OwnError(number: 4) })
    }
    #expect(try fixture.vault.maintenance.information().epoch == epoch)
    #expect(try fixture.vault.count(ItemQuery()) == 1)
    let backup = fixture.folder.file("backup.vault")
    try fixture.vault.maintenance.backup(to: backup)
    #expect(throws: OwnError(number: 3)) {
      try fixture.vault.maintenance.restoreItem(from: backup) { find in
        #expect(try find(ItemQuery()).count == 1)
        throw OwnError(number: 3)
      }
    }
  }
}
