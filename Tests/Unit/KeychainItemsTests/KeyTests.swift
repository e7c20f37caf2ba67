import CredentialVault
import KeychainServices
import SecureMemory
import Testing
import VaultModel

/// The parts of Apple's keys that a vault's keys do not have.
@Suite("SecItem: keys")
struct KeyTests {
  static let classes: [Dictionary] = [
    ["class": "genp", "svce": "s", "acct": "a"],
    ["class": "inet", "srvr": "a.example", "acct": "a"],
  ]

  @Test("the access group and the flag make other items", arguments: Store.allCases, classes)
  func groups(_ store: Store, _ item: Dictionary) throws {
    let items = try Fixture.make(store).items
    let parts: [Dictionary] = [[:], ["agrp": "g"], ["sync": true], ["agrp": "g", "sync": true]]
    for (index, part) in parts.enumerated() {
      let new = item.merging(part) { $1 }.merging(["v_Data": .secret("\(index)")]) { $1 }
      #expect(items.adding(new).status == 0)
      #expect(items.adding(new).status == -25299)
    }
    // An empty group is none.
    #expect(items.adding(item.merging(["agrp": "", "sync": false]) { $1 }).status == -25299)
    func secrets(_ part: Dictionary) -> [String?] {
      let query = item.merging(part) { $1 }
      let asked = query.merging(["r_Data": true, "m_Limit": "m_LimitAll"]) { $1 }
      return (items.copying(asked).result?.elements ?? []).map(\.secretText)
    }
    #expect(secrets([:]) == ["0", "1"], "all groups, without the flag")
    #expect(secrets(["agrp": "g"]) == ["1"])
    #expect(secrets(["agrp": ""]) == ["0"])
    #expect(Set(secrets(["sync": true])) == ["2", "3"])
    #expect(secrets(["agrp": "g", "sync": "syna"]) == ["1", "3"])
    let one = item.merging(["sync": true, "r_Data": true]) { $1 }
    #expect(["2", "3"].contains(items.copying(one).result?.secretText))
    // Both of one group would be one item.
    let query = item.merging(["agrp": "g", "sync": false]) { $1 }
    #expect(items.updating(query, ["sync": true]) == -25299)
    #expect(items.updating(query, ["agrp": "h"]) == 0)
    #expect(secrets(["agrp": "h"]) == ["1"])
    #expect(items.updating(["class": item["class"] ?? "", "agrp": "h"], ["agrp": ""]) == -25299)
    #expect(items.deleting(item) == 0)
    #expect(Set(secrets(["sync": "syna"])) == ["2", "3"])
  }

  @Test(
    "the secret of an item whose access list names no program is given to none",
    arguments: Store.allCases)
  func access(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let asking = KeychainValue.access(asksEachTime: true)
    let item: Dictionary = ["class": "genp", "svce": "s", "acct": "a"]
    func data(_ query: Dictionary) -> (status: Int32, result: KeychainValue?) {
      items.copying(query.merging(["r_Data": true]) { $1 })
    }
    // What its creator has just given, it gets back.
    let added = items.adding(
      item.merging(["acls": asking, "v_Data": .secret("1"), "r_Data": true]) { $1 })
    #expect(added.status == 0 && added.result?.secretText == "1")
    #expect(data(item).status == -25308)
    #expect(items.copying(item.merging(["r_Attributes": true]) { $1 }).status == 0)
    // As on Apple's systems, one such item makes a query for several fail.
    #expect(items.adding(["class": "genp", "svce": "other", "v_Data": .secret("2")]).status == 0)
    let all: Dictionary = ["class": "genp", "m_Limit": "m_LimitAll"]
    #expect(data(all).status == -25308)
    #expect(items.copying(all).status == 0)
    // Neither a new secret nor a new name changes who is asked; another list does.
    #expect(items.updating(item, ["v_Data": .secret("3"), "labl": "new"]) == 0)
    #expect(data(item).status == -25308)
    #expect(items.updating(item, ["acls": .access(asksEachTime: false)]) == 0)
    #expect(data(item).result?.secretText == "3")
    #expect(items.updating(item, ["acls": asking]) == 0)
    #expect(data(item).status == -25308)
    #expect(items.deleting(item) == 0)
    #expect(data(all).status == 0)
    #expect(items.adding(item.merging(["acls": "list"]) { $1 }).status == -50)
  }

