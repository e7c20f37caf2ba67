import AttackSupport
import CredentialVault
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("Vault: the one item")
struct FindingTests {
  let fixture: Fixture
  var vault: Vault { fixture.vault }

  init() throws {
    fixture = try Fixture()
  }

  @Test("nothing, one, and two of the same rank")
  func counts() throws {
    expect(.itemNotFound) { _ = try vault.findUnique(ItemQuery(), withSecrets: true) }
    try vault.add(item("ann"))
    #expect(try vault.findUnique(ItemQuery(), withSecrets: true).secret?.count == 3)
    #expect(try vault.findUnique(ItemQuery(), withSecrets: false).secret == nil)
    try vault.add(item("bob"))
    let error = #expect(throws: VaultError.self) {
      try vault.findUnique(ItemQuery(space()), withSecrets: true)
    }
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
    #expect(try vault.findUnique(ItemQuery(space()), withSecrets: true).account == "bob")
    let best = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    try vault.remove(best)
    expect(.ambiguous) { _ = try vault.findUnique(ItemQuery(space()), withSecrets: true) }
  }

  @Test("expired items are passed over, and named where there are no others")
  func expired() throws {
    var old = try item("ann")
    old.expires = Timestamp.now().adding(milliseconds: -1)
    try vault.add(old)
    let error = #expect(throws: VaultError.self) {
      try vault.findUnique(ItemQuery(space()), withSecrets: true)
    }
    #expect(error?.code == .expired && error?.candidates.map(\.account) == ["ann"])
    var query = try ItemQuery(space())
    query.includesExpired = false
    expect(.itemNotFound) { _ = try vault.findUnique(query, withSecrets: true) }
    try vault.add(item("bob"))
    #expect(try vault.findUnique(ItemQuery(space()), withSecrets: true).account == "bob")
  }

  @Test("the session's item stands for the file's with the same key")
  func session() throws {
    try vault.add(item("ann", "file"))
    try vault.add(item("ann", "session"), persistence: .session)
    let found = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    #expect(found.persistence == .session && found.secret?.count == 7)
    try vault.modify(found, [.comment("changed in the session")])
    try vault.remove(found)
    let left = try vault.findUnique(ItemQuery(space()), withSecrets: true)
    #expect(left.persistence == .permanent && left.comment.isEmpty && left.secret?.count == 4)
  }

  @Test("the best of several is the first in their order, and no limit hides that there are more")
  func best() throws {
    expect(.itemNotFound) { _ = try vault.find(ItemQuery(), withSecrets: true) }
    for account in ["carl", "ann", "bob"] {
      var given = try item(account)
      given.port = 0
      try vault.add(given)
    }
    var query = try ItemQuery(space())
    let best = try vault.find(query, withSecrets: true)
    #expect(best.account == "ann" && best.secret?.count == 3)
    #expect(try vault.find(query, withSecrets: false).secret == nil)
    var bob = ItemQuery()
    bob.account = .equals("bob")
    try vault.modify(vault.find(bob, withSecrets: true), [.port(443)])
    #expect(try vault.find(query, withSecrets: true).account == "bob")
    for limit in [0, 1, 2] {
      query.limit = limit
      #expect(try vault.find(query, withSecrets: true).account == "bob")
      var any = ItemQuery()
      any.limit = limit
      expect(.ambiguous) { _ = try vault.findUnique(any, withSecrets: true) }
    }
    var hiding = best
    hiding.comment = "of the session"
    try vault.add(hiding, persistence: .session)
    #expect(try vault.find(ItemQuery(), withSecrets: true).persistence == .session)
    let inside = try vault.write { (transaction) throws(VaultError) in
      try [
        transaction.find(ItemQuery(), withSecrets: true),
        transaction.find(query, withSecrets: true),
      ]
    }
    #expect(inside.map(\.account) == ["ann", "bob"] && inside[0].persistence == .permanent)
  }

  @Test("the best passes over expired items, and says if there are no others")
  func bestExpired() throws {
    let query = try ItemQuery(space())
    var old = try item("ann")
    old.expires = Timestamp.now().adding(milliseconds: -1)
    try vault.add(old)
    for inside in [false, true] {
      let error = #expect(throws: VaultError.self) { try find(query, inside) }
      #expect(error?.code == .expired && error?.candidates.map(\.account) == ["ann"])
      var valid = query
      valid.includesExpired = false
      expect(.itemNotFound) { _ = try find(valid, inside) }
    }
    try vault.add(item("bob"))
    #expect(try find(query, false).account == "bob" && find(query, true).account == "bob")
  }

  private func find(
    _ query: ItemQuery, _ inside: Bool
  ) throws(VaultError) -> Item {
    guard inside else { return try vault.find(query, withSecrets: true) }
    return try vault.writing { (transaction) throws(VaultError) in
      try transaction.find(query, withSecrets: true)
    }
  }

  @Test("no secret is opened of an item that is not the best")
  func unopened() throws {
    try vault.add(item("ann"))
    for account in ["bob", "carl"] {
      try vault.add(item(account, String(repeating: account, count: 1000)))
    }
    try vault.close()
    try Database.run("DELETE FROM node WHERE id > 1 << 62", on: fixture.path)
    let vault = try fixture.open()
    #expect(try vault.find(ItemQuery(), withSecrets: true).secret?.count == 3)
    var query = ItemQuery()
    query.limit = 1
    #expect(try vault.findAll(query, withSecrets: true).map(\.account) == ["ann"])
    query.limit = 2
    expect(.damaged) { _ = try vault.findAll(query, withSecrets: true) }
    expect(.damaged) { _ = try vault.findAll(ItemQuery(), withSecrets: true) }
  }

  @Test("a limit gives the beginning of the whole list", arguments: [1, 2, 3, 7, 30, 99, .max])
  func limits(_ limit: Int) throws {
    try vault.write { (transaction) throws(VaultError) in
      for number in 0..<30 {
        let place = number % 3 == 0 ? "example" : "host\(number * 7 % 30).example"
        var item = Item(server: HostName(canonical: number % 5 == 0 ? "other" : place))
        item.account = "\(number * 11 % 30)"
        item.port = UInt16(number % 2)
        try transaction.add(item)
      }
    }
    var ports = ItemQuery()
    ports.port = .equals(1)
    var account = ports
    account.account = .equals("3")
    var domain = ItemQuery()
    domain.server = .equals(HostName(canonical: "example"))
    domain.includesSubdomains = true
    for (query, count) in [(ItemQuery(), 30), (ports, 15), (account, 1), (domain, 24)] {
      let all = try vault.findAll(query).map(\.id)
      var limited = query
      limited.limit = limit
      #expect(all.count == count)
      #expect(try vault.findAll(limited).map(\.id) == Array(all.prefix(limit)))
    }
    // The server itself is before those below it.
    let servers = try vault.findAll(domain).map(\.server.name)
    #expect(
      servers.prefix(8).allSatisfy { $0 == "example" } && !servers.dropFirst(8).contains("example"))
  }

  @Test("a limit counts what is left of both places", arguments: [-1, 0, 1, 2, 3])
  func limit(limit: Int) throws {
    try vault.add(item("ann"), persistence: .session)
    try vault.add(item("ann"))
    try vault.add(item("bob"))
    var query = ItemQuery()
    query.limit = limit
    #expect(try vault.findAll(query).map(\.account) == Array(["ann", "bob"].prefix(max(0, limit))))
  }
}
