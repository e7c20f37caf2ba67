import SecureMemory
import TestSupport
import Testing
import VaultModel

@testable import CredentialVault

@Suite("Vault: a new secret for an item that has expired")
struct RenewingTests {
  let clocked: ClockedVault
  var clock: TestClock { clocked.clock }
  var vault: Vault { clocked.vault }

  init() throws {
    clocked = try ClockedVault()
  }

  static let places = [Persistence.session, .permanent]

  /// Returns an item as it was found before somebody gave it an expiry, which has passed.
  private func expired(_ place: Persistence) throws -> Item {
    let item = try vault.add(CredentialVaultTests.item("ann", "one"), persistence: place).item
    try vault.modify(item, [.expires(clock.now.adding(.seconds(60)))])
    clock.pass(.seconds(60))
    expect(.expired) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    return item
  }

  @Test("ends the expiry, however it is given", arguments: places, 0..<3)
  func renews(_ place: Persistence, _ way: Int) throws {
    let item = try expired(place)
    switch way {
    case 0: try vault.renew(item, [.secret(Secret("two"))], afterAcceptance: true)
    case 1: try vault.set(credential("ann", "two", place), for: space())
    default: try vault.upsert(CredentialVaultTests.item("ann", "two"), persistence: place)
    }
    let found = try vault.find(ItemQuery(), withSecrets: true)
    #expect(found.id == item.id && found.expires == nil)
    #expect(found.secret?.isEqual(to: Secret("two")) == true)
  }

  @Test("does not touch an expiry that is given with it", arguments: places, 0..<2)
  func named(_ place: Persistence, _ way: Int) throws {
    let item = try expired(place)
    let end = clock.now.adding(.seconds(5))
    if way == 0 {
      try vault.renew(item, [.expires(end), .secret(Secret("two"))], afterAcceptance: true)
    } else {
      var new = try CredentialVaultTests.item("ann", "two")
      new.expires = end
      try vault.upsert(new, persistence: place)
    }
    #expect(try vault.find(ItemQuery(), withSecrets: true).expires == end)
  }

  @Test("is needed: other changes leave it expired, and one to come stays", arguments: places)
  func others(_ place: Persistence) throws {
    let item = try expired(place)
    try vault.renew(item, [.comment("still expired")], afterAcceptance: true)
    expect(.expired) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    let end = clock.now.adding(.seconds(5))
    try vault.modify(item, [.expires(end)])
    try vault.renew(item, [.secret(Secret("two"))], afterAcceptance: true)
    #expect(try vault.find(ItemQuery(), withSecrets: true).expires == end)
  }

  @Test("ends no expiry to come where the policy had let the old one go", arguments: places)
  func byPolicy(_ place: Persistence) throws {
    var rule = PersistencePolicy.Rule(name: "a minute")
    rule.lifetime = .seconds(60)
    try vault.policy.update { [rule] in $0 = [rule] }
    var item = try CredentialVaultTests.item("ann", "one")
    item.expires = clock.now.adding(.seconds(3600))
    try vault.add(item, persistence: place)
    clock.pass(.seconds(60))
    try vault.set(credential("ann", "two", place), for: space())
    #expect(try vault.find(ItemQuery(), withSecrets: true).expires == item.expires)
  }
}
