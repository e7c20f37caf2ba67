import CredentialVault
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("Vault.read: one moment of the vault")
struct ReadTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
    let item = Item(space: try space(), account: "ann", secret: Secret("one"))
    let added = try fixture.vault.add(item).item
    try fixture.vault.modify(added, [.secret(Secret("two"))])
    try fixture.vault.setDefaultUser("ann", for: space())
  }

  @Test("finds what the vault finds")
  func same() throws {
    let space = try space()
    let query = ItemQuery(space)
    let (found, previous, user, defaults, users) = try vault.read { reader in
      let found = try reader.findUnique(query, withSecrets: true)
      return (
        found, try reader.history(of: found), try reader.defaultUser(for: space),
        try reader.defaults(), try reader.users(for: space)
      )
    }
    #expect(found.secret?.isEqual(to: Secret("two")) == true)
    #expect(previous.count == 1)
    #expect(user == "ann" && defaults == [space: "ann"] && users == ["ann"])
    try vault.remove(found)
    #expect(try vault.read { reader in try reader.trash().count } == 1)
    #expect(try vault.read { reader in try reader.count(query) } == 0)
    let memory = Vault.inMemory()
    #expect(try memory.read { reader in try reader.findAll(query).isEmpty })
  }

  @Test("no vault can be called within it, and none is written")
  func within() throws {
    let vault = vault
    #expect(throws: VaultError(.invalidArgument, "")) {
      try vault.read { _ in _ = try vault.count(ItemQuery()) }
    }
    #expect(throws: OwnError(number: 1)) { try vault.read { _ in throw OwnError(number: 1) } }
    try vault.lock()
    #expect(throws: VaultError(.locked, "")) { try vault.read { _ in } }
  }
}
