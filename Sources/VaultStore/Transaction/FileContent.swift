package import SealedTree
package import VaultModel

/// Everything in a file that a policy applies to, without secrets.
package struct FileContent: Sendable {
  package let items: [Item]
  package let past: [PastRecord]
  package let defaults: [ProtectionSpace: String]
}

extension FileTransaction {
  /// Returns the contents of the file in the transaction.
  package func content() throws(VaultError) -> FileContent { try editor.content() }
}

extension FileStore {
  /// Returns the contents of the file.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func content() throws(VaultError) -> FileContent {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in try reader.content() }
    }
  }
}

extension BucketSource {
  fileprivate func content() throws(VaultError) -> FileContent {
    let records = try defaults(host: nil)
    return FileContent(
      items: try items(matching: .everything) { (record) in record.item },
      past: try pastRecords(),
      defaults: Dictionary(records.map { ($0.space, $0.user) }, uniquingKeysWith: { $1 }))
  }
}

/// Previous secrets and removed items.
extension FileTransaction {
  /// Returns the previous secrets and removed items of the whole file, in no order.
  package func pastRecords() throws(VaultError) -> [PastRecord] {
    try editor.pastRecords()
  }

  /// Removes one of ``pastRecords()`` with its secret; for a removed item, also its previous
  /// secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is already gone.
  package func remove(_ past: PastRecord) throws(VaultError) {
    try replace(past, with: nil)
    discard(past.largeSecret)
    guard past.kind == .removedItem else { return }
    let owner = PreviousRecord.Owner(item: past.id, removed: past.removed)
    for previous in try editor.previousSecrets(of: owner, past.key) { try remove(previous) }
  }

  /// Changes the retention of one of ``pastRecords()``.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it is already gone.
  package func keep(_ past: PastRecord, until deadline: Timestamp?) throws(VaultError) {
    let range = 0..<past.body.count
    switch past.kind {
    case .previousSecret:
      var record = try PreviousRecord(decoding: past.body, range)
      record.keptUntil = deadline
      try replace(past, with: record.encoded)
    case .removedItem:
      var removed = try RemovedRecord(decoding: past.body, range)
      removed.record.item.keptUntil = deadline
      try replace(past, with: removed.encoded)
    }
  }

  private func replace(_ past: PastRecord, with body: [UInt8]?) throws(VaultError) {
    let wasThere = try editor.replace(at: .item(past.key), with: body) {
      $0.kind == past.recordKind && $0.body == past.body
    }
    guard wasThere else {
      throw VaultError(.itemNotFound, "nothing is kept any more of the item \(past.id) as it was")
    }
  }
}

extension BucketSource {
  /// Returns the previous secrets and removed items of the whole file, in no order.
  func pastRecords() throws(VaultError) -> [PastRecord] {
    var found: [PastRecord] = []
    try visitAll { (kind, bytes, body) throws(VaultError) in
      if let past = try PastRecord(kind: kind, bytes, body) { found.append(past) }
    }
    return found
  }
}
