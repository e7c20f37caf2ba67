import CredentialVault
import KeychainServices
import SecureMemory
import Testing
import VaultModel

@Suite("SecItem: what is returned")
struct ResultShapeTests {
  static let flags: [(key: String, option: KeychainReturn)] = [
    ("r_Data", .data), ("r_Attributes", .attributes), ("r_Ref", .reference),
    ("r_PersistentRef", .persistentReference),
  ]

  static let classes: [Dictionary] = [
    ["class": "genp", "svce": "backup"], ["class": "inet", "srvr": "example.com"],
  ]

  @Test(
    "each combination of returns has its shape, for one item and for many",
    arguments: Store.allCases, classes)
  func shapes(_ store: Store, _ query: Dictionary) throws {
    let items = try Fixture.make(store).items
    for account in ["a", "b"] {
      let new: Dictionary = ["acct": .text(account), "v_Data": .secret("secret " + account)]
      #expect(items.adding(query.merging(new) { $1 }).status == 0)
    }
    for rawValue in UInt8(0)..<16 {
      let returns = KeychainReturn(rawValue: rawValue)
      var asked = query
      for (key, option) in Self.flags { asked[key] = .flag(returns.contains(option)) }
      let (status, one) = items.copying(asked)
      #expect(status == 0)
      try check(one, returns, "a")
      for limit in ["m_LimitAll", 2] as [KeychainValue] {
        asked["m_Limit"] = limit
        let (status, all) = items.copying(asked)
        #expect(status == 0)
        if returns.isEmpty {
          #expect(all == nil)
        } else {
          let elements = try #require(all?.elements)
          #expect(elements.count == 2)
          try check(elements.first, returns, "a")
          try check(elements.last, returns, "b")
        }
      }
    }
  }

  private func check(
    _ value: KeychainValue?, _ returns: KeychainReturn, _ account: String
  ) throws {
    guard !returns.isEmpty else {
      #expect(value == nil)
      return
    }
    let value = try #require(value)
    switch returns {
    case .data: #expect(value.secretText == "secret " + account)
    case .reference: #expect(value.reference?.key.account == account)
    case .persistentReference: #expect(value.bytes?.count == 20)
    default:
      let dictionary = try #require(value.dictionary)
      #expect((dictionary["acct"]?.text == account) == returns.contains(.attributes))
      #expect((dictionary["v_Data"] != nil) == returns.contains(.data))
      #expect((dictionary["v_Ref"]?.reference != nil) == returns.contains(.reference))
      #expect((dictionary["v_PersistentRef"] != nil) == returns.contains(.persistentReference))
    }
  }

  @Test("an add returns what it is asked for")
  func add() throws {
    let items = try Fixture().items
    let (status, result) = items.adding([
      "class": "genp", "svce": "s", "v_Data": .secret("x"), "r_PersistentRef": true,
      "r_Data": true, "r_Attributes": true,
    ])
    #expect(status == 0)
    let dictionary = try #require(result?.dictionary)
    #expect(dictionary["v_Data"]?.secretText == "x")
    #expect(dictionary["labl"]?.text == "s")
    #expect(dictionary["v_PersistentRef"]?.bytes?.prefix(4).elementsEqual("genp".utf8) == true)
    #expect(items.adding(["class": "genp", "svce": "t"]).result == nil)
  }

  @Test("attributes have the types of their keys", arguments: Store.allCases)
  func attributes(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let all: Dictionary = [
      "class": "inet", "srvr": "Example.COM.", "acct": "smith", "sdmn": "realm", "path": "/x",
      "port": 8443, "ptcl": "htps", "atyp": "http", "labl": "l", "icmt": "c", "desc": "d",
      "crtr": "swca", "type": 7, "invi": true, "nega": 1, "pdmn": "ck", "agrp": "group",
      "sync": true, "v_Data": .secret(""),
    ]
    #expect(items.adding(all).status == 0)
    let found = items.copying(["class": "inet", "sync": "syna", "r_Attributes": true]).result
    let dictionary = try #require(found?.dictionary)
    for key in [
      "class", "srvr", "acct", "sdmn", "path", "ptcl", "atyp", "labl", "icmt", "desc", "pdmn",
    ] {
      #expect(dictionary[key]?.text == all[key]?.text)
    }
    #expect(dictionary["agrp"]?.text == "group")
    #expect(dictionary["port"]?.number == 8443)
    #expect(dictionary["crtr"]?.number == 0x7377_6361)
    #expect(dictionary["type"]?.number == 7)
    #expect(dictionary["sync"]?.number == 1)
    for key in ["invi", "nega"] {
      guard case .flag(true) = dictionary[key] else {
        Issue.record("\(key) is no flag")
        continue
      }
    }
    for key in ["cdat", "mdat"] {
      guard case .date = dictionary[key] else {
        Issue.record("\(key) is no date")
        continue
      }
    }
    #expect(dictionary["v_Data"] == nil)
    #expect(Set(dictionary.keys) == Set(all.keys).subtracting(["v_Data"]).union(["cdat", "mdat"]))
    // The result selects the item again.
    #expect(items.copying(dictionary).status == 0)
  }

