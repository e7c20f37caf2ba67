import CredentialVault
import KeychainServices
import SecureMemory
import Testing
import VaultModel

@Suite("SecItem: which items match")
struct MatchingTests {
  @Test("an answer for one class never has an item of the other", arguments: Store.allCases)
  func classes(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let generic: Dictionary = ["class": "genp", "svce": "a.example", "acct": "x"]
    let internet: Dictionary = ["class": "inet", "srvr": "a.example", "acct": "x"]
    #expect(items.adding(generic.merging(["v_Data": .secret("g")]) { $1 }).status == 0)
    #expect(items.copying(["class": "inet", "acct": "x"]).status == -25300)
    #expect(items.adding(internet.merging(["v_Data": .secret("i")]) { $1 }).status == 0)
    for (itemClass, secret) in [("genp", "g"), ("inet", "i")] {
      let found = items.copying(["class": .text(itemClass), "acct": "x", "r_Data": true]).result
      #expect(found?.secretText == secret)
    }
    #expect(items.deleting(generic) == 0)
    #expect(items.copying(internet).status == 0)
  }

  @Test("a private key and a decision about a server are no passwords", arguments: Store.allCases)
  func keys(_ store: Store) throws {
    let fixture = try Fixture.make(store)
    let persistence: Persistence = store == .file ? .permanent : .session
    var key = Item(
      server: try HostName("a.example"), account: "key", secret: Secret("key"),
      authenticationMethod: .clientCertificate)
    key.secretKind = .identity
    try fixture.vault.add(key, persistence: persistence)
    let decision = Item(
      server: try HostName("a.example"), account: "trust", secret: Secret("text"),
      authenticationMethod: .serverTrust)
    try fixture.vault.add(decision, persistence: persistence)
    let query: Dictionary = ["class": "inet", "srvr": "a.example"]
    #expect(fixture.items.copying(query).status == -25300)
    #expect(fixture.items.deleting(query) == -25300)
    #expect(try fixture.vault.count(ItemQuery()) == 2)
  }

  @Test("every attribute is a condition, and an empty value asks for unset")
  func conditions() throws {
    let items = try Fixture().items
    let values: [(String, KeychainValue, KeychainValue)] = [
      ("srvr", "a.example", "b.example"), ("acct", "a", "A"), ("sdmn", "a", "b"),
      ("path", "/", "/x"), ("port", 1, 2), ("ptcl", "http", "htps"), ("atyp", "http", "dflt"),
      ("labl", "a", "b"), ("icmt", "a", "b"), ("desc", "a", "b"), ("crtr", 1, "abcd"),
      ("type", 1, 2), ("invi", true, false), ("nega", false, true), ("pdmn", "ak", "ck"),
      ("agrp", "a", "b"), ("sync", false, true),
    ]
    var item: Dictionary = ["class": "inet"]
    for (key, value, _) in values { item[key] = value }
    #expect(items.adding(item).status == 0)
    #expect(items.copying(item).status == 0)
    for (key, _, other) in values {
      var query = item
      query[key] = other
      #expect(items.copying(query).status == -25300, "\(key)")
      query[key] = nil
      #expect(items.copying(query).status == 0, "\(key)")
    }
    #expect(items.copying(["class": "inet", "acct": ""]).status == -25300)
    #expect(items.adding(["class": "inet", "srvr": "c.example"]).status == 0)
    #expect(items.copying(["class": "inet", "acct": ""]).status == 0)
  }

  @Test("the names, characters and numbers of a protocol and a type are one value")
  func codes() throws {
    let items = try Fixture().items
    let type = Int64(UInt32(0x6874_7464).bigEndian)
    let item: Dictionary = ["class": "inet", "ptcl": "htps", "atyp": "httd"]
    #expect(items.adding(item).status == 0)
    for value in ["https", "HTTPS", 0x6874_7073] as [KeychainValue] {
      #expect(items.copying(["class": "inet", "ptcl": value]).status == 0)
    }
    for value in ["digest", .number(type)] as [KeychainValue] {
      #expect(items.copying(["class": "inet", "atyp": value]).status == 0)
    }
    for code in ["ftp ", "WDAV", "smtps", "sftp"] as [KeychainValue] {
      #expect(items.adding(["class": "inet", "ptcl": code]).status == 0)
      #expect(items.copying(["class": "inet", "ptcl": code]).status == 0)
    }
    let padded = items.copying(["class": "inet", "ptcl": "ftp ", "r_Attributes": true]).result
    #expect(padded?.dictionary?["ptcl"]?.text == "ftp ")
  }

