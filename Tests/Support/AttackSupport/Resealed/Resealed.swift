import CVaultSQLite
import TestSupport
import VaultCrypto
package import VaultModel

/// A vault whose seals are all authentic and whose content may be anything: the work of somebody
/// with the key, or a defect of another version.
///
/// The same seed makes the same content; only nonces differ.
package struct Resealed: Sendable {
  /// A tree, or an object that is called one.
  struct Tree: Sendable {
    var level: Int
    var number: UInt32
    var buckets: [[RawRecord]]
    var load: UInt64
    /// Bytes that replace a bucket's content.
    var garbage: [Int: [UInt8]] = [:]
    /// Bytes that replace a chunk's content.
    var chunks: [Int: [UInt8]] = [:]
    /// Bytes that replace a directory.
    var directory: [UInt8]?
    /// Whether its rows are named by the directory of the tree with this number, and not by their
    /// own.
    var isAbsent = false

    init(level: Int, number: UInt32, bucketCount: Int) {
      self.level = level
      self.number = number
      buckets = Array(repeating: [], count: bucketCount)
      load = 0
    }
  }

  package let seed: UInt64
  let keys: EpochKeys
  var random: SplitMix
  /// The main tree first, each other one after its parent.
  var trees: [Tree]
  var head: [RawRecord.Field] = []
  /// The secrets in rows of their own, by id.
  var largeSecrets: [UInt64: [UInt8]] = [:]
  var slots: [(id: UInt64, body: [UInt8])]
  let ident: [UInt8]
  var historyLimit: UInt8?
  var trashDays: UInt16?
  var keepsForPrograms: UInt8?
  var mostRemembered: UInt32?
  var generation: UInt64 = 9
  var nextTree: UInt32 = 1
  var nextLargeSecret: UInt64 = 1
  var itemCount: UInt64 = 0
  var committed: Int64 = 1_767_225_600_000
  var recent: [UInt8] = []
  /// The faults that were made, in words.
  package internal(set) var faults: [String] = []
  /// Every secret that was sealed for an item: no other may ever be returned for it.
  package internal(set) var secrets: [ItemID: Set<[UInt8]>] = [:]
  /// The keys of items that were made.
  package internal(set) var itemKeys: [Item.Key] = []
  /// Fields of the head that are written last, replacing those that exist.
  var headChanges: [HeadChange] = []

  enum HeadChange: Sendable {
    case set(UInt32, [UInt8])
    case remove(UInt32)
    case append(UInt32, [UInt8])
    case swap(UInt32)
  }

  /// The parts of a vault that are not made anew each time.
  package struct Template: Sendable {
    let bytes: [UInt8]
    let keys: EpochKeys
    let ident: [UInt8]
    let slots: [(id: UInt64, body: [UInt8])]

    /// Takes container, key and slots of a golden vault.
    package init() throws {
      let golden = try GoldenVault.small.get()
      let folder = try Folder()
      try File.write(golden.bytes, to: folder("v"))
      ident = try Database.bytes("SELECT ident FROM vault", of: folder("v"))
      let body = try Database.bytes("SELECT body FROM slot WHERE id = 2", of: folder("v"))
      slots = [
        (1, try Database.bytes("SELECT body FROM slot WHERE id = 1", of: folder("v"))), (2, body),
      ]
      keys = try Slot(decoding: body, id: 2).open(
        with: golden.key, idents: [Ident(decoding: ident)])
      try Database.run("DELETE FROM node; VACUUM", on: folder("v"))
      bytes = try File.read(folder("v"))
    }
  }

  package init(seed: UInt64, _ template: Template) {
    self.seed = seed
    keys = template.keys
    ident = template.ident
    slots = template.slots
    random = SplitMix(seed: seed &* 0x9E37_79B9 &+ 77)
    trees = [Tree(level: 0, number: 0, bucketCount: 1)]
    fill()
    spoil()
  }

  // MARK: Sealing

  /// Writes it as a vault's file.
  package func write(to path: String, _ template: Template) throws {
    try File.write(template.bytes, to: path)
    var rows: [(UInt64, [UInt8])] = []
    var directories: [UInt32: [UInt8]] = [:]
    // Innermost first: a tree's record holds the tags of its buckets.
    for var tree in trees.reversed() {
      for number in tree.buckets.indices {
        for index in tree.buckets[number].indices where tree.buckets[number][index].kind == 7 {
          let named = tree.buckets[number][index][61]
          guard tree.buckets[number][index][62].isEmpty, named.count == 4,
            let directory = directories[UInt32(littleEndianIn: named, at: 0)]
          else { continue }
          tree.buckets[number][index][62] = directory
        }
      }
      directories[tree.number] = seal(tree, &rows)
    }
    for (id, secret) in largeSecrets.sorted(by: { $0.key < $1.key }) { rows.append((id, secret)) }
    let head = keys.seal(head(directories[0] ?? []), as: .head, id: 0)
    try Self.write(rows, head: head, slots, to: path)
  }

  private func seal(_ tree: Tree, _ rows: inout [(UInt64, [UInt8])]) -> [UInt8] {
    let base = UInt64(tree.number) << 33
    func put(_ content: [UInt8], _ kind: NodeKind, _ id: UInt64) -> [UInt8] {
      let sealed = keys.seal(content, as: kind, id: id)
      rows.append((id, sealed))
      return Array(sealed.suffix(16))
    }
    var tags: [UInt8] = []
    for (number, bucket) in tree.buckets.enumerated() {
      let content = tree.garbage[number] ?? bucket.flatMap(\.encoded)
      let isEmpty = content.isEmpty && tree.garbage[number] == nil
      tags +=
        isEmpty
        ? [UInt8](repeating: 0, count: 16) : put(content, .bucket, base + UInt64(number))
    }
    if tree.buckets.count > 128 {
      let all = tags
      tags = []
      for (number, start) in stride(from: 0, to: all.count, by: 128 * 16).enumerated() {
        let content = tree.chunks[number] ?? Array(all[start..<min(start + 128 * 16, all.count)])
        tags += put(content, .chunk, base + 1 << 32 + UInt64(number))
      }
    }
    return tree.directory
      ?? RawRecord.number(UInt32(tree.buckets.count)) + RawRecord.number(tree.load) + tags
  }

  private func head(_ directory: [UInt8]) -> [UInt8] {
    let rows = slots.map { (id: UInt32(truncatingIfNeeded: $0.id), body: $0.body) }
    var head = RawRecord(
      kind: 0,
      [
        (1, ident), (2, RawRecord.number(generation)), (3, RawRecord.number(committed)),
        (4, keys.authenticate(slots: rows)), (5, directory), (6, RawRecord.number(nextTree)),
        (7, RawRecord.number(nextLargeSecret)), (8, recent),
        (9, itemCount == 0 ? [] : RawRecord.number(itemCount)),
        (10, historyLimit.map { [$0] } ?? []), (11, keys.seal(RecordKey())),
        (12, trashDays.map { RawRecord.number($0) } ?? []),
        (14, mostRemembered.map { RawRecord.number($0) } ?? []),
        (19, keepsForPrograms.map { [$0] } ?? []),
      ])
    for change in headChanges {
      switch change {
      case .set(let tag, let value):
        head[tag] = []
        head.fields.append(RawRecord.Field(tag: tag, value: value))
        head.fields.sort { $0.tag < $1.tag }
      case .remove(let tag): head[tag] = []
      case .append(let tag, let value):
        head.fields.append(RawRecord.Field(tag: tag, value: value))
      case .swap(let tag):
        guard let place = head.fields.firstIndex(where: { $0.tag == tag }), place > 0 else { break }
        head.fields.swapAt(place, place - 1)
      }
    }
    return head.body
  }

  private static func write(
    _ rows: [(UInt64, [UInt8])], head: [UInt8], _ slots: [(id: UInt64, body: [UInt8])],
    to path: String
  ) throws {
    var sql = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
    sql += "UPDATE vault SET head = x'\(hex(head))'; DELETE FROM slot;"
    for slot in slots {
      sql +=
        "INSERT OR REPLACE INTO slot VALUES (\(Int64(bitPattern: slot.id)), x'\(hex(slot.body))');"
    }
    for (id, sealed) in rows {
      sql +=
        "INSERT OR REPLACE INTO node VALUES (\(Int64(bitPattern: id)), x'\(hex(sealed))');"
    }
    try Database.run(sql + "COMMIT", on: path)
  }

  private static func hex(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
