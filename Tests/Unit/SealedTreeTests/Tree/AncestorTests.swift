import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

@testable import SealedTree

/// A vault without items: its head, and the rows of its ancestors.
private struct AncestorHistory {
  static let ident = Ident(vaultID: VaultID(), epoch: 1)
  let keys = EpochKeys(
    vaultKey: [UInt8](repeating: 5, count: 32), ident: Self.ident)
  /// The difference between this copy's heads and those of others.
  var copy: UInt64
  var head: Head
  let rows = MemoryRows()
  /// All heads that it had, own ones and those of merged copies.
  private(set) var all: Set<KnownHead>

  init(copy: UInt64 = 1) {
    self.copy = copy
    head = Head(ident: Self.ident, slots: [UInt8](repeating: 7, count: 32))
    head.generation = 1
    head.recordKey = [UInt8](repeating: 8, count: RecordKey.sealedByteCount)
    all = []
    all.insert(known)
  }

  /// Returns a copy that is changed apart from now on.
  func copied(_ copy: UInt64) -> AncestorHistory {
    var other = AncestorHistory(copy: copy)
    (other.head, other.all) = (head, all)
    other.first = first
    other.rows.rows = rows.rows
    return other
  }

  private var first: (copy: UInt64, until: UInt64)?

  var tag: VaultCrypto.Tag { known.tag }
  var known: KnownHead {
    let copy = first.flatMap { head.generation <= $0.until ? $0.copy : nil } ?? copy
    return KnownHead(generation: head.generation, tag: Tag(low: head.generation, high: copy))
  }

  mutating func commit(_ count: Int = 1) throws {
    for _ in 0..<count {
      try head.succeed(tag, at: Timestamp(milliseconds: 1), sealing: keys, to: rows)
      first = nil
      all.insert(known)
    }
  }

  /// Marks the present head as the one of the copy that it was made from.
  mutating func branch(from copy: UInt64) { first = (copy, head.generation) }

  var reader: TreeReader {
    TreeReader(
      keys: keys, root: head.directory, rows: rows, clock: VaultClock(),
      beforeReading: { () throws(VaultError) in })
  }

  func knows(_ head: KnownHead) throws -> Bool? {
    let tags = try reader.knownTags(of: head.generation, in: self.head)
    return tags.isEmpty ? nil : tags.contains(head.tag)
  }

  func ancestry() throws -> Ancestry { try reader.ancestry(of: head, tag) }

  mutating func merge(_ other: AncestorHistory) throws {
    let (ours, theirs) = (try ancestry(), try other.ancestry())
    let (old, before) = (try reader.ancestors(of: head), tag)
    head.join(other.head, tag: other.tag)
    try head.succeed(before, at: Timestamp(milliseconds: 1))
    try rows.remove(old)
    head.ancestors = try rows.put(ours.blocks(joining: theirs, at: head.generation), keys)
    first = nil
    all.formUnion(other.all)
    all.insert(known)
  }
}

@Suite("Ancestors")
struct AncestorTests {
  @Test(
    "blocks of ancestors are judged as their vectors say", arguments: try Vector.all("ancestors"))
  func vector(_ vector: Vector) throws {
    try vector.requireKeys(["number"], results: ["previous", "own", "merged"])
    let number: UInt64 = try vector.number("number")
    let found = try vector.judge { () throws(VaultError) in
      try AncestorBlock(decoding: vector.body, number: number)
    }
    guard let found else { return }
    #expect(found.encoded == vector.body)
    #expect(try Chunk.encode([found.previous]) == vector.bytes("previous"))
    #expect(try Chunk.encode(found.own) == vector.bytes("own"))
    #expect(try MergedHead.encode(found.merged) == vector.bytes("merged"))
  }

