import CVault
import SecureMemory
import TestSupport
import Testing
import VaultC

/// Also for ThreadSanitizer, which does not see into a C program's library.
@Suite("threads that use SecItem of the C interface")
struct SecItemThreadTests {
  private static let turns = 300

  @Test("300 adds, finds and deletes from eight threads lose nothing", arguments: Store.allCases)
  func stress(_ store: Store) throws {
    StateFolder.useOwn()
    let folder = try TemporaryFolder()
    let vault = try store.vault(in: folder)
    let common = vault.dictionary
    let failures = Lock(0)
    inThreads(8) { thread in
      for turn in stride(from: thread, to: Self.turns, by: 8) where !Self.isRight(turn, common) {
        failures.withLock { $0 += 1 }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    var left = 0
    for itemClass in ["genp", "inet"] {
      let all = CDictionary(["class": itemClass, "m_Limit": "m_LimitAll"], copying: common)
      all.set(flag: "r_Attributes")
      left += all.copyMatching().result.elements.count
    }
    #expect(left == Self.turns / 3)
  }

  /// Adds, finds and changes an item, and deletes two of three.
  private static func isRight(_ turn: Int, _ common: CDictionary) -> Bool {
    let itemClass = turn.isMultiple(of: 2) ? "genp" : "inet"
    let key = CDictionary(["class": itemClass, "acct": "account \(turn)"], copying: common)
    let new = CDictionary(copying: key)
    new.set("v_Data", data: "secret \(turn)")
    guard new.add() == 0, new.add() == -25299 else { return false }
    let query = CDictionary(copying: key)
    query.set(flag: "r_Data")
    guard query.copyMatching().result.text == "secret \(turn)",
      key.update(CDictionary(["icmt": "changed"])) == 0
    else { return false }
    return turn.isMultiple(of: 3) || key.delete() == 0
  }
}
