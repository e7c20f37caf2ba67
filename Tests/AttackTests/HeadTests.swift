import AttackSupport
import Testing
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
    let specimen = try Specimen.small.get()
    let folder = try Folder()
    try File.write(specimen.bytes, to: folder("v"))
    try Database.run("UPDATE vault SET head = \(forged)", on: folder("v"))
    for turn in 0..<5 {
      #expect(Judge(specimen, at: folder("v")).judge(turn: turn) == .refused(.damaged))
    }
  }

  @Test func `A good head changes nothing`() throws {
    let specimen = try Specimen.small.get()
    let folder = try Folder()
    for turn in 0..<5 {
      #expect(try Judge(specimen, at: folder("v")).judge(specimen.bytes, turn: turn) == .right)
    }
  }
}