  @Test("a golden vault's ancestors are those of its listing")
  func golden() throws {
    let listed = try Golden.listing("ancestors").list("ancestors").map { entry in
      guard case .list(let parts) = entry, case .number(let number) = parts[0],
        case .text(let tag) = parts[1]
      else { throw Golden.Refusal(description: "no ancestor") }
      return "\(number) \(tag)"
    }
    let fixture = try StoreFixture(golden: "ancestors")
    try fixture.store.unlock(with: .keyFile(try fixture.keyFile()))
    let found = try fixture.store.locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        let head = try file.requireUnlocked().head
        let blocks = try reader.ancestors(of: head)
        return (0..<192).flatMap { generation in
          blocks.tags(of: generation).map { tag in
            "\(generation) \(Chunk.encode([tag]).hex)"
          }
        }
      }
    }
    #expect(found.sorted() == listed.sorted() && found.count > 180)
  }

  @Test("a head is known for as long as its block is kept, and then nothing is known")
  func kept() throws {
    var history = AncestorHistory()
    try history.commit(70_000)
    #expect(history.rows.rows.count == 1024)
    let generation = history.head.generation
    let first = AncestorBlock.kept(at: generation).lowerBound * 64
    #expect(generation - first > 65_000)
    for age: UInt64 in [1, 63, 64, 65, 66, 127, 128, 129, 1000, 5000, generation - first] {
      let head = KnownHead(
        generation: generation - age, tag: Tag(low: generation - age, high: 1))
      #expect(try history.knows(head) == true, "\(age)")
      let other = KnownHead(generation: head.generation, tag: Tag(low: 1, high: 2))
      #expect(try history.knows(other) == false, "\(age)")
    }
    for generation in [first - 1, 1, 0] {
      let head = KnownHead(generation: generation, tag: Tag(low: 1, high: 2))
      #expect(try history.knows(head) == nil, "\(generation)")
    }
  }

  @Test("a block that is missing, moved, of another copy or not sealed is damage")
  func damage() throws {
    var history = AncestorHistory()
    try history.commit(400)
    var other = history.copied(2)
    other.branch(from: 1)
    try history.commit(10)
    try other.commit(10)
    let id = NodeID.ancestors(2)
    let seen = KnownHead(generation: 130, tag: Tag(low: 130, high: 1))
    #expect(try history.knows(seen) == true)
    let good = try #require(history.rows.rows[id])
    var flipped = good
    flipped[30] ^= 1
    // What was sealed once for the same place, with other content.
    let older = history.keys.seal(
      AncestorBlock(number: 2, own: [VaultCrypto.Tag](repeating: .none, count: 64), merged: [])
        .encoded,
      as: .ancestors, id: id)
    for row in [nil, flipped, history.rows.rows[NodeID.ancestors(3)], older] {
      history.rows.rows[id] = row
      #expect(throws: VaultError(.damaged, "")) { try history.knows(seen) }
      // Newer generations do not need it.
      let newer = KnownHead(generation: 300, tag: Tag(low: 300, high: 1))
      #expect(try history.knows(newer) == true)
    }
    history.rows.rows[id] = good
    #expect(try history.knows(seen) == true)
  }

  @Test(
    "a merged history continues every head of both copies, and no third one",
    arguments: [(300, 200), (200, 300), (10, 500), (500, 10), (0, 200), (70, 70), (1, 1)])
  func merged(_ ours: Int, _ theirs: Int) throws {
    var one = AncestorHistory()
    try one.commit(99)
    var other = one.copied(2)
    other.branch(from: 1)
    try one.commit(ours)
    try other.commit(theirs)
    var third = other.copied(3)
    third.branch(from: 2)
    try one.merge(other)
    for later in 0..<4 {
      for head in one.all.sorted(by: { $0.generation < $1.generation }) where head != one.known {
        #expect(try one.knows(head) != false, "\(later): \(head)")
        if head.generation > 64 { #expect(try one.knows(head) == true, "\(later): \(head)") }
      }
      try third.commit(60)
      let foreign = third.known
      if foreign.generation < one.head.generation, foreign.generation > 64 {
        #expect(try one.knows(foreign) == false, "\(later)")
      }
      try one.commit(150)
    }
    #expect(try one.ancestry().continues(other.known))
  }

  @Test("where one copy forgot its ancestors, nothing is known of them after a merge")
  func forgotten() throws {
    var one = AncestorHistory()
    try one.commit(99)
    var other = one.copied(2)
    other.branch(from: 1)
    try one.commit(300)
    try other.commit(200)
    let seen = other.all.filter { (130..<200).contains($0.generation) && $0.tag.high == 2 }
    #expect(seen.count == 70)
    // As after a restore from a backup.
    try other.rows.remove(other.reader.ancestors(of: other.head))
    (other.head.ancestors, other.head.recent) = (.none, [])
    try other.commit(5)
    try one.merge(other)
    try one.commit(200)
    for head in seen { #expect(try one.knows(head) == nil) }
    let shared = KnownHead(generation: 390, tag: Tag(low: 390, high: 1))
    #expect(try one.knows(shared) == true)
  }

  @Test("more heads of other copies than a block holds are forgotten, with those before")
  func many() throws {
    var one = AncestorHistory()
    try one.commit(70)
    let others = try (2..<8 as Range<UInt64>).map { number in
      var other = one.copied(number)
      other.branch(from: 1)
      try other.commit(60)
      return other
    }
    for other in others { try one.merge(other) }
    try one.commit(200)
    for head in one.all where head != one.known { #expect(try one.knows(head) != false, "\(head)") }
    let last = KnownHead(generation: 250, tag: Tag(low: 250, high: 1))
    #expect(try one.knows(last) == true)
  }
}
