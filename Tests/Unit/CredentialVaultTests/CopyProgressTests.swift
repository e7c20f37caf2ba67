import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultAdministration
import VaultModel

/// The shares that long operations on copies report.
@Suite("Vault: progress of copies")
struct CopyProgressTests {
  /// The shares that were reported, in order.
  private final class Shares {
    var all: [Double] = []

    /// Whether they are several, never fall, and go beyond the half.
    var rise: Bool {
      all.count > 1 && zip(all, all.dropFirst()).allSatisfy { $0 <= $1 }
        && all.allSatisfy { (0...1).contains($0) } && (all.last ?? 0) > 0.5
    }

    func add(_ share: Double) { all.append(share) }
  }

  private static let count = 3000

  private func filled() throws -> Fixture {
    let fixture = try Fixture()
    try fixture.vault.write { writer in
      for number in 0..<Self.count {
        var item = Item(
          server: try HostName("h\(number / 5).example.com"), account: "user\(number)",
          secret: Secret("one"), protocol: .https)
        item.label = "Label"
        try writer.add(item)
      }
    }
    return fixture
  }

  @Test("backup, check, restore and salvage report shares that rise")
  func shares() throws {
    let fixture = try filled()
    let (backup, other) = (fixture.folder.file("backup"), fixture.folder.file("other"))
    let of = [Shares(), Shares(), Shares(), Shares()]
    try fixture.vault.maintenance.backup(to: backup, progress: of[0].add)
    try fixture.vault.maintenance.backup(to: other)
    try fixture.vault.add(
      Item(server: HostName("new.example.com"), account: "new", secret: Secret("x")))
    let checked = try VaultMaintenance.check(
      backup: backup, against: fixture.path, key: fixture.key, progress: of[1].add)
    #expect(checked.changes?.removed.map(\.account) == ["new"])
    #expect(checked.changes?.added.isEmpty == true && checked.changes?.changed.isEmpty == true)
    try VaultMaintenance.restore(
      from: backup, to: fixture.path, key: fixture.key, progress: of[2].add)
    let saved = try VaultMaintenance.salvage(
      path: fixture.path, to: fixture.folder.file("saved"), key: fixture.key, cost: .minimum,
      progress: of[3].add)
    #expect(saved.itemCount == Self.count)
    for shares in of { #expect(shares.rise, "\(shares.all)") }
  }

  @Test("a check finds what was changed, added and removed, in this epoch and in another")
  func differences() throws {
    let fixture = try filled()
    let vault = fixture.vault
    let backup = fixture.folder.file("backup")
    try vault.maintenance.backup(to: backup)
    func find(_ account: String) throws -> Item {
      var query = ItemQuery()
      query.account = .equals(account)
      return try vault.findUnique(query, withSecrets: true)
    }
    try vault.modify(find("user7"), [.secret(Secret("two"))])
    try vault.remove(find("user8"))
    let moved = try vault.modify(find("user9"), [.account("moved")])
    #expect(moved.item.account == "moved")
    for _ in 0..<2 {
      let changes = try #require(
        VaultMaintenance.check(backup: backup, against: fixture.path, key: fixture.key).changes)
      #expect(changes.changed.map(\.account) == ["user7"])
      #expect(changes.added.map(\.account).sorted() == ["user8", "user9"])
      #expect(changes.removed.map(\.account) == ["moved"])
      _ = try vault.keys.rekey(keeping: [fixture.key])
    }
  }
}
