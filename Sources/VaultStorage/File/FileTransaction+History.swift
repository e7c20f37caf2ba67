import SecureMemory
import VaultCrypto
package import VaultModel

/// The secrets that items had before.
extension FileTransaction {
  /// The secrets that an item had before, as ``CredentialStore/history(of:hint:secrets:)`` says.
  package func history(
    of id: ItemID, hint: InternetPassword.Key, secrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    let item = try record(id, hint: hint).item
    var history: [PreviousSecret] = []
    for previous in try editor.previousSecrets(of: item) {
      let isOpened = secrets && !previous.isExpired(by: editor.clock)
      history.append(previous.value(secret: isOpened ? try secret(of: previous) : nil))
    }
    return history
  }

  /// Makes a secret that is replaced the newest of its item's history, and takes the history along to another key.
  ///
  /// - Parameters:
  ///   - old: The item's record before the change; a row of its secret's own becomes the history's, or goes.
  ///   - replaced: Its secret and the one that takes its place; nil if it stays.
  ///   - key: The item's key after the change.
  /// - Throws: ``VaultError/Code/damaged`` if a previous secret that may be the new one does not open.
  func updateHistory(
    of old: ItemRecord, replacing replaced: (old: Secret, new: Secret)?,
    key: InternetPassword.Key
  ) throws(VaultError) {
    let known = try editor.previousSecrets(of: old.item)
    var history = known
    if let replaced {
      for previous in known where try isSame(previous, replaced.new) {
        history.removeAll { $0 == previous }
      }
      if replaced.old.count > 0 {
        history.insert(previous(of: old, replaced.old, newest: known.first), at: 0)
      }
      history = Array(history.prefix(historyLimit()))
      if !history.contains(where: { $0.largeSecret == old.largeSecret }) {
        discard(old.largeSecret)
      }
    }
    let isMoved = key != old.item.key
    for previous in known {
      if !history.contains(previous) { try remove(previous) } else if isMoved { try take(previous) }
    }
    for var previous in history where isMoved || !known.contains(previous) {
      previous.key = key
      try editor.insert(
        Record(kind: RecordKind.previousSecret, body: previous.encoded), at: .item(key))
    }
  }

  /// Lets the secrets that an item had before be kept no longer than `end` says of when each had been set.
  ///
  /// What is over by now goes.
  package func limitHistory(
    of item: InternetPassword, _ end: (Timestamp) -> Timestamp?
  ) throws(VaultError) {
    for previous in try editor.previousSecrets(of: item) {
      guard let end = end(previous.set), previous.keptUntil.map({ end < $0 }) ?? true else {
        continue
      }
      var shorter = previous
      shorter.keptUntil = end
      if end <= now {
        try remove(previous)
      } else {
        try take(previous)
        try editor.insert(
          Record(kind: RecordKind.previousSecret, body: shorter.encoded), at: .item(item.key))
      }
    }
  }

  /// Removes all secrets that an item had before.
  func removeHistory(of item: InternetPassword) throws(VaultError) {
    for previous in try editor.previousSecrets(of: item) { try remove(previous) }
  }

  private func previous(
    of old: ItemRecord, _ secret: Secret, newest: PreviousRecord?
  ) -> PreviousRecord {
    // Its time names it: two of one millisecond have to differ.
    let earliest = newest?.replaced.adding(milliseconds: 1) ?? now
    return PreviousRecord(
      old,
      sealedSecret: old.largeSecret == nil
        ? keys.seal(secret, use: .previousSecret, item: old.item.id) : [],
      replaced: max(now, earliest))
  }

  private func remove(_ previous: PreviousRecord) throws(VaultError) {
    try take(previous)
    discard(previous.largeSecret)
  }

  private func take(_ previous: PreviousRecord) throws(VaultError) {
    let body = previous.encoded
    let wasThere = try editor.replace(at: .item(previous.key), with: nil) {
      $0.kind == RecordKind.previousSecret && $0.body == body
    }
    guard wasThere else {
      throw VaultError(.damaged, "a previous secret lies where no lookup finds it")
    }
  }

  private func isSame(_ previous: PreviousRecord, _ secret: Secret) throws(VaultError) -> Bool {
    // To open one of another length would be for nothing.
    guard previous.secretCount == secret.count else { return false }
    return try self.secret(of: previous).isEqual(to: secret)
  }

  private func secret(of previous: PreviousRecord) throws(VaultError) -> Secret {
    if let large = previous.largeSecret { return try secret(large) }
    return try editor.base.secret(of: previous)
  }

  // MARK: How many

  /// How many previous secrets each item keeps.
  package func historyLimit() -> Int { Int(editor.head.historyLimit) }

  /// Lets each item keep so many previous secrets; those that are too many go at once, the oldest first.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` unless it is one of ``PreviousSecret/limits``.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    guard PreviousSecret.limits.contains(limit) else {
      throw VaultError(
        .invalidArgument,
        "an item keeps \(PreviousSecret.limits.lowerBound) to \(PreviousSecret.limits.upperBound) "
          + "previous secrets, not \(limit)")
    }
    let before = historyLimit()
    editor.head.historyLimit = UInt8(limit)
    guard limit < before else { return }
    for history in try editor.histories(longerThan: limit) {
      for previous in history.dropFirst(limit) { try remove(previous) }
    }
  }
}

extension FileStore {
  package func history(
    of id: ItemID, hint: InternetPassword.Key, secrets: Bool
  ) throws(VaultError) -> [PreviousSecret] {
    try locked { (file) throws(VaultError) in
      try file.read { (reader) throws(VaultError) in
        guard let item = try reader.item(id, hint: hint)?.item else {
          throw VaultError(.itemNotFound, "no item has the id \(id)")
        }
        var history: [PreviousSecret] = []
        for previous in try reader.previousSecrets(of: item) {
          let isOpened = secrets && !previous.isExpired(by: reader.clock)
          history.append(
            previous.value(secret: isOpened ? try reader.secret(of: previous) : nil))
        }
        return history
      }
    }
  }

  /// How many previous secrets each item keeps.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func historyLimit() throws(VaultError) -> Int {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in
        try Int(file.requireUnlocked().head.historyLimit)
      }
    }
  }

  /// Lets each item keep so many previous secrets, as ``FileTransaction/setHistoryLimit(_:)`` says.
  package func setHistoryLimit(_ limit: Int) throws(VaultError) {
    try write { (transaction) throws(VaultError) in try transaction.setHistoryLimit(limit) }
  }
}
