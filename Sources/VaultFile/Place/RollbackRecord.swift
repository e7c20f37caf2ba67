package import SealedTree
package import VaultCrypto
package import VaultModel

/// What the state folder remembers of a vault at a path, so that an old copy put back is noticed.
///
/// Authenticated under the vault's record key, which a rekey does not change: a copy from before one still finds
/// that it is old. A record that cannot be written never fails an operation: it only weakens this one check.
/// Source: `Documentation/format.md` §8.
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

  /// The record of a vault at a path; without a state folder nothing is remembered.
  package init(folder: String?, vault: VaultID, at vaultPath: String) {
    self.vaultPath = vaultPath
    place = PlaceID(vaultPath)
    file = StateFile(
      folder: folder, name: "\(vault.hex)-\(place.hex).seen", byteCount: Self.byteCount)
  }

  /// Compares the file's head with what was seen, and remembers it if it is newer.
  ///
  /// A record that does not verify is not believed, but put aside: the next one would else hide it.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ head: Head, tag: Tag, epoch: UInt64, _ key: RecordKey) throws(VaultError) {
    guard file.open() else { return }
    let present = Memory(epoch: epoch, generation: head.generation, head: tag)
    try file.locked { (isLocked) throws(VaultError) in
      if let seen = read(key).memory {
        if let verdict = Self.verdict(on: head, tag: tag, epoch: epoch, seen: seen) {
          throw refusal(verdict, head, epoch: epoch, seen: seen)
        }
        if seen == present { return }
      }
      // Without the lock another process's newer record might be overwritten.
      if isLocked { write(present, key) }
    }
  }

  /// What was seen last, as far as it is proven; nil if nothing is known.
  package func memory(_ key: RecordKey) -> Memory? {
    guard file.open() else { return nil }
    return file.locked { _ in read(key).memory }
  }

  /// Remembers exactly this, also where it is less than before: a restore alone may do so.
  package func replace(with memory: Memory, _ key: RecordKey) {
    guard file.open() else { return }
    file.locked { isLocked in
      if isLocked { write(memory, key) }
    }
  }

  package enum Verdict {
    case rolledBack
    case forked
  }

  /// The table of `Documentation/format.md` §8; nil if the file may be what follows on what was seen.
  package static func verdict(on head: Head, tag: Tag, epoch: UInt64, seen: Memory) -> Verdict? {
    guard seen.epoch == epoch else { return seen.epoch < epoch ? nil : .rolledBack }
    guard seen.generation <= head.generation else { return .rolledBack }
    let age = head.generation - seen.generation
    let known = age == 0 ? tag : age <= UInt64(head.recent.count) ? head.recent[Int(age) - 1] : nil
    return known == nil || known == seen.head ? nil : .forked
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

  // MARK: The file

  /// What is remembered, without making or changing anything; nil if nothing is.
  ///
  /// Without a key what is found is not proven.
  package func look(_ key: RecordKey?) -> Memory? {
    guard file.look() else { return nil }
    return file.locked { _ in read(key).memory }
  }

  /// The files that speak of the vault and do not verify, those that were put aside included.
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

  /// Writes the record, whose lock is held.
  ///
  /// The commit that it speaks of was durable before, so that no power cut leaves a record ahead of its file.
  private func write(_ memory: Memory, _ key: RecordKey) {
    if let forged = read(key).forged, !file.putAside(forged) { return }
    var bytes = Self.magic
    memory.epoch.appendLittleEndian(to: &bytes)
    memory.generation.appendLittleEndian(to: &bytes)
    memory.head.append(to: &bytes)
    file.write(key.sealed(bytes, at: place))
  }
}

/// What this machine remembers of the vault, and of its place.
extension VaultFile {
  /// Compares what was opened with what is remembered, and remembers it.
  ///
  /// - Throws: ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked``.
  func judge(_ unlocked: Unlocked) throws(VaultError) {
    let key = try unlocked.requireRecordKey()
    let ident = unlocked.keys.ident
    try seen.judge(unlocked.head, tag: unlocked.headTag, epoch: ident.epoch, key)
    // Only who could open it says which vault lies here.
    guard !isPlaceConfirmed else { return }
    isPlaceConfirmed = true
    place.confirm(ident.vaultID, key)
  }

  /// The records that speak of this vault here and do not verify, in the state folder or put aside there.
  func unverifiedRecords() throws(VaultError) -> [String] {
    let key = try requireUnlocked().requireRecordKey()
    return seen.unverified(key) + place.unverified(ident.vaultID, key)
  }
}
