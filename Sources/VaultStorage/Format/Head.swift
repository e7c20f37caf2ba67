import VaultCrypto
import VaultModel

/// The sealed root of a vault: what is current, and what vouches for everything else.
///
/// Source: `Documentation/format.md` §7.
struct Head: Equatable, Sendable {
  static let recentCount = 64
  private static let defaultHistoryLimit = UInt8(PreviousSecret.defaultLimit)

  var ident: [UInt8]
  var generation: UInt64 = 0
  var committed = Timestamp(milliseconds: 0)
  var slots: [UInt8]
  var directory = Directory()
  var nextTree: UInt32 = 1
  var nextLargeSecret: UInt64 = 1
  /// The tags of the heads of the generations before this one, newest first.
  var recent: [Tag] = []
  var itemCount: UInt64 = 0
  /// How many previous secrets each item keeps.
  var historyLimit = Self.defaultHistoryLimit
  /// What machines remember the vault under, sealed; empty only before it is set.
  var recordKey: [UInt8] = []
  private var unknown: [UnknownField] = []

  /// The head of a vault without items.
  init(ident: Ident, slots: [UInt8]) {
    self.ident = ident.encoded
    self.slots = slots
  }

  init(decoding bytes: [UInt8]) throws(VaultError) {
    (ident, slots) = ([], [])
    (nextTree, nextLargeSecret) = (0, 0)
    var hasDirectory = false
    var reader = FieldReader(bytes, 0..<bytes.count)
    while let field = try reader.next() {
      switch HeadTag(rawValue: field.tag) {
      case .ident: ident = Array(bytes[field.range])
      case .generation: generation = try reader.number(field)
      case .committed: committed = Timestamp(milliseconds: try reader.number(field))
      case .slots: slots = Array(bytes[field.range])
      case .directory:
        directory = try Directory(decoding: bytes, field.range)
        hasDirectory = true
      case .nextTree: nextTree = try reader.number(field)
      case .nextLargeSecret: nextLargeSecret = try reader.number(field)
      case .recentHeads:
        recent = try Chunk.decode(
          Array(bytes[field.range]), count: field.range.count / Tag.byteCount)
      case .itemCount: itemCount = try reader.number(field)
      case .historyLimit:
        let number: UInt8 = try reader.number(field)
        historyLimit = number - 1
        // The limit that is meant where there is none has one encoding.
        guard PreviousSecret.limits.contains(Int(historyLimit)),
          historyLimit != Self.defaultHistoryLimit
        else { throw VaultError(.damaged, "the head is malformed") }
      case .recordKey: recordKey = Array(bytes[field.range])
      case nil: unknown.append(reader.unknown(field))
      }
    }
    guard ident.count == Ident.byteCount, generation > 0, committed.milliseconds != 0,
      slots.count == 32, hasDirectory, nextTree > 0, nextLargeSecret > 0,
      recordKey.count == RecordKey.sealedByteCount,
      recent.count <= Self.recentCount, UInt64(recent.count) < generation
    else {
      throw VaultError(.damaged, "the head is malformed")
    }
  }

  /// Becomes the head of the next generation.
  ///
  /// - Parameters:
  ///   - previous: The tag of the present head.
  ///   - now: A clock set back must not make a vault older: lifetimes count from the commit's time.
  mutating func succeed(_ previous: Tag, at now: Timestamp) {
    generation += 1
    committed = max(now, committed)
    recent = [previous] + recent.prefix(Self.recentCount - 1)
  }

  var encoded: [UInt8] {
    var writer = FieldWriter(keeping: unknown, capacity: 1400 + directory.tags.count * 16)
    writer.put(HeadTag.ident, ident)
    writer.put(HeadTag.generation, generation)
    writer.put(HeadTag.committed, committed)
    writer.put(HeadTag.slots, slots)
    writer.put(HeadTag.directory, directory.encoded)
    writer.put(HeadTag.nextTree, nextTree)
    writer.put(HeadTag.nextLargeSecret, nextLargeSecret)
    writer.put(HeadTag.recentHeads, Chunk.encode(recent))
    writer.put(HeadTag.itemCount, itemCount)
    if historyLimit != Self.defaultHistoryLimit {
      writer.put(HeadTag.historyLimit, historyLimit + 1)
    }
    writer.put(HeadTag.recordKey, recordKey)
    return writer.finish()
  }
}