  @Test("unset attributes are left out, but for the port and those with a standard value")
  func unset() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "inet", "srvr": "a.example"]).status == 0)
    #expect(items.adding(["class": "genp", "svce": "s", "gena": .data([0, 255])]).status == 0)
    let internet = try #require(
      items.copying(["class": "inet", "r_Attributes": true]).result?.dictionary)
    #expect(
      Set(internet.keys) == ["class", "srvr", "labl", "port", "cdat", "mdat", "pdmn", "sync"])
    #expect(internet["port"]?.number == 0)
    let generic = try #require(
      items.copying(["class": "genp", "r_Attributes": true]).result?.dictionary)
    #expect(
      Set(generic.keys) == ["class", "svce", "labl", "gena", "cdat", "mdat", "pdmn", "sync"])
    #expect(generic["gena"]?.bytes == [0, 255])
  }

  @Test("an item without a secret has empty data alone, and none in a dictionary")
  func noSecret() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "genp", "svce": "s"]).status == 0)
    let query: Dictionary = ["class": "genp", "r_Data": true]
    #expect(items.copying(query).result?.bytes == [])
    let both = items.copying(query.merging(["r_Attributes": true]) { $1 }).result?.dictionary
    #expect(both?["svce"]?.text == "s")
    #expect(both?.keys.contains("v_Data") == false)
  }

  @Test("an empty secret is data without bytes, however it was set", arguments: Store.allCases)
  func emptySecret(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let names: [KeychainValue] = ["added", "changed", "given"]
    #expect(items.adding(["class": "genp", "svce": "added", "v_Data": .secret("")]).status == 0)
    #expect(items.adding(["class": "genp", "svce": "changed", "v_Data": .secret("x")]).status == 0)
    #expect(items.adding(["class": "genp", "svce": "given"]).status == 0)
    for name in names.dropFirst() {
      #expect(items.updating(["class": "genp", "svce": name], ["v_Data": .secret("")]) == 0)
    }
    for name in names {
      let found = items.copying(
        ["class": "genp", "svce": name, "r_Data": true, "r_Attributes": true]
      ).result?.dictionary
      #expect(found?["v_Data"]?.secretText == "")
      #expect(found?["svce"]?.text == name.text)
    }
  }

  @Test("limits count, and 0 finds nothing")
  func limits() throws {
    let items = try Fixture().items
    for account in ["a", "b", "c"] {
      #expect(items.adding(["class": "genp", "acct": .text(account)]).status == 0)
    }
    func count(_ limit: KeychainValue) -> (Int32, Int?) {
      let found = items.copying(["class": "genp", "r_Attributes": true, "m_Limit": limit])
      return (found.status, found.result?.elements?.count)
    }
    #expect(count(2) == (0, 2))
    #expect(count(9) == (0, 3))
    #expect(count(-1) == (0, 3))
    #expect(count("m_LimitAll") == (0, 3))
    #expect(count(1) == (0, nil))
    #expect(count(0) == (-25300, nil))
    #expect(count(-2) == (-50, nil))
    #expect(count("all") == (-50, nil))
    #expect(count(true) == (-50, nil))
  }

  @Test("the secret is opened only if data are asked for")
  func secrets() throws {
    let fixture = try Fixture()
    let expired = Item(service: "s", account: "old", secret: Secret("x"))
    var item = expired
    item.expires = Timestamp(seconds: 1)
    try fixture.vault.add(item)
    let query: Dictionary = ["class": "genp", "svce": "s"]
    #expect(fixture.items.copying(query).status == 0, "an expired item can be found")
    #expect(fixture.items.copying(query.merging(["r_Data": true]) { $1 }).status == -25300)
    #expect(
      fixture.items.copying(
        query.merging(["r_Data": true, "m_Limit": "m_LimitAll"]) { $1 }
      ).status == -25300)
  }
}
