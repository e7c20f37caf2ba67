import AttackSupport
import Testing
import VaultCrypto
import VaultModel

/// The clear parts of a vault: its ident and its slots, edited by somebody without a key.
@Suite struct SlotTests {
  private func judge(
    _ sql: String, other: GoldenVault? = nil, expecting: Set<VaultError.Code>
  ) throws -> AnswerCheck.Verdict {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    if let other { try File.write(other.bytes, to: folder("other")) }
    try Database.run(sql, on: folder("v"), other: other == nil ? nil : folder("other"))
    return AnswerCheck(golden, at: folder("v"), expecting: expecting).judge(turn: 0)
  }

  /// Slot 1 takes a passphrase, slot 2 the key file that opens the vault.
  @Test(arguments: [
    "DELETE FROM slot WHERE id = 1", "DELETE FROM slot",
    "UPDATE slot SET id = 3 WHERE id = 1", "UPDATE slot SET id = 3 WHERE id = 2",
    "UPDATE slot SET id = 0 WHERE id = 1", "UPDATE slot SET id = 1 << 33 WHERE id = 1",
    "UPDATE slot SET id = id + 10; UPDATE slot SET id = 13 - id",
    "INSERT INTO slot SELECT 3, body FROM slot WHERE id = 1",
    "INSERT INTO slot VALUES (3, randomblob(150))", "INSERT INTO slot VALUES (3, x'')",
    "UPDATE slot SET body = x'' WHERE id = 1",
    "UPDATE slot SET body = randomblob(500) WHERE id = 1",
    "UPDATE slot SET body = (SELECT body FROM slot WHERE id = 1)",
    "WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < 17)"
      + " INSERT INTO slot SELECT i, randomblob(150) FROM n",
  ])
  func `Slots that were removed, renumbered, added or edited are refused as damage`(
    sql: String
  ) throws {
    #expect(try judge(sql, expecting: [.damaged]) == .refused(.damaged))
  }

  @Test func `Without its own slot a key opens nothing`() throws {
    // Nothing proves that there ever was one.
    let sql = "DELETE FROM slot WHERE id = 2"
    #expect(
      try judge(sql, expecting: [.authenticationFailed]) == .refused(.authenticationFailed))
  }

  @Test(arguments: ["slot", "vault"])
  func `Slots or the ident of another vault open nothing`(table: String) throws {
    let verdict = try judge(
      "DELETE FROM main.\(table); INSERT INTO main.\(table) SELECT * FROM other.\(table)",
      other: GoldenVault.heavy.get(), expecting: [.authenticationFailed, .damaged])
    #expect(verdict == .refused(.authenticationFailed))
  }

  @Test func `A removed slot that is put back is refused`() throws {
    let heavy = try GoldenVault.heavy.get()
    let sql = "INSERT INTO main.slot SELECT id + 2, body FROM other.slot"
    #expect(try judge(sql, other: heavy, expecting: [.damaged]) == .refused(.damaged))
  }

  struct Edit: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let offset: Int
    let bytes: [UInt8]
    let answers: Set<VaultError.Code>
  }

  /// Edits, each under a corrected checksum, which needs no key.
  @Test(arguments: [
    Edit(testDescription: "minor version", offset: 10, bytes: [9, 0], answers: [.damaged]),
    Edit(testDescription: "major version", offset: 8, bytes: [2, 0], answers: [.tooNew]),
    Edit(testDescription: "major version 0", offset: 8, bytes: [0, 0], answers: [.damaged]),
    Edit(testDescription: "feature", offset: 36, bytes: [1, 0, 0, 0], answers: [.tooNew]),
    Edit(testDescription: "last feature", offset: 39, bytes: [0x80], answers: [.tooNew]),
    Edit(
      testDescription: "vault id", offset: 12, bytes: [1, 2, 3], answers: [.authenticationFailed]),
    Edit(testDescription: "epoch", offset: 28, bytes: [2], answers: [.authenticationFailed]),
    Edit(testDescription: "epoch 0", offset: 28, bytes: [0], answers: [.damaged]),
  ])
  func `An edited ident is refused, whatever its checksum`(edit: Edit) throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    var ident = try Database.bytes("SELECT ident FROM vault", of: folder("v"))
    ident.replaceSubrange(edit.offset..<edit.offset + edit.bytes.count, with: edit.bytes)
    ident.replaceSubrange(40..<48, with: Hash.checksum(ident[..<40]))
    let hex = ident.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    try Database.run("UPDATE vault SET ident = x'\(hex)'", on: folder("v"))
    let verdict = AnswerCheck(golden, at: folder("v"), expecting: edit.answers).judge(turn: 0)
    #expect(edit.answers.map(AnswerCheck.Verdict.refused).contains(verdict), "\(verdict)")
  }
}
