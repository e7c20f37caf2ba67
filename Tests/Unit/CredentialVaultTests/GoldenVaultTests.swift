import VaultAdministration
import StoreTesting
import TestSupport
import Testing
import VaultModel

@Suite("golden vaults, opened by the façade")
struct GoldenVaultTests {
  @Test("the façade opens a golden vault", arguments: try Golden.names())
  func facade(_ name: String) throws {
    StateFolder.useOwn()
    let listing = try Golden.listing(name)
    let fixture = try StoreFixture(golden: name)
    let vault = try Vault.open(path: fixture.path, key: .keyFile(fixture.keyPath))
    let isSame =
      try Set(vault.findAll(ItemQuery(), withSecrets: true).map(Listing.json)) == listing.items
    #expect(isSame)
    #expect(try vault.maintenance.verify().isClean)
    #expect(
      try vault.maintenance.information().slots.prefix(2).map(\.kind) == [.passphrase, .keyFile])
    let found = try vault.findAll(ItemQuery())
    for item in found.prefix(20) {
      let one = try vault.findAll(ItemQuery(key: item.key))
      #expect(one.map(\.id) == [item.id] && one[0].secret == nil)
    }
    try vault.close()
  }
}
