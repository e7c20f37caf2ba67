import CredentialVault
import KeychainServices
import SecureMemory
import Testing
import VaultModel

@Suite("SecItem: dictionaries are checked")
struct ArgumentTests {
  private enum Call: CaseIterable {
    case copy, add, update, delete
  }

  private func status(_ call: Call, _ items: KeychainItems, _ dictionary: Dictionary) -> Int32 {
    switch call {
    case .copy: items.copying(dictionary).status
    case .add: items.adding(dictionary).status
    case .update: items.updating(dictionary, ["icmt": "c"])
    case .delete: items.deleting(dictionary)
    }
  }

  @Test("a dictionary without a class, or with an unknown one, is refused in every call")
  func itemClass() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "genp", "svce": "s"]).status == 0)
    for call in Call.allCases {
      #expect(status(call, items, [:]) == -50)
      #expect(status(call, items, ["svce": "s"]) == -50)
      #expect(status(call, items, ["class": "cert"]) == -25306)
      #expect(status(call, items, ["class": 1]) == -50)
    }
    #expect(items.copying(["class": "genp"]).status == 0, "nothing was removed")
  }

  @Test("a key that is unknown, or foreign to the class, never widens a query")
  func keys() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "genp", "svce": "s", "icmt": "before"]).status == 0)
    let wrong: [(Dictionary, Int32)] = [
      (["class": "genp", "srvr": "s"], -25303), (["class": "genp", "port": 1], -25303),
      (["class": "inet", "svce": "s"], -25303), (["class": "inet", "gena": .data([])], -25303),
      (["class": "genp", "kcls": "x"], -25303), (["class": "genp", "kSecAttrAccount": "x"], -50),
      (["class": "genp", "accc": 1], -50), (["class": "genp", "m_TrustedOnly": true], -50),
      (["class": "genp", "": "x"], -50),
    ]
    for (dictionary, expected) in wrong {
      for call in Call.allCases { #expect(status(call, items, dictionary) == expected) }
    }
    let found = items.copying(["class": "genp", "r_Attributes": true]).result?.dictionary
    #expect(found?["icmt"]?.text == "before")
  }

  @Test("a value of the wrong type is refused in every call")
  func types() throws {
    let items = try Fixture().items
    #expect(items.adding(["class": "inet", "srvr": "a.example", "port": 1]).status == 0)
    let wrong: Dictionary = [
      "acct": 1, "srvr": 1, "sdmn": true, "path": [], "port": "http", "labl": [:],
      "icmt": .date(.now()), "desc": .data([0xFF]), "crtr": "much too long", "type": [],
      "invi": "yes", "nega": .data([1]), "ptcl": [], "atyp": .date(.now()), "pdmn": 1,
      "agrp": true, "sync": "yes", "v_Data": "text", "m_Limit": [], "r_Data": "yes",
      "m_ItemList": "x", "v_Ref": "x", "v_PersistentRef": "x", "u_Keychain": 1,
    ]
    for (key, value) in wrong {
      for call in Call.allCases {
        #expect(status(call, items, ["class": "inet", key: value]) == -50, "\(key)")
      }
    }
    for port in [65536, -1] as [KeychainValue] {
      #expect(items.copying(["class": "inet", "port": port]).status == -50)
    }
    #expect(items.updating(["class": "inet"], ["v_Data": "text"]) == -50)
    #expect(items.deleting(["class": "inet", "port": "1"]) == 0, "digits are a number")
  }

  @Test("some keys belong to queries alone")
  func uses() throws {
    let fixture = try Fixture()
    let items = fixture.items
    let added = items.adding(["class": "genp", "svce": "s", "r_Ref": true])
    let reference = try #require(added.result)
    let only: Dictionary = [
      "m_Limit": "m_LimitOne", "m_CaseInsensitive": true, "m_ItemList": [reference],
      "u_ItemList": [reference], "v_Ref": reference, "m_SearchList": [.vault(fixture.vault)],
    ]
    for (key, value) in only {
      #expect(items.adding(["class": "genp", "svce": "t", key: value]).status == -50, "\(key)")
      #expect(items.updating(["class": "genp"], [key: value]) == -50, "\(key)")
    }
    for key in ["r_Data", "r_Attributes", "r_Ref", "r_PersistentRef"] {
      #expect(items.updating(["class": "genp"], [key: true]) == -50)
      #expect(items.updating(["class": "genp", key: true], ["icmt": "c"]) == 0, "as on macOS")
    }
    #expect(items.updating(["class": "genp"], ["class": "inet"]) == -25303)
    #expect(items.updating(["class": "genp"], ["class": "genp"]) == 0)
    #expect(items.updating(["class": "genp"], ["srvr": "x"]) == -25303)
    #expect(items.updating(["class": "genp"], [:]) == 0)
    #expect(items.updating(["class": "genp", "svce": "none"], [:]) == -25300)
  }

  @Test("the errors of a vault have Apple's numbers")
  func vaults() throws {
    let fixture = try Fixture()
    try fixture.vault.lock()
    let query: Dictionary = ["class": "genp"]
    for call in Call.allCases { #expect(status(call, fixture.items, query) == -25308) }
    let none = KeychainItems { [] }
    for call in Call.allCases { #expect(status(call, none, query) == -25307) }
  }

  @Test("the table has each key once, with Apple's name")
  func table() {
    #expect(Set(KeychainKey.all.map(\.key)).count == KeychainKey.all.count)
    #expect(Set(KeychainKey.all.map(\.name)).count == KeychainKey.all.count)
    for entry in KeychainKey.all {
      #expect(entry.name.hasPrefix("kSec"))
      switch entry.role {
      case .ignored, .refused, .kept: #expect(!entry.note.isEmpty, "a reason is given")
      default: continue
      }
    }
  }
}
