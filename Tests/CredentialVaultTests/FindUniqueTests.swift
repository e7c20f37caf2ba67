import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: the one item")
struct FindUniqueTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  @Test("nothing, one, and two of the same rank")
  func counts() throws {
    expect(.itemNotFound) { _ = try vault.findUnique(ItemQuery()) }
    try vault.add(item("ann"))
    #expect(try vault.findUnique(ItemQuery()).secret?.count == 3)
    #expect(try vault.findUnique(ItemQuery(), secrets: false).secret == nil)
    try vault.add(item("bob"))
    let error = #expect(throws: VaultError.self) { try vault.findUnique(ItemQuery(space())) }
    #expect(error?.code == .ambiguous)
    #expect(error?.candidates.map(\.account) == ["ann", "bob"])
    #expect(error?.candidates.allSatisfy { $0.secret == nil } == true)
  }

  @Test("the better match wins over any number of others")
  func rank() throws {
    for (account, port) in [("ann", 0), ("bob", 443), ("carl", 0)] as [(String, UInt16)] {
      var given = try item(account)
      given.port = port
      try vault.add(given)
    }
    #expect(try vault.findUnique(ItemQuery(space())).account == "bob")
    let best = try vault.findUnique(ItemQuery(space()))
    try vault.delete(best)
    expect(.ambiguous) { _ = try vault.findUnique(ItemQuery(space())) }
  }

  @Test("expired items are passed over, and named where there are no others")
  func expired() throws {
    var old = try item("ann")
    old.expires = Timestamp.now().adding(milliseconds: -1)
    try vault.add(old)
    let error = #expect(throws: VaultError.self) { try vault.findUnique(ItemQuery(space())) }
    #expect(error?.code == .expired && error?.candidates.map(\.account) == ["ann"])
    var query = try ItemQuery(space())
    query.includesExpired = false
    expect(.itemNotFound) { _ = try vault.findUnique(query) }
    try vault.add(item("bob"))
    #expect(try vault.findUnique(ItemQuery(space())).account == "bob")
  }

  @Test("the session's item stands for the file's with the same key")
  func session() throws {
    try vault.add(item("ann", "file"))
    try vault.add(item("ann", "session"), persistence: .session)
    let found = try vault.findUnique(ItemQuery(space()))
    #expect(found.persistence == .session && found.secret?.count == 7)
    try vault.modify(found, [.comment("changed in the session")])
    try vault.delete(found)
    let left = try vault.findUnique(ItemQuery(space()))
    #expect(left.persistence == .permanent && left.comment.isEmpty && left.secret?.count == 4)
  }

  @Test("a limit counts what is left of both places", arguments: [-1, 0, 1, 2, 3])
  func limit(limit: Int) throws {
    try vault.add(item("ann"), persistence: .session)
    try vault.add(item("ann"))
    try vault.add(item("bob"))
    var query = ItemQuery()
    query.limit = limit
    #expect(try vault.find(query).map(\.account) == Array(["ann", "bob"].prefix(max(0, limit))))
  }
}
