package import SealedTree
package import VaultCrypto
package import VaultModel

/// The state folder's record of a vault at a path, which detects an old copy put back.
///
/// It is authenticated with the vault's record key, which a rekey does not change, so a copy from
/// before a rekey is still detected as old. A failure to write a record never fails an operation:
/// it only weakens this one check. Source: `Documentation/format.md` §8.
package final class RollbackRecord {
  package struct Memory: Equatable {
    package let epoch: UInt64
    package let generation: UInt64
    package let head: Tag

    package init(epoch: UInt64, generation: UInt64, head: Tag) {
      self.epoch = epoch
      self.generation = generation
      self.head = head
    }
  }

  private static let magic = Array("vltseen1".utf8)
  private static let byteCount = 72
  private let file: StateFile
  private let place: PlaceID
  private let vaultPath: String

  /// Creates the record of a vault at a path; without a state folder, nothing is recorded.
  package init(folder: String?, vault: VaultID, at vaultPath: String) {
    self.vaultPath = vaultPath
    place = PlaceID(vaultPath)
    file = StateFile(
      folder: folder, name: "\(vault.hex)-\(place.hex).seen", byteCount: Self.byteCount)
  }

  /// Compares the file's head with the record, and updates the record if the head is newer.
  ///
  /// A record that does not verify is not trusted, but put aside; otherwise the next record would
  /// hide it.
  ///
  /// - Parameters:
  ///   - head: The file's head.
  ///   - tag: Its tag.
  ///   - epoch: The file's epoch.
  ///   - key: Authenticates the record.
  ///   - known: Returns the tags that heads of a lower generation are known to have.
  ///   - copy: Another copy that is about to be merged; nil for none. If that one continues the
  ///     record, the file is accepted, and the record stays.
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``; the errors of
  ///   `known`.
  func judge(
    _ head: Head, tag: Tag, epoch: UInt64, _ key: RecordKey, known: KnownTags,
    merging copy: MergedCopy? = nil
  ) throws(VaultError) {
    guard file.open() else { return }
    let present = Memory(epoch: epoch, generation: head.generation, head: tag)
    // Usually it says this already. A record that is just being written does not verify.
    if read(key).memory == present { return }
    try file.locked { (isLocked) throws(VaultError) in
      let record = read(key)
      if let seen = record.memory {
        let verdict = try Self.verdict(
          on: head, tag: tag, epoch: epoch, seen: seen, known: known)
        if let verdict {
          if let copy, try copy.continues(seen) { return }
          throw refusal(verdict, head, epoch: epoch, seen: seen)
        }
        if seen == present { return }
      }
      // Without the lock, another process's newer record might be overwritten.
      if isLocked { write(present, key, over: record.forged) }
    }
  }

  /// Returns the last recorded state, as far as it is verified; nil if nothing is known.
  package func memory(_ key: RecordKey) -> Memory? {
    guard file.open() else { return nil }
    return file.locked { _ in read(key).memory }
  }

  /// Records exactly this state, even if it is older than before: only a restore may do so.
  package func replace(with memory: Memory, _ key: RecordKey) {
    guard file.open() else { return }
    file.locked { isLocked in
      if isLocked { write(memory, key, over: read(key).forged) }
    }
  }

  package enum Verdict {
    case rolledBack
    case forked
  }

  /// Returns the tags that heads of a generation are known to have, in a vault of a higher one.
  package typealias KnownTags = (UInt64) throws(VaultError) -> [Tag]

  /// Applies the table of `Documentation/format.md` §8; returns nil if the file may continue the
  /// recorded state.
  ///
  /// - Throws: The errors of `known`.
  package static func verdict(
    on head: Head, tag: Tag, epoch: UInt64, seen: Memory, known: KnownTags
  ) throws(VaultError) -> Verdict? {
    guard seen.epoch <= epoch else { return .rolledBack }
    guard seen.generation < head.generation else {
      guard seen.epoch == epoch else { return nil }
      guard seen.generation == head.generation else { return .rolledBack }
      return tag == seen.head ? nil : .forked
    }
    // A rekey keeps the history, so this holds across epochs.
    let known = try known(seen.generation)
    return known.isEmpty || known.contains(seen.head) ? nil : .forked
  }

  package func refusal(
    _ verdict: Verdict, _ head: Head, epoch: UInt64, seen: Memory
  ) -> VaultError {
    let now = "generation \(head.generation) of \(head.committed)"
    switch verdict {
    case .rolledBack where seen.epoch > epoch:
      return VaultError(
        .rolledBack,
        "\(vaultPath) is an old copy, from before the vault was rekeyed: it is \(now) in epoch "
          + "\(epoch), and epoch \(seen.epoch) was seen here")
    case .rolledBack:
      return VaultError(
        .rolledBack,
        "\(vaultPath) is an old copy: it is \(now), and generation \(seen.generation) was seen here"
      )
    case .forked:
      return VaultError(
        .forked,
        "\(vaultPath) has another history than the vault that was seen here, which was at generation "
          + "\(seen.generation): it is \(now), so two copies were changed apart")
    }
  }

  // MARK: File

  /// Returns the recorded state without creating or changing anything; nil if there is none.
  ///
  /// Without a key, the result is not verified.
  package func look(_ key: RecordKey?) -> Memory? {
    guard file.look() else { return nil }
    return file.locked { _ in read(key).memory }
  }

  /// Returns the files about the vault that do not verify, including those put aside.
  package func unverified(_ key: RecordKey?) -> [String] {
    let isForged = file.look() && file.locked { _ in read(key).forged != nil }
    return [isForged ? file.path : nil, file.hasAside ? file.asidePath : nil].compactMap(\.self)
  }

  private func read(_ key: RecordKey?) -> (memory: Memory?, forged: [UInt8]?) {
    guard let bytes = file.read(), bytes.starts(with: Self.magic) else { return (nil, nil) }
    if let key, !key.isAuthentic(bytes, at: place) { return (nil, bytes) }
    let memory = Memory(
      epoch: UInt64(littleEndianIn: bytes, at: 8),
      generation: UInt64(littleEndianIn: bytes, at: 16), head: Tag(bytes, at: 24))
    return (memory, nil)
  }

  /// Writes the record, whose lock is held; one that does not verify is put aside first.
  ///
  /// Its commit is already durable, so a power failure leaves no record ahead of its file.
  private func write(_ memory: Memory, _ key: RecordKey, over forged: [UInt8]?) {
    if let forged, !file.putAside(forged) { return }
    var bytes = Self.magic
    memory.epoch.appendLittleEndian(to: &bytes)
    memory.generation.appendLittleEndian(to: &bytes)
    memory.head.append(to: &bytes)
    file.write(key.sealed(bytes, at: place))
  }
}

