import AttackSupport
import SecureMemory
import TestTraits
import Testing
import VaultStore
import VaultModel

/// Many processes that add, find, change and delete in one vault.
@Suite(.waiting) struct MixedTests {
  /// The number of rounds in all.
  static let rounds = 300

  @Test(arguments: [
    (processes: 1, threads: 8), (processes: 4, threads: 1), (processes: 4, threads: 2),
  ])
  func `Threads and processes at one vault leave exactly what they did`(
    processes: Int, threads: Int
  ) throws {
    let fixture = try VaultFixture(
      holding: Workload.add.base + [
        Workload.item("counter", ""), Workload.item("shared", "first"),
        Workload.item("contested", "one"),
      ])
    let rounds = Self.rounds / processes
    let drivers = try (0..<processes).map { process in
      try fixture.driver(
        "mix",
        [
          "name": "p\(process)", "rounds": "\(rounds)", "threads": "\(threads)",
          "timeout": "120000",
        ])
    }
    let isKept = { (number: Int) in number % 3 != 2 }
    let session = (0..<rounds).count { $0 % 5 == 4 && isKept($0) }
    for driver in drivers {
      #expect(driver.lines() == ["\(session)"])
      // A sanitizer that found something ends it with another status.
      #expect(driver.wait() == .exited(0))
    }
    var contents = try fixture.contents()
    let shared = contents.removeValue(forKey: "shared") ?? ""
    #expect(shared.hasPrefix("p") && !shared.contains(" and "))
    #expect(contents.removeValue(forKey: "counter") == "")
    let contested = contents.removeValue(forKey: "contested")
    #expect(contested == nil || contested == "one")
    let mixed = (0..<processes).flatMap { process in
      (0..<rounds).filter { $0 % 5 != 4 && isKept($0) }.map { ("p\(process)-\($0)", "changed") }
    }
    let base = Workload.add.base.map { ($0.account, "first") }
    #expect(contents == Dictionary(mixed + base) { $0 + " and " + $1 })
    let deleted = (0..<rounds).count { $0 % 5 != 4 && !isKept($0) } * processes
    try fixture.withStore { (store) throws(VaultError) in
      let trash = try store.trash(ItemQuery()).map(\.item.account)
      #expect(trash.count == deleted + (contested == nil ? 1 : 0))
      #expect(Set(trash).count == trash.count)
      let counter = try store.find(
        ItemQuery(key: Workload.item("counter", "").key))
      #expect(counter.map(\.comment) == ["\(rounds * processes)"])
      let query = ItemQuery(key: Workload.item("shared", "").key)
      for item in try store.find(query) {
        let history = try store.history(of: item.id, hint: item.key, withSecrets: true)
        #expect(Set(history.compactMap { $0.secret?.text } + [shared]).count == 11)
      }
    }
    #expect(try fixture.problems() == [])
    #expect(try fixture.leftovers() == [])
  }
}
