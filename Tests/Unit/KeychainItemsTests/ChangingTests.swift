import CredentialVault
import KeychainServices
import SecureMemory
import Testing
import VaultModel

@Suite("SecItem: adding, updating and deleting")
struct ChangingTests {
  @Test("a second item with the same key is a duplicate", arguments: Store.allCases)
  func duplicates(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let generic: Dictionary = ["class": "genp", "svce": "s", "acct": "a"]
    let internet: Dictionary = ["class": "inet", "srvr": "a.example", "acct": "a"]
    for item in [generic, internet] {
      #expect(items.adding(item).status == 0)
      #expect(items.adding(item.merging(["labl": "other", "pdmn": "ck"]) { $1 }).status == -25299)
      #expect(items.adding(item.merging(["acct": "b"]) { $1 }).status == 0)
    }
    #expect(items.adding(internet.merging(["port": 443]) { $1 }).status == 0)
  }

  @Test("an update changes what it names and keeps the rest", arguments: Store.allCases)
  func update(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let query: Dictionary = ["class": "genp", "svce": "s"]
    let new: Dictionary = ["acct": "a", "icmt": "c", "v_Data": .secret("old")]
    #expect(items.adding(query.merging(new) { $1 }).status == 0)
    #expect(items.updating(query, ["v_Data": .data(Array("new".utf8)), "agrp": "g"]) == 0)
    let wanted: Dictionary = ["r_Data": true, "r_Attributes": true]
    let found = items.copying(query.merging(wanted) { $1 }).result?.dictionary
    #expect(found?["v_Data"]?.secretText == "new")
    #expect(found?["icmt"]?.text == "c")
    #expect(found?["agrp"]?.text == "g")
    #expect(items.updating(query, ["svce": "renamed"]) == 0)
    #expect(items.copying(query).status == -25300)
    #expect(items.updating(query, ["icmt": "x"]) == -25300)
    #expect(items.copying(["class": "genp", "svce": "renamed", "acct": "a"]).status == 0)
  }

  @Test("updates and deletes concern all matches, unless they name a limit")
  func all() throws {
    let items = try Fixture().items
    for account in ["a", "b", "c"] {
      #expect(items.adding(["class": "genp", "svce": "s", "acct": .text(account)]).status == 0)
    }
    let query: Dictionary = ["class": "genp", "svce": "s"]
    #expect(items.updating(query, ["icmt": "all"]) == 0)
    func count(_ query: Dictionary) -> Int {
      let asked = query.merging(["r_Attributes": true, "m_Limit": "m_LimitAll"]) { $1 }
      return items.copying(asked).result?.elements?.count ?? 0
    }
    #expect(count(["class": "genp", "icmt": "all"]) == 3)
    #expect(items.updating(query.merging(["m_Limit": 2]) { $1 }, ["icmt": "two"]) == 0)
    #expect(count(["class": "genp", "icmt": "two"]) == 2)
    #expect(items.deleting(query.merging(["m_Limit": "m_LimitOne"]) { $1 }) == 0)
    #expect(count(query) == 2)
    #expect(items.deleting(query) == 0)
    #expect(items.deleting(query) == -25300)
  }

  @Test("an update that would make a duplicate changes nothing")
  func atomic() throws {
    let items = try Fixture().items
    for account in ["a", "b", "c"] {
      #expect(items.adding(["class": "genp", "svce": "s", "acct": .text(account)]).status == 0)
    }
    #expect(items.updating(["class": "genp", "svce": "s"], ["acct": "one"]) == -25299)
    #expect(items.copying(["class": "genp", "acct": "one"]).status == -25300)
    for account in ["a", "b", "c"] {
      #expect(items.copying(["class": "genp", "acct": .text(account)]).status == 0)
    }
  }

  @Test("the label defaults to the server or service, else to the account")
  func labels() throws {
    let items = try Fixture().items
    func label(_ dictionary: Dictionary) -> String? {
      let asked = dictionary.merging(["r_Attributes": true]) { $1 }
      return items.adding(asked).result?.dictionary?["labl"]?.text
    }
    #expect(label(["class": "inet", "srvr": "a.example", "acct": "x"]) == "a.example")
    #expect(label(["class": "inet", "acct": "x"]) == "x")
    #expect(label(["class": "genp", "svce": "s", "acct": "x"]) == "s")
    #expect(label(["class": "genp", "acct": "x"]) == "x")
    #expect(label(["class": "genp", "svce": "t", "labl": "own"]) == "own")
  }

  @Test("the secret in a query is no condition: delete and add with one dictionary")
  func replacing() throws {
    let items = try Fixture().items
    for secret in ["one", "two"] {
      let item: Dictionary = ["class": "genp", "svce": "s", "v_Data": .secret(secret)]
      #expect([0, -25300].contains(items.deleting(item)))
      #expect(items.adding(item).status == 0)
      #expect(items.copying(["class": "genp", "r_Data": true]).result?.secretText == secret)
    }
  }

  @Test("a rule that lets nothing be kept refuses, and the vault is unchanged")
  func policy() throws {
    let fixture = try Fixture()
    let items = fixture.items
    #expect(items.adding(["class": "inet", "srvr": "b.example"]).status == 0)
    var rule = PersistencePolicy.Rule(name: "no")
    rule.host = try HostPattern("a.example")
    rule.maximumPersistence = .none
    try fixture.vault.policy.update { [rule] in $0 = [rule] }
    #expect(items.adding(["class": "inet", "srvr": "a.example"]).status == -61)
    #expect(items.updating(["class": "inet"], ["srvr": "a.example"]) == -61)
    #expect(items.copying(["class": "inet", "srvr": "b.example"]).status == 0)
    #expect(items.copying(["class": "inet", "srvr": "a.example"]).status == -25300)
  }

  @Test("a new secret ends an expiry that has passed")
  func renewal() throws {
    let fixture = try Fixture()
    var item = Item(service: "s", secret: Secret("old"))
    item.expires = Timestamp(seconds: 1)
    try fixture.vault.add(item)
    let query: Dictionary = ["class": "genp", "svce": "s", "r_Data": true]
    #expect(fixture.items.copying(query).status == -25300)
    #expect(
      fixture.items.updating(["class": "genp", "svce": "s"], ["v_Data": .secret("new")]) == 0)
    #expect(fixture.items.copying(query).result?.secretText == "new")
  }
}