/// The state of another copy of a vault that is being merged into it.
///
/// It may be the newest state that was seen at the vault's path: then the file in its place may be
/// opened, since the merge brings everything back.
package struct MergedCopy: Sendable {
  package let head: Head
  package let tag: Tag
  package let epoch: UInt64
  private let ancestors: [AncestorBlock]

  /// Reads the state of an unlocked copy.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a block of its ancestors is lost.
  package init(_ file: VaultFile) throws(VaultError) {
    (head, tag, epoch, ancestors) = try file.read { (reader) throws(VaultError) in
      let now = try file.requireUnlocked()
      return (now.head, now.headTag, now.keys.ident.epoch, try reader.ancestors(of: now.head))
    }
  }

  func continues(_ seen: RollbackRecord.Memory) throws(VaultError) -> Bool {
    try RollbackRecord.verdict(on: head, tag: tag, epoch: epoch, seen: seen) { generation in
      let known = head.knownTags(of: generation)
      return known.isEmpty ? ancestors.tags(of: generation) : known
    } == nil
  }
}

/// This machine's records of the vault and of its place.
extension VaultFile {
  /// Compares the opened vault with the records, and updates them.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ unlocked: Unlocked) throws(VaultError) {
    let key = try unlocked.requireRecordKey()
    let ident = unlocked.keys.ident
    let (head, reader) = (unlocked.head, unlocked.reader)
    // After our own commit, the record was compared in that transaction already.
    let isReading = connection.isInTransaction
    try seen.judge(
      head, tag: unlocked.headTag, epoch: ident.epoch, key,
      known: { (generation) throws(VaultError) in
        try isReading
          ? reader.knownTags(of: generation, in: head) : head.knownTags(of: generation)
      }, merging: mergedCopy)
    // Only a program that could open the vault may record that it is here.
    guard !isPlaceConfirmed else { return }
    isPlaceConfirmed = true
    place.confirm(ident.vaultID, key)
  }

  /// Compares the file with a state that was seen of it or of another copy; returns nil if it may
  /// continue that.
  ///
  /// - Throws: As ``read(_:)``.
  package func verdict(
    after seen: RollbackRecord.Memory
  ) throws(VaultError) -> RollbackRecord.Verdict? {
    try read { (reader) throws(VaultError) in
      let now = try requireUnlocked()
      return try RollbackRecord.verdict(
        on: now.head, tag: now.headTag, epoch: now.keys.ident.epoch, seen: seen
      ) { (generation) throws(VaultError) in
        try reader.knownTags(of: generation, in: now.head)
      }
    }
  }

  /// Returns the records of this vault that do not verify, in the state folder or put aside there.
  func unverifiedRecords() throws(VaultError) -> [String] {
    let key = try requireUnlocked().requireRecordKey()
    return seen.unverified(key) + place.unverified(ident.vaultID, key)
  }
}
