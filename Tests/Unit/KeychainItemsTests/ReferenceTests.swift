import CForkSupport
import CredentialVault
import KeychainServices
import SecureMemory
import TestSupport
import Testing
import VaultModel

@Suite("SecItem: references")
struct ReferenceTests {
  private let fixture: Fixture
  private let items: KeychainItems

  init() throws {
    fixture = try Fixture()
    items = fixture.items
  }

  private func add(_ account: String, _ option: String) throws -> KeychainValue {
    let item: Dictionary = [
      "class": "genp", "svce": "s", "acct": .text(account), "v_Data": .secret(account),
    ]
    return try #require(items.adding(item.merging([option: true]) { $1 }).result)
  }

  private func secret(_ query: Dictionary) -> String? {
    items.copying(query.merging(["r_Data": true]) { $1 }).result?.secretText
  }

  @Test("both kinds find their item, with and without its class, after it was renamed")
  func renames() throws {
    for (option, key) in [("r_Ref", "v_Ref"), ("r_PersistentRef", "v_PersistentRef")] {
      let reference = try add(key, option)
      #expect(secret([key: reference]) == key)
      let renamed: Dictionary = ["svce": .text("renamed " + key), "acct": "other"]
      #expect(items.updating([key: reference], renamed) == 0)
      #expect(secret([key: reference]) == key)
      #expect(secret([key: reference, "class": "genp"]) == key)
      #expect(items.copying([key: reference, "class": "inet"]).status == -50)
      #expect(items.deleting([key: reference]) == 0)
      #expect(items.copying([key: reference]).status == -25300, "a stale reference")
      #expect(items.updating([key: reference], ["icmt": "c"]) == -25300)
      #expect(items.deleting([key: reference]) == -25300)
    }
  }

  @Test("a persistent reference is valid in a vault that is opened again")
  func reopened() throws {
    let reference = try add("a", "r_PersistentRef")
    let path = try #require(fixture.vault.path)
    try fixture.vault.close()
    let vault = try Vault.open(path: path, key: .keyFile(fixture.folder.file("key")))
    let reopened = KeychainItems { [vault] }
    let found = reopened.copying(["v_PersistentRef": reference, "r_Data": true]).result
    #expect(found?.secretText == "a")
  }

  @Test("a persistent reference is a class and an identity, and nothing else is one")
  func bytes() throws {
    let bytes = try #require(try add("a", "r_PersistentRef").bytes)
    #expect(bytes.count == 20)
    #expect(bytes.prefix(4).elementsEqual("genp".utf8))
    #expect(try PersistentReference(bytes).bytes == bytes)
    let wrong = [[], Array(bytes.dropLast()), bytes + [0], Array("keys".utf8) + bytes.dropFirst(4)]
    for bytes in wrong {
      #expect(items.copying(["v_PersistentRef": .data(bytes)]).status == -25304)
    }
    let other = bytes.flipped(at: 19)
    #expect(items.copying(["v_PersistentRef": .data(other)]).status == -25300)
    let inet = Array("inet".utf8) + bytes.dropFirst(4)
    #expect(items.copying(["v_PersistentRef": .data(inet)]).status == -25300)
  }

  @Test("a list of items restricts a query, in the order of the list")
  func lists() throws {
    let a = try add("a", "r_Ref")
    let b = try add("b", "r_PersistentRef")
    _ = try add("c", "r_Ref")
    for key in ["m_ItemList", "u_ItemList"] {
      let all: Dictionary = [key: [b, a], "r_Data": true, "m_Limit": "m_LimitAll"]
      #expect(items.copying(all).result?.elements?.map(\.secretText) == ["b", "a"])
      #expect(secret([key: [b, a]]) == "b")
      #expect(secret([key: [b, a], "acct": "a"]) == "a")
      #expect(items.copying([key: []]).status == -25300)
      #expect(items.copying([key: [b], "v_Ref": a]).status == -50)
    }
    #expect(items.updating(["m_ItemList": [a, b]], ["icmt": "both"]) == 0)
    #expect(items.copying(["class": "genp", "acct": "c", "icmt": "both"]).status == -25300)
    #expect(items.deleting(["m_ItemList": [a, b]]) == 0)
    let left: Dictionary = ["class": "genp", "r_Data": true, "m_Limit": "m_LimitAll"]
    #expect(items.copying(left).result?.elements?.map(\.secretText) == ["c"])
  }

  @Test("a reference means the item of its own vault")
  func vaults() throws {
    let other = try Fixture()
    let reference = try add("a", "r_Ref")
    #expect(other.items.copying(["v_Ref": reference]).status == 0)
    let named: Dictionary = ["v_Ref": reference, "m_SearchList": [.vault(other.vault)]]
    #expect(items.copying(named).status == -25300)
    let persistent = try add("b", "r_PersistentRef")
    #expect(other.items.copying(["v_PersistentRef": persistent]).status == -25300)
  }

  @Test("an update and a delete reach what a query finds, also outside the searched vaults")
  func reach() throws {
    let other = try Fixture()
    for key in ["v_Ref", "m_ItemList", "u_ItemList"] {
      let reference = try add(key, "r_Ref")
      let query: Dictionary = [key: key == "v_Ref" ? reference : [reference]]
      #expect(other.items.copying(query).status == 0, "\(key)")
      #expect(other.items.updating(query, ["v_Data": .secret("new")]) == 0, "\(key)")
      #expect(secret(query) == "new")
      #expect(other.items.deleting(query) == 0, "\(key)")
      #expect(items.copying(query).status == -25300, "\(key)")
    }
  }

  @Test("a list with items of two vaults changes and removes those of both")
  func bothVaults() throws {
    let other = try Fixture()
    let first = try add("a", "r_Ref")
    let added = other.items.adding(["class": "inet", "srvr": "b.example", "r_Ref": true])
    let list: Dictionary = ["m_ItemList": [first, try #require(added.result)]]
    #expect(items.updating(list, ["icmt": "both"]) == 0)
    for items in [items, other.items] {
      for itemClass in ["genp", "inet"] as [KeychainValue] {
        let isThere = items.copying(["class": itemClass, "icmt": "both"]).status == 0
        #expect(isThere == (items.copying(["class": itemClass]).status == 0))
      }
    }
    #expect(items.updating(list.merging(["m_Limit": 1]) { $1 }, ["icmt": "one"]) == 0)
    #expect(other.items.copying(["class": "inet", "icmt": "both"]).status == 0)
    #expect(items.deleting(list) == 0)
    #expect(items.copying(["class": "genp"]).status == -25300)
    #expect(other.items.copying(["class": "inet"]).status == -25300)
  }

  @Test("a persistent reference leads to the other vaults that are open, for each function")
  func others() throws {
    let other = try Fixture()
    let both = KeychainItems(
      vaults: { [vault = other.vault] in [vault] },
      others: { [vault = fixture.vault] in [vault] })
    let query: Dictionary = ["v_PersistentRef": try add("a", "r_PersistentRef")]
    #expect(both.copying(query).status == 0)
    #expect(both.updating(query, ["v_Data": .secret("new")]) == 0)
    #expect(secret(query) == "new")
    let named: Dictionary = ["m_SearchList": [.vault(other.vault)]]
    #expect(both.copying(query.merging(named) { $1 }).status == -25300)
    #expect(both.deleting(query.merging(named) { $1 }) == -25300)
    #expect(both.deleting(query) == 0)
    #expect(items.copying(query).status == -25300)
    #expect(both.copying(["class": "genp"]).status == -25300, "a query does not search them")
  }
}