  @Test("texts match without case if that is asked for")
  func ignoringCase() throws {
    let items = try Fixture().items
    for account in ["Smith", "SMITH", "Jones"] {
      let new: Dictionary = [
        "class": "genp", "svce": "Störung", "acct": .text(account), "v_Data": .secret(account),
      ]
      #expect(items.adding(new).status == 0)
    }
    var query: Dictionary = ["class": "genp", "svce": "STÖRUNG", "acct": "smith"]
    #expect(items.copying(query).status == -25300)
    query["m_CaseInsensitive"] = true
    query["m_Limit"] = "m_LimitAll"
    query["r_Data"] = true
    let found = items.copying(query).result?.elements?.compactMap(\.secretText)
    #expect(found == ["Smith", "SMITH"])
    query["m_Limit"] = "m_LimitOne"
    #expect(items.copying(query).result?.secretText == "SMITH")
    #expect(items.deleting(["class": "genp", "acct": "smith", "m_CaseInsensitive": true]) == 0)
    #expect(items.copying(["class": "genp", "acct": "Jones"]).status == 0)
    #expect(items.copying(["class": "genp", "acct": "Smith"]).status == -25300)
  }

  @Test("dates are conditions in a query and ignored in what is stored")
  func dates() throws {
    let items = try Fixture().items
    #expect(
      items.adding(["class": "genp", "cdat": .date(Timestamp(seconds: 0))]).status == 0)
    let found = items.copying(["class": "genp", "r_Attributes": true]).result?.dictionary
    let created = try #require(found?["cdat"])
    guard case .date(let date) = created, date > Timestamp(seconds: 1) else {
      Issue.record("the date is not the vault's")
      return
    }
    #expect(items.copying(["class": "genp", "cdat": created]).status == 0)
    let other = KeychainValue.date(date.adding(milliseconds: 1))
    #expect(items.copying(["class": "genp", "cdat": other]).status == -25300)
    #expect(items.updating(["class": "genp"], ["cdat": other, "icmt": "c"]) == 0)
    #expect(items.copying(["class": "genp", "cdat": created, "icmt": "c"]).status == 0)
  }

  @Test("a query that does not name the flag means items that are not synchronizable")
  func synchronizable() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "genp", "svce": "local"]).status == 0)
    #expect(items.adding(["class": "genp", "svce": "shared", "sync": true]).status == 0)
    func services(_ value: KeychainValue?) -> [String?] {
      var query: Dictionary = ["class": "genp", "r_Attributes": true, "m_Limit": "m_LimitAll"]
      query["sync"] = value
      let found = items.copying(query).result?.elements ?? []
      return found.map { $0.dictionary?["svce"]?.text }
    }
    #expect(services(nil) == ["local"])
    #expect(services(false) == ["local"])
    #expect(services(true) == ["shared"])
    #expect(services("syna") == ["local", "shared"])
    #expect(items.deleting(["class": "genp"]) == 0)
    #expect(services("syna") == ["shared"])
    #expect(items.adding(["class": "genp", "sync": "syna"]).status == -50)
  }

  @Test("the first vault that has a match wins, and a list finds the items of all")
  func vaults() throws {
    let (first, second) = (try Fixture(), try Fixture())
    let items = KeychainItems { [first.vault, second.vault] }
    for (fixture, account) in [(first, "a"), (second, "a"), (second, "b")] {
      let secret = KeychainValue.secret(fixture === first ? "first" : "second")
      let new: Dictionary = ["class": "genp", "acct": .text(account), "v_Data": secret]
      #expect(fixture.items.adding(new).status == 0)
    }
    func secret(_ account: String) -> String? {
      items.copying(["class": "genp", "acct": .text(account), "r_Data": true]).result?.secretText
    }
    #expect(secret("a") == "first")
    #expect(secret("b") == "second")
    let all: Dictionary = ["class": "genp", "r_Data": true, "m_Limit": "m_LimitAll"]
    let secrets = items.copying(all).result?.elements?.map(\.secretText)
    #expect(secrets == ["first", "second", "second"])
    let two = items.copying(all.merging(["m_Limit": 2]) { $1 }).result?.elements
    #expect(two?.map(\.secretText) == ["first", "second"])

    #expect(items.adding(["class": "genp", "acct": "new"]).status == 0)
    #expect(first.items.copying(["class": "genp", "acct": "new"]).status == 0)
    #expect(items.deleting(["class": "genp", "acct": "a"]) == 0)
    #expect(secret("a") == "second", "only the first vault's item is removed")

    let named: Dictionary = ["class": "genp", "acct": "b", "m_SearchList": [.vault(first.vault)]]
    #expect(items.copying(named).status == -25300)
    let into: Dictionary = ["class": "genp", "acct": "own", "u_Keychain": .vault(second.vault)]
    #expect(items.adding(into).status == 0)
    #expect(second.items.copying(["class": "genp", "acct": "own"]).status == 0)
  }
}
