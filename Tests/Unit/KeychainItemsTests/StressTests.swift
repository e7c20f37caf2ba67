import KeychainServices
import SecureMemory
import Synchronization
import TestSupport
import Testing

@Suite("SecItem: from many threads")
struct StressTests {
  @Test("300 adds, finds and deletes from eight threads lose nothing", arguments: Store.allCases)
  func stress(_ store: Store) throws {
    let items = try Fixture.make(store).items
    let failures = Atomic(0)
    let turns = 300
    inThreads(8) { thread in
      for turn in stride(from: thread, to: turns, by: 8) {
        let key: Dictionary = [
          "class": turn.isMultiple(of: 2) ? "genp" : "inet", "acct": .text("account \(turn)"),
        ]
        let secret = "secret \(turn)"
        let added = items.adding(key.merging(["v_Data": .secret(secret)]) { $1 }).status
        let found = items.copying(key.merging(["r_Data": true]) { $1 }).result?.secretText
        // Every third one stays.
        let deleted = turn.isMultiple(of: 3) ? 0 : items.deleting(key)
        if added != 0 || found != secret || deleted != 0 {
          failures.add(1, ordering: .relaxed)
        }
      }
    }
    #expect(failures.load(ordering: .relaxed) == 0)
    var left = 0
    for itemClass in ["genp", "inet"] as [KeychainValue] {
      let all: Dictionary = ["class": itemClass, "r_Attributes": true, "m_Limit": "m_LimitAll"]
      left += items.copying(all).result?.elements?.count ?? 0
    }
    #expect(left == turns / 3)
  }

  @Test("of many adds of one key, one succeeds")
  func race() throws {
    let items = try Fixture().items
    let successes = Atomic(0)
    let duplicates = Atomic(0)
    inThreads(8) { _ in
      switch items.adding(["class": "genp", "svce": "one"]).status {
      case 0: successes.add(1, ordering: .relaxed)
      case -25299: duplicates.add(1, ordering: .relaxed)
      default: return
      }
    }
    #expect(successes.load(ordering: .relaxed) == 1)
    #expect(duplicates.load(ordering: .relaxed) == 7)
  }
}
