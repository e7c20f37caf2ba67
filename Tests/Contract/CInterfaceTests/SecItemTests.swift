import CVault
import TestSupport
import Testing
import VaultC

@Suite("SecItem of the C interface")
struct SecItemTests {
  private let folder: TemporaryFolder

  init() throws {
    StateFolder.useOwn()
    folder = try TemporaryFolder()
  }

  /// Makes a vault with two items of a class, and returns it with the dictionary of both.
  private func vault(
    _ store: Store, _ itemClass: String
  ) throws -> (CVaultObject, CDictionary) {
    let vault = try store.vault(in: folder)
    let both = CDictionary(["class": itemClass, "labl": "both"], copying: vault.dictionary)
    for account in ["ann", "bob"] {
      let new = CDictionary(["acct": account], copying: both)
      new.set("v_Data", data: "secret of \(account)")
      #expect(new.add() == 0)
    }
    return (vault, both)
  }

  /// The keys that ask for results, with that of the result among others and its type.
  private static let returns: [(key: String, value: String, type: @Sendable () -> VaultCFTypeID)] =
    [
      ("r_Data", "v_Data", { VaultCFDataGetTypeID() }),
      ("r_Attributes", "acct", { VaultCFStringGetTypeID() }),
      ("r_Ref", "v_Ref", { VaultItemGetTypeID() }),
      ("r_PersistentRef", "v_PersistentRef", { VaultCFDataGetTypeID() }),
    ]

  @Test(
    "each combination of returns has its shape, for one item and for many",
    arguments: Store.allCases, ["genp", "inet"])
  func shapes(_ store: Store, _ itemClass: String) throws {
    let (vault, both) = try vault(store, itemClass)
    defer { withExtendedLifetime(vault) {} }
    for mask in 0..<(1 << Self.returns.count) {
      let asked = Self.returns.indices.filter { mask & (1 << $0) != 0 }.map { Self.returns[$0] }
      func isRight(_ result: CResult) -> Bool {
        switch asked.count {
        case 0: false
        case 1 where asked[0].key != "r_Attributes": result.type == asked[0].type()
        default:
          result.type == VaultCFDictionaryGetTypeID()
            && asked.allSatisfy { result.value($0.value).type == $0.type() }
            && (asked.contains { $0.key == "r_Data" } || result.value("v_Data").type == 0)
        }
      }
      for limit in [nil, "m_LimitOne", "m_LimitAll"] {
        let query = CDictionary(copying: both)
        if let limit { query.set("m_Limit", text: limit) }
        for option in asked { query.set(flag: option.key) }
        let (status, result) = query.copyMatching()
        #expect(status == 0)
        if asked.isEmpty {
          #expect(result.type == 0)
        } else if limit == "m_LimitAll" {
          #expect(result.elements.count == 2 && result.elements.allSatisfy(isRight), "\(mask)")
        } else {
          #expect(isRight(result), "\(mask)")
        }
      }
    }
  }

  @Test(
    "both kinds of references outlive a new name, and find nothing after a removal",
    arguments: Store.allCases, ["genp", "inet"])
  func references(_ store: Store, _ itemClass: String) throws {
    let (vault, both) = try vault(store, itemClass)
    defer { withExtendedLifetime(vault) {} }
    let ann = CDictionary(["acct": "ann"], copying: both)
    let query = CDictionary(copying: ann)
    for key in ["r_Ref", "r_PersistentRef"] { query.set(flag: key) }
    let found = query.copyMatching().result
    #expect(found.value("v_PersistentRef").count == 20)
    #expect(ann.update(CDictionary(["acct": "eve"])) == 0)
    #expect(ann.copyMatching().status == -25300)
    for key in ["v_Ref", "v_PersistentRef"] {
      let named = CDictionary(["class": itemClass], copying: vault.dictionary)
      unsafe named.set(key, found.value(key).object)
      named.set(flag: "r_Data")
      #expect(named.copyMatching().result.text == "secret of ann", "\(key)")
    }
    #expect(CDictionary(["acct": "eve"], copying: both).delete() == 0)
    for key in ["v_Ref", "v_PersistentRef"] {
      let named = CDictionary(["class": itemClass], copying: vault.dictionary)
      unsafe named.set(key, found.value(key).object)
      #expect(named.copyMatching().status == -25300, "\(key)")
      #expect(named.update(CDictionary(["icmt": "late"])) == -25300, "\(key)")
      #expect(named.delete() == -25300, "\(key)")
    }
    #expect(CDictionary(["acct": "bob"], copying: both).copyMatching().status == 0)
  }

  @Test("what a dictionary may not have is refused in every call, and nothing changes")
  func arguments() throws {
    let (vault, both) = try vault(.memory, "genp")
    defer { withExtendedLifetime(vault) {} }
    let wrong: [(key: String, text: String?, status: Int32)] = [
      ("unknown", "x", -50), ("class", "keys", -25306), ("class", nil, -50), ("srvr", "h", -25303),
      ("acct", nil, -50), ("r_Data", "x", -50), ("m_Limit", "x", -50), ("v_Ref", "x", -50),
      ("v_PersistentRef", "x", -50), ("accc", "x", -50), ("u_Keychain", "x", -50),
    ]
    for (key, text, status) in wrong {
      let query = CDictionary(copying: both)
      if let text { query.set(key, text: text) } else { query.set(flag: key) }
      #expect(query.copyMatching().status == status, "\(key)")
      #expect(query.delete() == status, "\(key)")
      #expect(query.update(CDictionary(["icmt": "changed"])) == status, "\(key)")
      #expect(query.add() != 0, "\(key)")
    }
    let all = CDictionary(["m_Limit": "m_LimitAll", "icmt": ""], copying: both)
    all.set(flag: "r_Attributes")
    #expect(all.copyMatching().result.elements.count == 2)
  }
}
