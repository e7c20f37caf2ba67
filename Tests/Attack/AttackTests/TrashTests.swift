import AttackSupport
import SealedTree
import SecureMemory
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// The trash is as proven as the items: nothing in it can be brought back by an older row or a
/// changed one.
@Suite struct TrashTests {
  private static let large = String(repeating: "large", count: 700)

  /// A vault at one moment, and the accounts of its items and of the items in its trash.
  private struct Moment: Sendable {
    let bytes: [UInt8]
    let items: Set<String>
    let trash: Set<String>
  }

  /// Returns states of one vault: before two items are deleted, after, when one was restored, and
  /// when the trash was emptied.
  private static func moments() throws -> (moments: [Moment], fixture: VaultFixture) {
    let fixture = try VaultFixture(holding: (0..<20).map { Workload.item("base\($0)", "first") })
    var moments: [Moment] = []
    func step(_ change: (FileStore) throws(VaultError) -> Void) throws {
      try fixture.withStore { (store) throws(VaultError) in try change(store) }
      let (items, trash) = try fixture.withStore { (store) throws(VaultError) in
        (
          Set(try store.find(ItemQuery()).map(\.account)),
          Set(try store.trash(ItemQuery()).map(\.item.account))
        )
      }
      moments.append(Moment(bytes: try File.read(fixture.vault), items: items, trash: trash))
    }
    try step { (store) throws(VaultError) in
      for account in ["base3", "base4"] {
        let key = Workload.item(account, "").key
        let item = try store.find(ItemQuery(key: key))[0]
        _ = try store.modify(item.id, hint: key, [.secret(Secret(large))])
        _ = try store.modify(item.id, hint: key, [.secret(Secret("last of \(account)"))])
      }
    }
    try step { (store) throws(VaultError) in
      for account in ["base3", "base4"] {
        let item = try store.find(
          ItemQuery(key: Workload.item(account, "").key))[0]
        try store.remove(item.id, hint: item.key)
      }
    }
    try step { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        let removed = try transaction.trash(ItemQuery(key: Workload.item("base3", "").key))[0]
        _ = try transaction.restore(removed, until: nil)
      }
    }
    try step { (store) throws(VaultError) in
      try store.write { (transaction) throws(VaultError) in
        _ = try transaction.emptyTrash(ItemQuery())
      }
    }
    return (moments, fixture)
  }

  /// Reads everything in a file at a path, and restores the items in the trash.
  private static func judge(
    _ path: String, _ moment: Moment, _ fixture: VaultFixture, stateFolder: String?
  ) -> AnswerCheck.Verdict {
    do throws(VaultError) {
      return try GoldenVault.withStore(path, key: fixture.key, stateFolder: stateFolder) {
        (store) throws(VaultError) in
        let items = try store.find(ItemQuery(), withSecrets: true)
        guard Set(items.map(\.account)) == moment.items else { return .wrong("other items") }
        let trash = try store.trash(ItemQuery())
        guard Set(trash.map(\.item.account)) == moment.trash else { return .wrong("other trash") }
        for removed in trash {
          let item = try store.write { (transaction) throws(VaultError) in
            try transaction.restore(removed, until: nil)
          }
          let back = try store.find(ItemQuery(key: item.key), withSecrets: true)
          guard back.map({ $0.secret?.text }) == ["last of \(item.account)"] else {
            return .wrong("another secret came back")
          }
          let history = try store.history(of: item.id, hint: item.key, withSecrets: true)
          guard history.map({ $0.secret?.text }) == [large, "first"] else {
            return .wrong("another history came back")
          }
        }
        return .right
      }
    } catch {
      guard [.damaged, .rolledBack].contains(error.code) else {
        return .wrong("\(error) at \(error.location)")
      }
      return .refused(error.code)
    }
  }

  private struct Splice: Sendable, CustomStringConvertible {
    let source: Int
    let target: Int
    let pages: Set<Int>
    var description: String { "pages \(pages.sorted()) of moment \(source) in moment \(target)" }
  }

  private static func page(_ number: Int, of bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.dropFirst(number * 4096).prefix(4096)
  }

  @Test func `Pages of a vault before a deletion, or after it, are refused or change nothing`()
    throws
  {
    let (moments, fixture) = try Self.moments()
    var splices: [Splice] = []
    for source in moments.indices {
      for target in moments.indices where target != source {
        let (from, to) = (moments[source].bytes, moments[target].bytes)
        let different = (0..<min(from.count, to.count) / 4096).filter {
          Self.page($0, of: from) != Self.page($0, of: to)
        }
        for choice in 1..<(1 << min(different.count, 8)) - 1
        where AttackRun.isComplete || different.count < 6 || choice % 7 == 0 {
          let pages = different.indices.prefix(8).filter { choice >> $0 & 1 == 1 }
          splices.append(
            Splice(source: source, target: target, pages: Set(pages.map { different[$0] })))
        }
      }
    }
    let campaign = AttackRun.run(splices) { splice, turn, folder in
      let (source, target) = (moments[splice.source], moments[splice.target])
      let bytes = (0..<target.bytes.count / 4096).flatMap { number in
        Self.page(number, of: splice.pages.contains(number) ? source.bytes : target.bytes)
      }
      // The newer of both was seen here last; all of its pages in the older one are that state
      // itself.
      let newer = moments[max(splice.source, splice.target)]
      let state = folder("state\(turn)")
      try File.write(newer.bytes, to: folder("v"))
      _ = try GoldenVault.read(folder("v"), key: fixture.key, stateFolder: state)
      try File.write(bytes, to: folder("v"))
      return Self.judge(folder("v"), newer, fixture, stateFolder: state)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.refused > (Sanitizer.isActive ? 5 : 50))
  }

  @Test func `An older file brings nothing back that was deleted since`() throws {
    let (moments, fixture) = try Self.moments()
    for older in moments.dropLast() {
      try File.write(older.bytes, to: fixture.vault)
      #expect(throws: VaultError(.rolledBack, "")) {
        try fixture.withStore { (store) throws(VaultError) in _ = try store.trash(ItemQuery()) }
      }
    }
  }

  struct Flip: Sendable, CustomStringConvertible {
    let bit: Int
    var description: String { "bit \(bit % 8) of byte \(bit / 8)" }
  }

  @Test func `A flipped bit anywhere brings the right item back, or is refused`() throws {
    let (moments, fixture) = try Self.moments()
    let moment = moments[1]
    let count = moment.bytes.count * 8
    let step = AttackRun.isComplete ? 1 : count / 1200 | 1
    let flips = stride(from: 0, to: count, by: step).map { Flip(bit: $0) }
    let campaign = AttackRun.run(flips) { flip, _, folder in
      var bytes = moment.bytes
      bytes[flip.bit / 8] ^= 1 << (flip.bit % 8)
      try File.write(bytes, to: folder("v"))
      return Self.judge(folder("v"), moment, fixture, stateFolder: nil)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && campaign.refused > 0)
  }
}
