import BusMessages
import CredentialVault
import SecureMemory
import Testing
import VaultModel

@testable import SecretService

@Suite("Attributes of the Secret Service")
struct AttributeTests {
  @Test(
    "an empty value is found by itself, and names one item",
    arguments: [
      ["a": ""], ["service": "s", "username": ""],
      ["service": "s", "username": "u", "application": ""],
      [
        "server": "h.example.com", "protocol": "https", "user": "", "domain": "", "object": "",
        "port": "", "authtype": "", "xdg:schema": "",
      ],
      ["server": "h.example.com", "protocol": "", "user": "ann"],
    ])
  func empty(attributes: [String: String]) throws {
    let bench = try ServiceFixture()
    let path = try bench.create(attributes)
    #expect(try bench.create(attributes, Secret("new")) == path)
    #expect(try bench.search(attributes).unlocked == [path])
    for (name, value) in attributes {
      #expect(try bench.search([name: value]).unlocked == [path], "\(name)")
    }
    #expect(try bench.search(["other": ""]).unlocked == [])
    #expect(try bench.search([:]).unlocked == [path])
  }

  @Test(
    "an expired item is replaced and has no twin",
    arguments: [
      ["service": "s", "username": "u"], ["a": "1"],
      ["server": "h.example.com", "protocol": "https", "user": "ann"],
    ])
  func expired(attributes: [String: String]) throws {
    let bench = try ServiceFixture()
    let path = try bench.create(attributes, Secret("old"))
    try expire(path, on: bench)
    #expect(try bench.search(attributes).unlocked == [])
    #expect(
      refusal { () throws(BusError) in _ = try bench.secret(path) } == "NoSuchObject")
    #expect(try bench.create(attributes, Secret("new")) == path)
    #expect(try bench.search(attributes).unlocked == [path])
    #expect(try bench.secret(path) == Array("new".utf8))
  }

  @Test("a collection goes with its expired items")
  func expiredInCollection() throws {
    let bench = try ServiceFixture()
    let made = try bench.call(
      ServiceFixture.path, "Service", "CreateCollection", .variants([]), .text("work"))
    let work = try #require(made[0].path)
    try expire(bench.create(["a": "1"], in: work), on: bench)
    try bench.call(work, "Collection", "Delete")
    #expect(try bench.vault.findAll(ItemQuery(itemClass: .genericPassword)).isEmpty)
  }

  /// Lets the time of an item be over.
  private func expire(_ path: String, on bench: ServiceFixture) throws {
    let id = try ItemID(text: String(path.suffix(26)))
    let end = ItemChange.expires(Timestamp.now().adding(milliseconds: -1000))
    if let item = try bench.vault.findAll(ItemQuery(itemClass: .genericPassword)).first(where: {
      $0.id == id
    }) {
      try bench.vault.modify(item, [end])
    } else {
      try bench.vault.modify(bench.vault.item(id), [end])
    }
  }

  @Test("a property is read without a look at the items, unless it is of them")
  func properties() throws {
    let bench = try ServiceFixture()
    let item = try bench.vault.add(Item(service: "s", account: "u"))
    for name in ["Locked", "Label", "Created", "Modified"] {
      #expect(try bench.property(name, of: ServiceFixture.login, "Collection") != nil)
    }
    #expect(!bench.service.items.hasSeen(item.item.id))
    #expect(
      try bench.property("Items", of: ServiceFixture.login, "Collection")?.paths?.count == 1)
    #expect(bench.service.items.hasSeen(item.item.id))
  }
}
