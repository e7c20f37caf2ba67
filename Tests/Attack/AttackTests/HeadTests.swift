import AttackSupport
import SealedTree
import StoreTesting
import Testing
import VaultStore
import VaultModel

/// The head's row, replaced without its key.
@Suite struct HeadTests {
  @Test(arguments: [
    "zeroblob(512)", "x''", "x'30'", "zeroblob(16)", "zeroblob(15)", "randomblob(512)",
    "CAST(substr(head, 1, 496) || zeroblob(16) AS BLOB)", "substr(head, 17)",
    "CAST(head || head AS BLOB)",
    "CAST(substr(ident || head, 1, 512) AS BLOB)",
  ])
  func `A head that was not sealed with the vault's key is refused, also by a writer`(
    forged: String
  ) throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    try Database.run("UPDATE vault SET head = \(forged)", on: folder("v"))
    for turn in 0..<5 {
      #expect(AnswerCheck(golden, at: folder("v")).judge(turn: turn) == .refused(.damaged))
    }
  }

  @Test func `Each byte of the head's row is looked at, whoever had it open`() throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    try File.write(golden.bytes, to: folder("v"))
    let row = try Database.bytes("SELECT head FROM vault", of: folder("v"))
    #expect(row.count >= 512)
    let campaign = AttackRun.run(Array(row.indices)) { offset, turn, folder in
      try File.write(golden.bytes, to: folder("v"))
      let store = try FileStore.open(
        VaultPath(folder("v")), stateFolder: nil, lockTimeout: .zero)
      defer { withExtendedLifetime(store) {} }
      try store.unlock(with: golden.key)
      _ = try store.find(ItemQuery())
      var forged = row
      forged[offset] ^= 1 << UInt8(turn % 8)
      let digits = forged.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      try Database.run("UPDATE vault SET head = X'\(digits)'", on: folder("v"))
      let outcomes: [() throws -> Void] = [
        { _ = try store.verify() }, { _ = try store.find(ItemQuery()) },
        { _ = try store.add(Workload.item("new", "new")) },
      ]
      for outcome in outcomes {
        do {
          try outcome()
          return .wrong("nobody noticed")
        } catch VaultError.Code.damaged {
          continue
        }
      }
      try store.close()
      return .refused(.damaged)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.refused > 0)
  }

  @Test func `A good head changes nothing`() throws {
    let golden = try GoldenVault.small.get()
    let folder = try Folder()
    for turn in 0..<5 {
      #expect(try AnswerCheck(golden, at: folder("v")).judge(golden.bytes, turn: turn) == .right)
    }
  }
}
