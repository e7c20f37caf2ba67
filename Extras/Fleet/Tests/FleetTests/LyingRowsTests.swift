import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("a server that adds rows to a genuine commit is refused, and destroys nothing", .waiting)
struct LyingRowsTests {
  /// A row that the commit did not touch.
  enum Row: String, CaseIterable, CustomTestStringConvertible {
    case bucket, chunk, groupBucket, largeSecret

    var testDescription: String { rawValue }

    /// Its ids, as in `Documentation/format.md` §5.2.
    var ids: Range<UInt64> {
      switch self {
      case .bucket: 0..<1 << 32
      case .chunk: 1 << 32..<1 << 33
      case .groupBucket: 1 << 33..<1 << 62
      case .largeSecret: 1 << 62..<(1 << 62) + (1 << 61)
      }
    }
  }

  /// The false row that the server sends instead of nothing.
  enum Lie: String, CaseIterable, CustomTestStringConvertible {
    case removed, older, flipped

    var testDescription: String { rawValue }

    /// The SQL of the new content; `before_row` has older rows.
    var content: String {
      switch self {
      case .removed: "NULL"
      case .older:
        """
        coalesce((SELECT b.sealed FROM before_row b
          WHERE b.kind = s.kind AND b.id = s.id AND b.sealed <> s.sealed), set_byte(sealed, 9, 9))
        """
      case .flipped: "set_byte(sealed, 50, get_byte(sealed, 50) # 1)"
      }
    }
  }

  /// Stores 50 items, a heavy group, and a secret with a row of its own.
  private func fill(_ fleet: Replicas, with count: Int) throws {
    try fleet.first.write { (writer) throws(VaultError) in
      for number in 0..<count { try writer.add(Replicas.item("user\(number)")) }
      for number in 0..<400 {
        try writer.add(
          Item(
            server: HostName("heavy.example.com"), account: "heavy\(number)",
            secret: Secret("one"), protocol: .https))
      }
      try writer.add(
        Replicas.item("large", secret: String(repeating: "x", count: 100_000)))
    }
  }

  @Test(
    "each row that a commit did not touch", arguments: Row.allCases, Lie.allCases)
  func lie(_ row: Row, _ lie: Lie) throws {
    let fleet = try Replicas(items: 0)
    try fill(fleet, with: row == .chunk ? 12_000 : 200)
    try fleet.server.sql(
      "CREATE TABLE before_row AS SELECT * FROM credential_vault.sealed_row", in: fleet.database)
    for item in try fleet.first.find().prefix(40) {
      _ = try fleet.first.vault.modify(item, [.label("newer")])
    }
    let other = try fleet.clone("1")
    let accounts = try Replicas.accounts(other)
    _ = try fleet.first.add(Replicas.item("genuine"))
    let before = try fleet.rows(other)
    // The latest row that the commit did not touch also has an older one.
    let changed = try fleet.server.sql(
      """
      UPDATE credential_vault.sealed_row s
      SET sealed = \(lie.content), generation = (SELECT generation FROM credential_vault.vault)
      WHERE kind = 2 AND id = (
        SELECT id FROM credential_vault.sealed_row
        WHERE kind = 2 AND id >= \(row.ids.lowerBound) AND id < \(row.ids.upperBound)
          AND sealed IS NOT NULL
          AND generation < (SELECT generation FROM credential_vault.vault)
        ORDER BY generation DESC, id LIMIT 1)
      RETURNING id
      """, in: fleet.database)
    #expect(changed.count >= 1)
    for _ in 1...2 {
      #expect(throws: VaultError(.damaged, "")) { try other.sync() }
      #expect(try fleet.rows(other) == before)
      // Everything is in the caches then, which must not vouch for the file.
      #expect(try Replicas.accounts(other, syncing: false) == accounts)
    }
    #expect(try other.problems() == [])
  }

  @Test("a new replica says what is wrong, though the rest is still under way")
  func early() throws {
    let fleet = try Replicas(items: 0)
    try fill(fleet, with: 8000)
    try fleet.server.sql(
      """
      UPDATE credential_vault.sealed_row SET sealed = set_byte(sealed, 40, get_byte(sealed, 40) # 1)
      WHERE kind = 2 AND id = (SELECT min(id) FROM credential_vault.sealed_row WHERE kind = 2)
      """, in: fleet.database)
    #expect(throws: VaultError(.damaged, "")) { try fleet.clone("1") }
    #expect(!FileManager.default.fileExists(atPath: fleet.folder.file("1.vault")))
  }

  @Test("a large secret that is withheld together with its item's commit")
  func withheldSecret() throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    _ = try fleet.first.add(
      Replicas.item("large", secret: String(repeating: "x", count: 100_000)))
    try fleet.server.sql(
      """
      UPDATE credential_vault.sealed_row SET generation = 1
      WHERE kind = 2 AND id >= \(Row.largeSecret.ids.lowerBound)
      """, in: fleet.database)
    let before = try fleet.rows(other)
    #expect(throws: VaultError(.damaged, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
  }

  @Test(
    "a row that no parent names: by a replica, and by a new one",
    arguments: [
      77, 1 << 33 + 5, 1 << 62 + 9, 1 << 62 + 1 << 61 + 9, 1 << 62 + 1 << 61 + 1 << 60 + 9,
    ] as [UInt64])
  func unnamed(_ id: UInt64) throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    _ = try fleet.first.add(Replicas.item("new"))
    try fleet.server.sql(
      """
      INSERT INTO credential_vault.sealed_row
      SELECT vault, 2, \(id), sealed, (SELECT generation FROM credential_vault.vault)
      FROM credential_vault.sealed_row WHERE kind = 2 LIMIT 1
      """, in: fleet.database)
    let before = try fleet.rows(other)
    #expect(throws: VaultError(.damaged, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
    #expect(throws: VaultError(.damaged, "")) { try fleet.clone("2") }
  }

  @Test("a block of ancestors that is hidden from a new replica, or removed from an old one")
  func ancestors() throws {
    let fleet = try Replicas(publishes: false)
    for number in 0..<140 { _ = try fleet.first.add(Replicas.item("n\(number)")) }
    try fleet.publish(fleet.first)
    let other = try fleet.clone("1")
    _ = try fleet.first.add(Replicas.item("new"))
    let before = try fleet.rows(other)
    try fleet.server.sql(
      """
      UPDATE credential_vault.sealed_row
      SET sealed = NULL, generation = (SELECT generation FROM credential_vault.vault)
      WHERE kind = 2 AND id = \(Row.largeSecret.ids.upperBound)
      """, in: fleet.database)
    #expect(throws: VaultError(.damaged, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
    #expect(throws: VaultError(.damaged, "")) { try fleet.clone("2") }
  }

  @Test("what a genuine commit removes: items, groups, large secrets, and buckets with them")
  func genuine() throws {
    let fleet = try Replicas(items: 0)
    try fill(fleet, with: 5000)
    let other = try fleet.clone("1")
    let items = try fleet.first.find()
    try fleet.first.write { (writer) throws(VaultError) in
      for item in items where item.account != "user7" {
        try writer.remove(item, removal: .permanent)
      }
    }
    #expect(try Replicas.accounts(other) == Replicas.accounts(fleet.first))
    #expect(try fleet.rows(other) == fleet.serverRows())
    #expect(try other.problems() == [])
  }
}
