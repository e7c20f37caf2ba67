import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultModel

@testable import SealedTree

@Suite("Head")
struct HeadTests {
  @Test("heads are judged as their vectors say", arguments: try Vector.all("head"))
  func vector(_ vector: Vector) throws {
    try vector.requireKeys(
      ["vault-key", "ident", "slot-"],
      results: [
        "generation", "time", "slots", "directory", "next-tree", "next-large", "recent", "items",
        "history-limit", "record-key", "trash-days", "log-days", "merged", "most-remembered",
        "ancestors", "roster", "commit", "keeps-for-programs",
      ])
    let ident = try vector.bytes("ident")
    let keys = try EpochKeys(
      vaultKey: vector.bytes("vault-key"), ident: Ident(decoding: ident))
    let slots = try vector.keys.keys.filter { $0.hasPrefix("slot-") }
      .map { (id: try #require(UInt32($0.dropFirst(5))), body: try vector.bytes($0)) }
      .sorted { $0.id < $1.id }
    let found = try vector.judge { () throws(VaultError) in
      let head = try Head(decoding: vector.body)
      // The values that a file compares with its own rows.
      guard head.ident == ident, head.slots == keys.authenticate(slots: slots) else {
        throw VaultError(.damaged, "another ident or other slots")
      }
      return (head, try keys.open(recordKey: head.recordKey))
    }
    guard let (found, recordKey) = found else { return }
    let proof = try vector.bytes("record-key").withSpan { key in
      Hash.hash([1], count: 32, key: key)
    }
    #expect(recordKey.authenticate([1]) == proof)
    #expect(found.encoded == vector.body)
    #expect(try found.generation == vector.number("generation"))
    #expect(try found.committed.milliseconds == vector.number("time"))
    #expect(try found.directory.encoded == vector.bytes("directory"))
    #expect(try found.nextTree == vector.number("next-tree"))
    #expect(try found.nextLargeSecret == vector.number("next-large"))
    #expect(try Chunk.encode(found.recent) == vector.bytes("recent"))
    #expect(try found.itemCount == vector.number("items"))
    let limit: UInt8 = try vector.keys["history-limit"] == nil ? 10 : vector.number("history-limit")
    #expect(found.historyLimit == limit)
    let days: UInt16 = try vector.keys["trash-days"] == nil ? 30 : vector.number("trash-days")
    #expect(found.trashDays == days)
    let logged: UInt16 = try vector.keys["log-days"] == nil ? 90 : vector.number("log-days")
    #expect(found.logDays == logged)
    let most: UInt32? =
      try vector.keys["most-remembered"] == nil ? nil : vector.number("most-remembered")
    #expect(found.mostRemembered == most)
    #expect(found.keepsForPrograms == (vector.keys["keeps-for-programs"] != nil))
    let merged = vector.keys["merged"] == nil ? [] : try vector.bytes("merged")
    #expect(MergedHead.encode(found.merged) == merged)
    let roster = vector.keys["roster"] == nil ? [] : try vector.bytes("roster")
    #expect(found.roster?.encoded ?? [] == roster)
    let commit = vector.keys["commit"] == nil ? [] : try vector.bytes("commit")
    #expect(found.commit?.encoded ?? [] == commit)
    let ancestors = vector.keys["ancestors"] == nil ? [] : try vector.bytes("ancestors")
    #expect(
      found.ancestors == .none ? ancestors.isEmpty : Chunk.encode([found.ancestors]) == ancestors)
  }

  private var head: Head {
    var head = Head(
      ident: Ident(vaultID: VaultID(), epoch: 1), slots: [UInt8](repeating: 7, count: 32))
    head.generation = 100
    head.committed = Timestamp(milliseconds: 1)
    head.recent = (1...64).map { Tag(low: $0, high: 0) }
    head.itemCount = 3
    head.nextTree = 4
    head.nextLargeSecret = 5
    head.historyLimit = 3
    head.recordKey = [UInt8](repeating: 8, count: RecordKey.sealedByteCount)
    head.trashDays = 90
    head.keepsForPrograms = true
    head.mostRemembered = 60
    head.ancestors = Tag(low: 9, high: 9)
    let admin = AdminSecret()
    head.roster = Roster(
      signing: [], of: Ident(vaultID: VaultID(), epoch: 1), by: admin, as: AdminChain(admin.key))
    return head
  }

  @Test("a head reads back, and one cut off anywhere is damaged")
  func truncation() throws {
    let encoded = head.encoded
    #expect(try Head(decoding: encoded) == Head(decoding: Head(decoding: encoded).encoded))
    // Without its last fields it is the head of a vault where programs remove for good, without
    // machines, without ancestors, that may be remembered, and that keeps removed items for thirty
    // days.
    var whole: [Int] = []
    for field in [3, 98, 18, 6, 4] { whole.append((whole.last ?? encoded.count) - field) }
    for count in encoded.indices where !whole.contains(count) {
      #expect(throws: VaultError(.damaged, "")) { try Head(decoding: Array(encoded[..<count])) }
    }
  }

  @Test("a head with anything in it changed is damaged or has one encoding, its own")
  func mutations() throws {
    var random = SplitMix(seed: 7)
    let encoded = head.encoded
    for _ in 0..<3000 {
      var changed = encoded
      let index = Int.random(in: 0..<changed.count, using: &random)
      changed[index] = UInt8.random(in: 0...255, using: &random)
      do throws(VaultError) {
        #expect(try Head(decoding: changed).encoded == changed)
      } catch {
        #expect(error.code == .damaged)
      }
    }
  }
}
