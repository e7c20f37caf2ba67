package import VaultCrypto
package import VaultModel

/// A new vault from what can still be opened of another one.
package enum Salvage {
  /// Writes what is left of a vault into a new one.
  ///
  /// The vault itself is only read. The new one has another id, the epoch 1 and one slot; ids, dates and
  /// revisions of items stay. A kill leaves it whole or absent.
  ///
  /// - Parameters:
  ///   - path: A vault, damaged or not, that this process does not have open.
  ///   - target: Where nothing lies yet.
  ///   - key: Opens one slot of the vault, and is the key of the new one.
  ///   - cost: Of the new slot, if it is for a passphrase.
  ///   - stateFolder: Where it is remembered which vault lies at a path.
  ///   - acceptsAnother: Whether it may be another vault than the one that is remembered at the path.
  /// - Returns: What was saved and what was not.
  /// - Throws: ``VaultError/Code/authenticationFailed``; ``VaultError/Code/damaged`` if ident or slots are
  ///   lost; ``VaultError/Code/cannotCreate``; ``VaultError/Code/anotherVault``; as ``Wreck`` and ``VaultFile`` say.
  package static func run(
    from path: VaultPath, to target: VaultPath, key: UnlockKey, cost: PassphraseCost,
    stateFolder: String? = nil, acceptsAnother: Bool = false
  ) throws(VaultError) -> SalvageReport {
    guard try Posix.information(target.path) == nil else {
      throw VaultError(.cannotCreate, "there is something at \(target.path) already")
    }
    let wreck = try Wreck(of: path)
    let old = try wreck.keys(for: key)
    if !acceptsAnother {
      try PlaceRecord(folder: stateFolder, at: path.path).check(old.ident.vaultID)
    }
    let salvager = try Salvager(wreck, old)
    let chain = MigrationChain.current
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: VaultID()))
    let slot = try Slot(for: key, to: keys, id: 1, name: "", cost: cost)
    var report = SalvageReport()
    report.problems = salvager.problems
    let recordKey = RecordKey()
    try VaultFile.create(target, keys: keys, slots: [slot], recordKey: recordKey, chain: chain) {
      (connection, head) throws(VaultError) in
      try fill(connection, &head, from: salvager, keys, &report)
    }
    PlaceRecord(folder: stateFolder, at: target.path).confirm(keys.ident.vaultID, recordKey)
    conclude(&report, salvager)
    return report
  }

  private static func fill(
    _ connection: Connection, _ head: inout Head, from salvager: Salvager, _ new: EpochKeys,
    _ report: inout SalvageReport
  ) throws(VaultError) {
    let builder = TreeBuilder(keys: new, nextTree: head.nextTree, connection: connection)
    var nextLargeSecret = head.nextLargeSecret
    let resealer = Resealer(old: salvager.keys, new: new) { (large) throws(VaultError) in
      guard let sealed = salvager.wreck.row(large.id, large.tag) else {
        throw VaultError(.damaged, "the row of its secret is lost")
      }
      let secret = try salvager.keys.openLargeSecret(
        sealed, id: large.id, count: Int(large.count))
      let id = NodeID.firstLargeSecret + nextLargeSecret
      nextLargeSecret += 1
      let renewed = new.seal(secret, id: id)
      try connection.run(.insertNode, .integer(id), .blob(renewed))
      return ItemRecord.LargeSecret(
        id: id, tag: Tag(ofSealed: renewed), count: large.count)
    }
    head.historyLimit = salvager.head?.historyLimit ?? head.historyLimit
    head.trashDays = salvager.head?.trashDays ?? head.trashDays
    // Nothing that had expired is revived by a clock that was set back.
    head.committed = max(head.committed, salvager.head?.committed ?? head.committed)
    var history = SalvagedHistory(limit: Int(head.historyLimit))
    for saved in salvager.saved {
      var content = saved.record.encoded
      do throws(VaultError) {
        if saved.record.kind == RecordKind.item, saved.item == nil {
          throw VaultError(.damaged, "an item is malformed")
        }
        if saved.record.kind == RecordKind.policyRule {
          let body = saved.record.body
          let rule = try PolicyRuleRecord(decoding: body, 0..<body.count).rule
          if !saved.isVerified { report.problems.append(unverified(rule)) }
        }
        if saved.record.kind == RecordKind.previousSecret {
          try history.add(saved)
          continue
        }
        try resealer.reseal(&content)
        try builder.add(content)
        if saved.record.kind == RecordKind.removedItem {
          let body = saved.record.body
          history.add(try RemovedRecord(decoding: body, 0..<body.count))
        }
      } catch {
        guard [.damaged, .tooNew].contains(error.code) else { throw error }
        // An item without its secret would answer with a wrong one.
        report.lost.append(problem(of: saved, error))
        continue
      }
      guard let item = saved.item else { continue }
      history.add(item)
      head.generation = max(head.generation, item.revision)
      head.committed = max(head.committed, item.modified)
      if !saved.isVerified { report.unverified.append(item) }
    }
    for previous in history.records {
      var content = Record(kind: RecordKind.previousSecret, body: previous.encoded).encoded
      do throws(VaultError) {
        try resealer.reseal(&content)
        try builder.add(content)
      } catch {
        guard error.code == .damaged else { throw error }
        report.lost.append(VaultProblem(.record, "a previous secret: \(error.context)"))
      }
    }
    head.directory = try builder.write { _ in }
    head.nextTree = builder.nextTree
    head.nextLargeSecret = nextLargeSecret
    head.itemCount = builder.itemCount
    report.itemCount = Int(builder.itemCount)
  }

  private static func unverified(_ rule: PersistencePolicy.Rule) -> VaultProblem {
    VaultProblem(
      .record, "rule \"\(rule.name)\" of the policy may be an older one, or one that was removed")
  }

  private static func problem(of saved: Salvager.Saved, _ error: VaultError) -> VaultProblem {
    var problem = VaultProblem(
      saved.item == nil ? .record : .secret,
      saved.item == nil ? "a record: \(error.context)" : error.context)
    problem.item = saved.item?.id
    problem.server = saved.item?.server
    problem.account = saved.item?.account
    return problem
  }

  /// Tells how much is known to be missing.
  private static func conclude(_ report: inout SalvageReport, _ salvager: Salvager) {
    guard let head = salvager.head else {
      return report.lost.append(
        VaultProblem(.count, "how much is missing cannot be told, because the head is lost"))
    }
    let items =
      Int(clamping: head.itemCount) - report.itemCount - report.lost.count { $0.item != nil }
    if items > 0 {
      var problem = VaultProblem(.count, "items that were not found")
      problem.missing = items
      report.lost.append(problem)
    } else if salvager.missing > 0 {
      var problem = VaultProblem(.count, "records that were not found, and that are no items")
      problem.missing = salvager.missing
      report.lost.append(problem)
    }
  }
}
