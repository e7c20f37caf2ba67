package import VaultCrypto
package import VaultModel
import VaultReports

/// The sealed root of a vault: its current state, and the data that verifies everything else.
///
/// Source: `Documentation/format.md` §7.
package struct Head: Equatable, Sendable {
  package static let recentCount = 64
  private static let defaultHistoryLimit = UInt8(PreviousSecret.defaultLimit)
  private static let defaultTrashDays = UInt16(RemovedItem.defaultDays)
  private static let defaultLogDays = UInt16(LoggedChange.defaultDays)

  package var ident: [UInt8]
  package var generation: UInt64 = 0
  package var committed = Timestamp(milliseconds: 0)
  package var slots: [UInt8]
  package var directory = Directory()
  package var nextTree: UInt32 = 1
  package var nextLargeSecret: UInt64 = 1
  /// The tags of the previous generations' heads, newest first; ``Tag/none`` for a generation that
  /// only another copy had.
  package var recent: [Tag] = []
  /// The recent heads of other copies that were merged, the highest generation first.
  package var merged: [MergedHead] = []
  /// The tag of the newest block of ancestors; ``Tag/none`` if there is none.
  package var ancestors = Tag.none
  /// The signature of the vault's machines; nil if it has none.
  package var roster: Roster?
  /// The commit by which it was written, and the one before; only in a fleet's vault.
  package var commit: Commit?
  /// The number of generations between this head and its successor that only another copy had.
  var skipped: UInt64 = 0
  package var itemCount: UInt64 = 0
  /// The number of previous secrets that each item keeps.
  package var historyLimit = Self.defaultHistoryLimit
  /// The number of days for which a removed item is kept.
  package var trashDays = Self.defaultTrashDays
  /// Whether what programs remove and replace can be restored.
  package var keepsForPrograms = false
  /// The number of days for which a change is logged.
  package var logDays = Self.defaultLogDays
  /// The most seconds for which a machine may remember the vault's key, 0 for never; nil for any.
  package var mostRemembered: UInt32?
  /// The sealed key under which machines remember the vault; empty only before it is set.
  package var recordKey: [UInt8] = []
  private var unknown: [UnknownField] = []

  /// Whether a bucket may name groups or large secrets: a vault that never had one names none.
  package var mayLink: Bool { nextTree > 1 || nextLargeSecret > 1 }

  /// Creates the head of a vault without items.
  package init(ident: Ident, slots: [UInt8]) {
    self.ident = ident.encoded
    self.slots = slots
  }

  private static var malformed: VaultError { VaultError(.damaged, "the head is malformed") }

  package init(decoding bytes: [UInt8]) throws(VaultError) {
    (ident, slots) = ([], [])
    (nextTree, nextLargeSecret) = (0, 0)
    var hasDirectory = false
    var reader = FieldReader(bytes, 0..<bytes.count)
    while let field = try reader.next() {
      switch HeadTag(rawValue: field.tag) {
      case .ident: ident = Array(bytes[field.range])
      case .generation: generation = try reader.count(field)
      case .committed: committed = try reader.moment(field)
      case .slots: slots = Array(bytes[field.range])
      case .directory:
        directory = try Directory(decoding: bytes, field.range)
        hasDirectory = true
      case .nextTree: nextTree = try reader.number(field)
      case .nextLargeSecret: nextLargeSecret = try reader.count(field)
      case .recentHeads:
        recent = try Chunk.decode(
          Array(bytes[field.range]), count: field.range.count / Tag.byteCount)
      case .itemCount: itemCount = try reader.count(field)
      case .historyLimit:
        let number: UInt8 = try reader.number(field)
        historyLimit = number - 1
        // The default limit has only one encoding: no field.
        guard PreviousSecret.limits.contains(Int(historyLimit)),
          historyLimit != Self.defaultHistoryLimit
        else { throw Self.malformed }
      case .trashDays:
        let number: UInt16 = try reader.number(field)
        trashDays = number - 1
        guard RemovedItem.dayLimits.contains(Int(trashDays)), trashDays != Self.defaultTrashDays
        else { throw Self.malformed }
      case .recordKey: recordKey = Array(bytes[field.range])
      case .mergedHeads: merged = try MergedHead.decode(bytes, field.range)
      case .logDays:
        let number: UInt16 = try reader.number(field)
        logDays = number - 1
        guard LoggedChange.dayLimits.contains(Int(logDays)), logDays != Self.defaultLogDays
        else { throw Self.malformed }
      case .mostRemembered:
        let number: UInt32 = try reader.number(field)
        mostRemembered = number - 1
      case .ancestors:
        guard field.range.count == Tag.byteCount else {
          throw Self.malformed
        }
        ancestors = Tag(bytes, at: field.range.lowerBound)
        // Without ancestors, there is no field.
        guard ancestors != .none else { throw Self.malformed }
      case .roster:
        roster = Roster(decoding: Array(bytes[field.range]))
        guard roster != nil else { throw Self.malformed }
      case .commit: commit = try Commit(decoding: bytes, field.range)
      case .keepsForPrograms:
        let number: UInt8 = try reader.number(field)
        // Without the field, removals by programs are final.
        guard number == 1 else { throw Self.malformed }
        keepsForPrograms = true
      case nil: unknown.append(reader.unknown(field))
      }
    }
    guard ident.count == Ident.byteCount, generation > 0, committed.milliseconds != 0,
      slots.count == 32, hasDirectory, (1...TreeRecord.numberEnd).contains(nextTree),
      (1...NodeID.largeSecretEnd).contains(nextLargeSecret),
      ancestors == .none || generation >= UInt64(AncestorBlock.span),
      recordKey.count == RecordKey.sealedByteCount,
      recent.count <= Self.recentCount, UInt64(recent.count) < generation,
      merged.allSatisfy({ $0.head.generation < generation && $0.merged <= generation }),
      Ident.isArbitrated(ident) == (commit != nil), commit?.previous ?? 0 < generation
    else {
      throw Self.malformed
    }
  }

  /// Advances to the next generation.
  ///
  /// - Parameters:
  ///   - previous: The tag of the current head.
  ///   - now: The time of the commit; a clock set back must not make a vault older, since lifetimes
  ///     count from there.
  /// - Throws: ``VaultError/Code/damaged`` if no generation follows.
  mutating func succeed(_ previous: Tag, at now: Timestamp) throws(VaultError) {
    generation = try nextGeneration
    committed = max(now, committed)
    recent = Array((otherGenerations() + [previous] + recent).prefix(Self.recentCount))
    dropOldMergedHeads()
  }

  // MARK: Counting

  /// The next generation.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is none.
  package var nextGeneration: UInt64 {
    get throws(VaultError) { try SealedNumber.sum(generation, 1, "the generation") }
  }

  /// Counts added items, or removed ones if negative.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if more are removed than were counted.
  package mutating func countItems(_ change: Int) throws(VaultError) {
    itemCount = try SealedNumber.sum(itemCount, change, "the number of items")
  }

  /// Reserves the row of a new large secret.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is none left.
  package mutating func takeLargeSecret() throws(VaultError) -> UInt64 {
    let number = nextLargeSecret
    guard number < NodeID.largeSecretEnd else {
      throw VaultError(.damaged, "no number is left for a large secret")
    }
    nextLargeSecret = number + 1
    return NodeID.firstLargeSecret + number
  }

  package var encoded: [UInt8] {
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
    if trashDays != Self.defaultTrashDays { writer.put(HeadTag.trashDays, trashDays + 1) }
    writer.put(HeadTag.mergedHeads, MergedHead.encode(merged))
    if logDays != Self.defaultLogDays { writer.put(HeadTag.logDays, logDays + 1) }
    if let mostRemembered { writer.put(HeadTag.mostRemembered, mostRemembered + 1) }
    if ancestors != .none { writer.put(HeadTag.ancestors, Chunk.encode([ancestors])) }
    if let roster { writer.put(HeadTag.roster, roster.encoded) }
    if let commit { writer.put(HeadTag.commit, commit.encoded) }
    if keepsForPrograms { writer.put(HeadTag.keepsForPrograms, UInt8(1)) }
    return writer.finish()
  }
}
