package import VaultReports
import SealedTree
package import VaultCrypto
package import VaultModel

/// Creating a new vault from the intact parts of another one.
package enum Salvage {
  /// Copies everything intact from a vault into a new one.
  ///
  /// The vault itself is only read, and nobody can write to it meanwhile. The new one has another
  /// id, the epoch 1 and one slot; ids, dates and revisions of items stay. After a kill, it is
  /// complete or absent.
  ///
  /// `Documentation/format.md` §9.3 says how much of the vault is kept in memory: places of its
  /// rows and records, never their contents.
  ///
  /// - Parameters:
  ///   - path: A vault, damaged or not.
  ///   - target: The path of the new vault, which must not exist.
  ///   - key: The key that opens one slot of the vault, and becomes the key of the new one.
  ///   - cost: The cost of the new slot, if it is for a passphrase.
  ///   - stateFolder: The folder that records which vault belongs to a path.
  ///   - acceptingAnotherVault: Whether the vault may differ from the one recorded for the path.
  ///   - progress: Called with the share that is done, 0 to 1.
  /// - Returns: The saved and the lost parts.
  /// - Throws: ``VaultError/Code/authenticationFailed``; ``VaultError/Code/damaged`` if ident or
  ///   slots are lost; ``VaultError/Code/cannotCreate``; ``VaultError/Code/anotherVault``; as
  ///   ``RawRows`` and ``VaultFile`` say.
  package static func run(
    from path: VaultPath, to target: VaultPath, key: UnlockKey, cost: PassphraseCost,
    stateFolder: String? = nil, acceptingAnotherVault: Bool = false,
    progress: @escaping (Double) -> Void = { _ in }
  ) throws(VaultError) -> SalvageReport {
    guard try Posix.information(target.path) == nil else {
      throw VaultError(.cannotCreate, "\(target.path) exists already")
    }
    let rows = try RawRows(of: path)
    let old = try rows.keys(for: key)
    if !acceptingAnotherVault {
      try PlaceRecord(folder: stateFolder, at: path.path).check(old.keys.ident.vaultID)
    }
    let salvager = try Salvager(rows, old.keys) { progress($0 * 0.4) }
    let chain = MigrationChain.current
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: VaultID()))
    let slot = try Slot(for: key, kind: old.slot.kind, to: keys, id: 1, name: "", cost: cost)
    let recordKey = RecordKey()
    try VaultFile.create(
      target, keys: keys, slots: [slot], recordKey: recordKey, chain: chain,
      filling: { (connection, head) throws(VaultError) in
        try fill(connection, &head, from: salvager, keys) { progress(0.4 + $0 * 0.3) }
      },
      checking: { (file) throws(VaultError) in
        let found = try file.verify { progress(0.7 + $0 * 0.3) }
        guard let problem = found.problems.first else { return }
        throw VaultError(.internalError, "the new vault does not verify: \(problem)")
      })
    PlaceRecord(folder: stateFolder, at: target.path).confirm(keys.ident.vaultID, recordKey)
    return salvager.report
  }

  private static func fill(
    _ connection: Connection, _ head: inout Head, from salvager: Salvager, _ new: EpochKeys,
    _ progress: (Double) -> Void
  ) throws(VaultError) {
    head.historyLimit = salvager.head?.historyLimit ?? head.historyLimit
    head.trashDays = salvager.head?.trashDays ?? head.trashDays
    head.keepsForPrograms = salvager.head?.keepsForPrograms ?? head.keepsForPrograms
    head.logDays = salvager.head?.logDays ?? head.logDays
    head.mostRemembered = salvager.head?.mostRemembered
    // A revision is the generation of a write, so the next one must be higher than all.
    head.generation = max(head.generation, salvager.revision)
    // An expired item must not be revived by a clock that was set back.
    head.committed = max(
      head.committed, salvager.head?.committed ?? head.committed, salvager.modified)
    var moved = head
    let resealer = Resealer(old: salvager.keys, new: new) { (large) throws(VaultError) in
      let secret = try Salvager.largeSecret(large, salvager.rows, salvager.keys)
      let id = try moved.takeLargeSecret()
      let sealed = new.seal(secret, id: id)
      try connection.put(sealed, under: id)
      return ItemRecord.LargeSecret(id: id, tag: Tag(ofSealed: sealed), count: large.count)
    }
    let owner = TreeBuilder.Owner(
      look: { (number) throws(VaultError) in try record(number, of: salvager) },
      take: { (number) throws(VaultError) in
        var record = try record(number, of: salvager)
        try resealer.reseal(&record)
        return record
      })
    let builder = TreeBuilder(
      keys: new, nextTree: head.nextTree, rows: connection, owner: owner)
    for (number, saved) in salvager.saved.enumerated() {
      let bytes = try record(number, of: salvager)
      let host = try Route.host(kind: saved.kind, bytes, Salvager.body(bytes))
      builder.add(number: number, kind: saved.kind, count: bytes.count, host: host)
    }
    let total = Double(max(1, salvager.saved.count))
    var written = 0
    head.directory = try builder.write { count in
      written += count
      progress(min(1, Double(written) / total))
    }
    head.nextTree = builder.nextTree
    head.nextLargeSecret = moved.nextLargeSecret
    head.itemCount = builder.itemCount
  }

  /// Returns a record for lookup: a previous secret with the current key of its item.
  private static func record(
    _ number: Int, of salvager: Salvager
  ) throws(VaultError) -> [UInt8] {
    let bytes = try salvager.record(salvager.saved[number])
    guard let owner = salvager.owners[number] else { return bytes }
    let item = try salvager.record(salvager.saved[owner])
    var previous = try PreviousRecord(decoding: bytes, Salvager.body(bytes))
    previous.key = try ItemRecord(decoding: item, Salvager.body(item)).item.key
    return Record(kind: RecordKind.previousSecret, body: previous.encoded).encoded
  }
}
