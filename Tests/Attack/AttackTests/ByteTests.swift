import AttackSupport
import Testing
import VaultModel

/// Bytes that are wrong, missing, or too many.
@Suite struct ByteTests {
  private static func every(_ step: Int, below count: Int, densely dense: Int) -> [Int] {
    let step = AttackRun.isComplete ? 1 : step
    return (0..<count).filter { $0 % 4096 < dense || $0 % step == 0 }
  }

  @Test func `An inverted byte is refused or changes nothing`() throws {
    let golden = try GoldenVault.small.get()
    let offsets = Self.every(16, below: golden.bytes.count, densely: 120)
    let campaign = AttackRun.run(offsets) { offset, turn, folder in
      var bytes = golden.bytes
      bytes[offset] ^= 0xFF
      return try AnswerCheck(golden, at: folder("v")).judge(bytes, turn: turn)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && campaign.refused > 0)
  }

  @Test(arguments: [UInt8(0), 0xFF])
  func `A stretch of bytes overwritten with one value is refused or changes nothing`(
    value: UInt8
  ) throws {
    let golden = try GoldenVault.small.get()
    let starts = Self.every(509, below: golden.bytes.count - 64, densely: 4)
    let campaign = AttackRun.run(starts) { start, turn, folder in
      var bytes = golden.bytes
      for offset in start..<start + [2, 8, 64][turn % 3] { bytes[offset] = value }
      return try AnswerCheck(golden, at: folder("v")).judge(bytes, turn: turn)
    }
    #expect(campaign.wrong == [])
    #expect(campaign.refused > 0)
  }

  @Test func `A file cut off at any length is refused, or lacks nothing`() throws {
    let golden = try GoldenVault.small.get()
    let lengths = (0..<golden.bytes.count).filter {
      AttackRun.isComplete || $0 <= 1024 || ($0 + 16) % 4096 < 32 || $0 % 97 == 0
    }
    let campaign = AttackRun.run(lengths) { length, turn, folder in
      // Without its header a file cannot be recognized as a vault.
      let expected: Set<VaultError.Code> = length < 100 ? [.damaged, .notAVault] : [.damaged]
      return try AnswerCheck(golden, at: folder("v"), expecting: expected)
        .judge(Array(golden.bytes[..<length]), turn: turn)
    }
    #expect(campaign.wrong == [])
    // The missing end of the last page may be free space.
    #expect(campaign.refused > 4 * campaign.right)
  }

  @Test func `Bytes appended to a file are refused or change nothing`() throws {
    let golden = try GoldenVault.small.get()
    let campaign = AttackRun.run([1, 100, 512, 4095, 4096, 4097, 8192, 65536]) {
      count, turn, folder in
      let rest = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }
      return try AnswerCheck(golden, at: folder("v")).judge(golden.bytes + rest, turn: turn)
    }
    #expect(campaign.wrong == [])
  }

  @Test func `A file that never was a vault is not called a damaged one`() throws {
    let folder = try Folder()
    let golden = try GoldenVault.small.get()
    let database = folder("database")
    try File.write([], to: database)
    try Database.run("CREATE TABLE t (x); INSERT INTO t VALUES (1)", on: database)
    let files: [[UInt8]] = [
      [], Array("hello\n".utf8), Array(repeating: 0, count: 4096),
      Array(repeating: 0xA5, count: 100_000), try File.read(database),
      Array("SQLite format 3\0".utf8),
    ]
    for bytes in files {
      let judge = AnswerCheck(golden, at: folder("v"), expecting: [.notAVault])
      #expect(try judge.judge(bytes, turn: 0) == .refused(.notAVault), "\(bytes.count) bytes")
      // It is somebody's file: nothing may be written to it.
      #expect(try File.read(folder("v")) == bytes)
      #expect(try folder.contents() == ["database", "v"])
    }
  }
}
