import AttackSupport
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// Authentic pages of an older state in the place of newer ones.
@Suite struct ReplayTests {
  struct Splice: Sendable, CustomStringConvertible {
    let older: Int
    let newer: Int
    let pages: Set<Int>
    /// Whether the older file gets pages of the newer.
    let isForward: Bool
    var description: String {
      "pages \(pages.sorted()) of generation \(older) \(isForward ? "from" : "in") generation \(newer)"
    }
  }

  /// Returns states of one vault after an add, a change, a large secret, a removal and a default.
  private static func history() throws -> (states: [GoldenVault], fixture: VaultFixture) {
    let fixture = try VaultFixture(holding: Workload.add.base)
    var states: [GoldenVault] = []
    func step(_ change: (FileStore) throws(VaultError) -> Void) throws {
      try fixture.withStore(change)
      let bytes = try File.read(fixture.vault)
      states.append(try GoldenVault(name: "\(states.count)", bytes: bytes, key: fixture.key))
    }
    try step { (_) throws(VaultError) in }
    try step { (store) throws(VaultError) in _ = try store.add(Workload.item("later", "later")) }
    try step { (store) throws(VaultError) in
      for item in try store.find(ItemQuery(key: Workload.item("base0", "").key)) {
        _ = try store.modify(item.id, hint: item.key, [.secret(Secret("second"))])
      }
    }
    try step { (store) throws(VaultError) in
      _ = try store.add(Workload.item("large", String(repeating: "large", count: 2000)))
    }
    try step { (store) throws(VaultError) in
      for item in try store.find(ItemQuery(key: Workload.item("base1", "").key)) {
        try store.remove(item.id, hint: item.key)
      }
    }
    return (states, fixture)
  }

  private static func pages(_ a: [UInt8], _ b: [UInt8]) -> [Int] {
    (0..<max(a.count, b.count) / 4096).filter { page($0, of: a) != page($0, of: b) }
  }

  private static func page(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.dropFirst(number * 4096).prefix(4096)
  }

  private static func splice(_ pages: Set<Int>, of source: [UInt8], into target: [UInt8]) -> [UInt8]
  {
    (0..<target.count / 4096).flatMap { number in
      let own = page(number, of: target)
      let other = page(number, of: source)
      return pages.contains(number) && other.count == 4096 ? other : own
    }
  }

  @Test func `Pages of another state of the same vault are refused or change nothing`() throws {
    let (states, fixture) = try Self.history()
    var splices: [Splice] = []
    for older in states.indices {
      for newer in states.indices where newer > older {
        let different = Self.pages(states[older].bytes, states[newer].bytes)
        // Every choice of pages but none and all, as long as there are not too many.
        let choices = 1..<(1 << min(different.count, 8)) - 1
        for choice in choices where AttackRun.isComplete || choices.count < 64 || choice % 5 == 0 {
          let pages = Set(different.indices.filter { choice >> $0 & 1 == 1 }.map { different[$0] })
          for isForward in [false, true] {
            splices.append(Splice(older: older, newer: newer, pages: pages, isForward: isForward))
          }
        }
      }
    }
    let campaign = AttackRun.run(splices) { splice, turn, folder in
      let (older, newer) = (states[splice.older], states[splice.newer])
      let (source, target) = splice.isForward ? (newer, older) : (older, newer)
      let state = folder("state\(turn)")
      // The newer state was seen here, so that the whole older one is a rollback and nothing else.
      try File.write(newer.bytes, to: folder("v"))
      _ = try GoldenVault.read(folder("v"), key: fixture.key, stateFolder: state)
      let bytes = Self.splice(splice.pages, of: source.bytes, into: target.bytes)
      return try AnswerCheck(
        newer, at: folder("v"), expecting: [.damaged, .rolledBack], stateFolder: state
      ).judge(bytes, turn: turn * 5 + 3)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.refused > (Sanitizer.isActive ? 10 : 100))
  }
}
