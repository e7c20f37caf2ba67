import CredentialVault
import Foundation
import ProgramTesting
import SecureMemory
import TestSupport
import TestTraits
import Testing
import VaultFleet
import VaultModel

@Suite("a server that lies is refused or noticed, and changes no replica", .waiting)
struct LyingServerTests {
  /// A lie about one commit that a replica has not seen.
  enum Lie: String, CaseIterable, CustomTestStringConvertible {
    case oldHead, oldHeadWithNewNumber, lowerNumber, flippedHead, flippedIdent
    case oldRow, swappedRows, hiddenRow, flippedRow, removedRow, foreignSlot, removedSlot

    var testDescription: String { rawValue }

    var expected: VaultError.Code {
      switch self {
      case .oldHead, .lowerNumber: .rolledBack
      default: .damaged
      }
    }

    /// The SQL of the lie; `before` has the rows before the commit.
    var sql: String {
      switch self {
      case .oldHead:
        """
        UPDATE credential_vault.vault SET head = b.head, generation = b.generation - 1
        FROM before_vault b
        """
      case .oldHeadWithNewNumber:
        "UPDATE credential_vault.vault v SET head = b.head FROM before_vault b"
      case .lowerNumber: "UPDATE credential_vault.vault SET generation = 1"
      case .flippedHead:
        "UPDATE credential_vault.vault SET head = set_byte(head, 40, get_byte(head, 40) # 1)"
      case .flippedIdent:
        "UPDATE credential_vault.vault SET ident = set_byte(ident, 38, 0)"
      case .oldRow:
        """
        UPDATE credential_vault.sealed_row s SET sealed = b.sealed FROM before_row b
        WHERE b.kind = s.kind AND b.id = s.id AND s.kind = 2
        """
      case .swappedRows:
        """
        UPDATE credential_vault.sealed_row s SET sealed = o.sealed,
          generation = (SELECT generation FROM credential_vault.vault)
        FROM credential_vault.sealed_row o
        WHERE s.kind = 2 AND o.kind = 2 AND s.id = 1 - o.id
        """
      case .hiddenRow:
        "UPDATE credential_vault.sealed_row SET generation = 1 WHERE kind = 2"
      case .flippedRow:
        """
        UPDATE credential_vault.sealed_row SET sealed = 
          set_byte(sealed, 50, get_byte(sealed, 50) # 1)
        WHERE kind = 2
        """
      case .removedRow:
        "UPDATE credential_vault.sealed_row SET sealed = NULL WHERE kind = 2"
      case .foreignSlot:
        """
        INSERT INTO credential_vault.sealed_row
        SELECT vault, 1, 9, sealed, (SELECT generation FROM credential_vault.vault)
        FROM credential_vault.sealed_row WHERE kind = 1 LIMIT 1
        """
      case .removedSlot:
        """
        UPDATE credential_vault.sealed_row SET sealed = NULL,
          generation = (SELECT generation FROM credential_vault.vault) WHERE kind = 1
        """
      }
    }
  }

  @Test(
    "each lie about a commit is an error, and the file stays as it was", arguments: Lie.allCases)
  func lie(_ lie: Lie) throws {
    let fleet = try Replicas(items: 200)
    let other = try fleet.clone("1")
    try fleet.server.sql(
      """
      CREATE TABLE before_row AS SELECT * FROM credential_vault.sealed_row;
      CREATE TABLE before_vault AS SELECT * FROM credential_vault.vault
      """, in: fleet.database)
    // Two buckets at least, each of which is in the file already.
    try fleet.first.write { (writer) throws(VaultError) in
      for number in 0..<40 { try writer.add(Replicas.item("new\(number)")) }
    }
    let before = try fleet.rows(other)
    try fleet.server.sql(lie.sql, in: fleet.database)
    #expect(throws: VaultError(lie.expected, "")) { try other.sync() }
    #expect(try fleet.rows(other) == before)
    #expect(throws: VaultError(lie.expected, "")) { try other.add(Replicas.item("mine")) }
    #expect(try fleet.rows(other) == before)
    #expect(try Replicas.accounts(other, syncing: false).count == 200)
    // Whoever has nothing yet gets the row that is hidden from others, and has seen no newer head
    // than an old one.
    guard lie != .hiddenRow, lie != .oldHead else { return }
    #expect(throws: VaultError(.damaged, "")) { try fleet.clone("2") }
    #expect(!FileManager.default.fileExists(atPath: fleet.folder.file("2.vault")))
  }

  @Test("a server that is set back is noticed by all who saw what it lost", arguments: [1, 3, 63])
  func setBack(_ ahead: Int) throws {
    let fleet = try Replicas()
    let other = try fleet.clone("1")
    let copy = "\(fleet.database)_copy"
    try fleet.server.sql(
      """
      SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity
      WHERE datname = '\(fleet.database)'
      """, in: "postgres")
    try fleet.server.sql(
      "CREATE DATABASE \(copy) TEMPLATE \(fleet.database)", in: "postgres")
    // The other replica does not see what is written on the copy, nor the reverse.
    _ = try other.add(Replicas.item("kept"))
    let fork = try ServerAddress(fleet.server.address(copy))
    let liar = try fleet.clone("2", through: fork)
    for number in 0..<ahead { _ = try liar.add(Replicas.item("fork\(number)")) }
    let before = try fleet.rows(other)
    try FleetFile(besides: other.path).write(fork)
    try other.close()
    let misled = try fleet.open("1")
    #expect(throws: VaultError(.forked, "")) { try misled.sync() }
    #expect(throws: VaultError(.forked, "")) { try misled.add(Replicas.item("more")) }
    #expect(try fleet.rows(misled) == before)
  }

  @Test("the rows of another vault are not taken for this one's")
  func otherVault() throws {
    let (fleet, foreign) = try (Replicas(), Replicas())
    let rows = try foreign.serverRows()
    #expect(rows.count > 2)
    let ids = try [fleet, foreign].map {
      try #require(
        $0.server.sql("SELECT encode(id, 'hex') FROM credential_vault.vault", in: $0.database)
          .first)
    }
    // The foreign database says that its vault is the first one's.
    try foreign.server.sql(
      """
      UPDATE credential_vault.vault SET id = decode('\(ids[0])', 'hex'), generation = 1000;
      UPDATE credential_vault.sealed_row SET vault = decode('\(ids[0])', 'hex'), generation = 1000
      """, in: foreign.database)
    let before = try fleet.rows(fleet.first)
    try FleetFile(besides: fleet.first.path).write(foreign.address)
    try fleet.first.close()
    let misled = try fleet.open("0")
    #expect(throws: VaultError(.damaged, "")) { try misled.sync() }
    #expect(try fleet.rows(misled) == before)
    #expect(throws: VaultError(.damaged, "")) {
      try fleet.clone("3", through: foreign.address)
    }
  }
}