  @Test("a server is the text that was given, and compared as it is", arguments: Store.allCases)
  func servers(_ store: Store) throws {
    let fixture = try Fixture.make(store)
    let items = fixture.items
    let texts = ["a.example", "A.example", "a.example.", "http://a.example/x", "no host"]
    for text in texts {
      let new: Dictionary = ["class": "inet", "srvr": .text(text), "v_Data": .secret(text)]
      #expect(items.adding(new).status == 0)
      #expect(items.adding(new).status == -25299)
    }
    for text in texts {
      let query: Dictionary = [
        "class": "inet", "srvr": .text(text), "r_Data": true, "r_Attributes": true,
        "m_Limit": "m_LimitAll",
      ]
      let found = items.copying(query).result?.elements ?? []
      #expect(found.map { $0.dictionary?["v_Data"]?.secretText } == [text])
      #expect(found.map { $0.dictionary?["srvr"]?.text } == [text])
    }
    #expect(items.copying(["class": "inet", "srvr": ""]).status == -25300)
    let folded: Dictionary = [
      "class": "inet", "srvr": "NO HOST", "m_CaseInsensitive": true, "r_Attributes": true,
    ]
    #expect(items.copying(folded).result?.dictionary?["labl"]?.text == "no host")
    // Networking code asks for a host, by any spelling.
    let host = ItemQuery(server: try HostName("a.EXAMPLE"))
    #expect(try fixture.vault.count(host) == 3)
    // A new text keeps nothing of the old one.
    let query: Dictionary = ["class": "inet", "srvr": "A.example"]
    #expect(items.updating(query, ["srvr": "a.example"]) == -25299)
    #expect(items.updating(query, ["srvr": "B.example"]) == 0)
    #expect(items.updating(["class": "inet", "srvr": "B.example"], ["srvr": "b.example"]) == 0)
    #expect(items.copying(["class": "inet", "srvr": "b.example"]).status == 0)
    #expect(items.copying(["class": "inet", "srvr": "B.example"]).status == -25300)
  }

  @Test("a host means its subdomains, too, before the limit")
  func domains() throws {
    let items = try Fixture().items
    for server in ["b.example", "x.A.example", "a.example", "ba.example"] {
      #expect(items.adding(["class": "inet", "srvr": .text(server)]).status == 0)
    }
    func found(_ query: Dictionary) -> [String?] {
      let wanted: Dictionary = [
        "class": "inet", "m_HostOrSubdomainOfHost": "A.example", "r_Attributes": true,
        "m_Limit": "m_LimitAll",
      ]
      let all = items.copying(wanted.merging(query) { $1 }).result?.elements ?? []
      return all.map { $0.dictionary?["srvr"]?.text }.sorted { ($0 ?? "") < ($1 ?? "") }
    }
    #expect(found([:]) == ["a.example", "x.A.example"])
    #expect(found(["srvr": "x.A.example"]) == ["x.A.example"])
    #expect(found(["srvr": "b.example"]) == [])
    let generic: Dictionary = ["class": "genp", "m_HostOrSubdomainOfHost": "a.example"]
    #expect(items.copying(generic).status == -4)
    #expect(items.deleting(["class": "inet", "m_HostOrSubdomainOfHost": "a.example"]) == 0)
    #expect(items.copying(["class": "inet", "srvr": "b.example"]).status == 0)
    #expect(items.copying(["class": "inet", "srvr": "a.example"]).status == -25300)
  }

  @Test("several items come in the order in which they were added", arguments: Store.allCases)
  func order(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let accounts = ["c", "a", "d", "b"]
    for account in accounts {
      #expect(items.adding(["class": "genp", "acct": .text(account)]).status == 0)
      // Dates are milliseconds.
      let start = ContinuousClock.now
      while ContinuousClock.now < start + .milliseconds(2) {}
    }
    #expect(items.updating(["class": "genp", "acct": "c"], ["icmt": "changed"]) == 0)
    func found(_ limit: KeychainValue) -> [String?] {
      let query: Dictionary = ["class": "genp", "r_Attributes": true, "m_Limit": limit]
      return (items.copying(query).result?.elements ?? []).map { $0.dictionary?["acct"]?.text }
    }
    #expect(found("m_LimitAll") == accounts)
    #expect(found(2) == ["c", "a"])
  }
}
