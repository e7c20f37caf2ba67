import AttackSupport
import Testing

/// One bit of the file is changed, as by a cosmic ray, a worn disk or an attacker.
///
/// A run of CI flips a bit of every byte of the small vault, which has every kind of record and
/// field, all bits of the SQLite structures, and every so-many-th bit of the larger ones;
/// `VAULT_LONG_TESTS` flips every bit.
@Suite struct BitFlipTests {
  struct Flip: Sendable, CustomStringConvertible {
    let bit: Int
    var description: String { "bit \(bit % 8) of byte \(bit / 8)" }
  }

  private static func attack(_ golden: GoldenVault, bits: some Sequence<Int>) -> AttackRun {
    AttackRun.run(bits.map { Flip(bit: $0) }) { flip, turn, folder in
      var bytes = golden.bytes
      bytes[flip.bit / 8] ^= 1 << (flip.bit % 8)
      return try AnswerCheck(golden, at: folder("v")).judge(bytes, turn: turn)
    }
  }

  /// Returns the offsets of the file header, and of the part of every page that SQLite navigates
  /// by: the b-tree header and cell pointers.
  private static func structure(_ bytes: [UInt8], perPage: Int) -> [Int] {
    let pages = stride(from: 4096, to: bytes.count, by: 4096)
    return Array(0..<(100 + perPage) * 8) + pages.flatMap { $0 * 8..<($0 + perPage) * 8 }
  }

  @Test func `A flipped bit anywhere in a small vault gives the right data or is refused`() throws {
    let golden = try GoldenVault.small.get()
    let each = (0..<golden.bytes.count).map { $0 * 8 + ($0 * 5 + $0 / 4096) % 8 }
    let sample = Set(each).union(Self.structure(golden.bytes, perPage: 24)).sorted()
    let bits = AttackRun.isComplete ? Array(0..<golden.bytes.count * 8) : sample
    let campaign = Self.attack(golden, bits: bits)
    #expect(campaign.wrong == [])
    #expect(campaign.count >= 20_000 || Sanitizer.isActive)
    #expect(campaign.right > 0 && campaign.refused > campaign.count / 4)
  }

  @Test(arguments: ["heavy", "chunked"])
  func `A flipped bit in a tree of trees, or under a chunk, is refused or changes nothing`(
    name: String
  ) throws {
    let golden = try (name == "heavy" ? GoldenVault.heavy : GoldenVault.chunked).get()
    let step = golden.bytes.count * 8 / 500 | 1
    let bits =
      AttackRun.isComplete
      ? Array(0..<golden.bytes.count * 8)
      : Array(stride(from: 0, to: golden.bytes.count * 8, by: step))
    let campaign = Self.attack(golden, bits: bits)
    #expect(campaign.wrong == [])
    #expect(campaign.right > 0 && campaign.refused > 0)
  }
}
