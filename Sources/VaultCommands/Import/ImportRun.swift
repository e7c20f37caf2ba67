import CredentialVault
import Interchange
import VaultModel

/// One import in one transaction, with the result of each entry.
struct ImportRun {
  private(set) var report: ImportReport
  private let choice: ConflictChoice
  private let rejects: RejectFile?
  private let isStrict: Bool
  private let isExact: Bool
  /// The generation of the transaction, which the items that it adds have.
  private var revision: UInt64?

  /// The most items of one place that keep-both makes.
  private static let mostCopies = 100

  init(
    _ choice: ConflictChoice, _ rejects: RejectFile?, isStrict: Bool, isExact: Bool,
    _ listing: ImportReport.Listing
  ) {
    self.choice = choice
    self.isStrict = isStrict
    self.isExact = isExact
    self.rejects = rejects
    report = ImportReport(listing)
  }

  /// Imports all entries that are not rejected, or none.
  ///
  /// None are imported in a dry run, or if one is rejected and the run is strict.
  /// `progress` is called with the share of the file that has been read.
  ///
  /// - Throws: Any error of the source and of the vault; nothing is imported then.
  mutating func importAll(
    from source: ImportSource, into vault: Vault, isDryRun: Bool,
    _ progress: (Double) -> Void
  ) throws(VaultError) {
    var (isFirst, isUndone) = (true, false)
    do throws(VaultError) {
      try vault.writing { (transaction) throws(VaultError) in
        // The transaction starts again if the vault's file was replaced, but the source cannot.
        guard isFirst else {
          throw VaultError(.conflict, "another vault was put in this one's place: import again")
        }
        isFirst = false
        try ReadAhead.forEach(in: source) { (entry, share) throws(VaultError) in
          try take(entry, transaction)
          progress(share)
        }
        guard !isDryRun, !isStrict || report.count(.rejected) == 0 else {
          isUndone = true
          throw VaultError(.interrupted, "nothing is to be written")
        }
      }
    } catch {
      guard isUndone else { throw error }
    }
  }

  private mutating func take(
    _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    switch entry.content {
    case .rejected(let reason): try reject(entry, nil, reason)
    case .leftOut(let exclusion): try report.add(entry, .leftOut, reason: exclusion.rawValue)
    case .policy(let rules):
      guard try !transaction.setImported(rules) else { return }
      try report.add(entry, .differs, reason: "the vault has a policy of its own")
    case .items(let items):
      for item in items { try take(item, entry, transaction) }
      for item in entry.further { try take(item, entry.ofFurtherSecrets, transaction) }
    }
  }

  private mutating func take(
    _ item: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    do throws(VaultError) {
      try store(item, entry, transaction)
    } catch {
      let isOfEntry: [VaultError.Code] = [
        .policyRefused, .tooLarge, .invalidArgument, .invalidData,
      ]
      guard isOfEntry.contains(error.code) else { throw error }
      try reject(entry, item.key, error.text)
    }
  }

  private mutating func reject(
    _ entry: Entry, _ key: Item.Key?, _ reason: String
  ) throws(VaultError) {
    try report.add(entry, .rejected, key, reason: reason)
    try rejects?.write("\(entry.place): \(reason)")
  }

  private mutating func store(
    _ item: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    if !isExact { try UnknownProtocol.refuse(item.protocol) }
    if let removed = entry.removed {
      let known = try transaction.trash(ItemQuery(key: item.key))
      guard !known.contains(where: { $0.removed == removed }) else {
        return try report.add(entry, .identical, item.key)
      }
    }
    switch try transaction.addImported(item, isExact: isExact) {
    case .added(let added):
      revision = added.revision
      // A default that the space already has stays.
      if entry.isDefault, let space = added.space, try transaction.defaultUser(for: space) == nil {
        try transaction.setDefaultUser(added.account, for: space)
      }
      try transaction.addHistory(entry.previous, to: added)
      if let removed = entry.removed { try transaction.remove(added, at: removed) }
      try report.add(entry, .new, item.key)
    case .taken(let known) where entry.removed != nil:
      try report.add(
        entry, .differs, known.key, reason: "it was in the trash, and another item is there now")
    case .taken(let known):
      let isSame = known.hasSameSecret(as: item)
      let isOfThisFile = known.revision == revision
      switch choice {
      case .update:
        let stored = try transaction.modify(known, item.changes(of: known)).kept(in: nil)
        let isUnchanged = stored.item.revision == known.revision
        try report.add(entry, isUnchanged ? .identical : .updated, known.key)
      case _ where isSame: try report.add(entry, .identical, known.key)
      case .skip:
        try report.add(
          entry, .differs, known.key,
          reason: isOfThisFile
            ? "an earlier entry is for the same place"
            : "kept as it was; --on-conflict update takes this one")
      case .fail:
        try reject(
          entry, known.key,
          isOfThisFile
            ? "an earlier entry for the same place has another password"
            : "the item that is there has another password")
      case .keepBoth: try keepBoth(item, entry, transaction)
      }
    }
  }

  /// Adds an item beside the existing one at its place.
  ///
  /// It gets its own path or service. No request is below such a path, so programs still find the
  /// existing item.
  private mutating func keepBoth(
    _ item: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    for number in 1...Self.mostCopies {
      var copy = item
      let mark = number == 1 ? "(imported)" : "(imported \(number))"
      if item.key.itemClass == .genericPassword {
        copy.key.service += " \(mark)"
      } else {
        copy.path += (item.path.isEmpty || item.path.hasSuffix("/") ? "" : "/") + mark
      }
      switch try transaction.addImported(copy, isExact: isExact) {
      case .added(let added):
        revision = added.revision
        return try report.add(entry, .keptBoth, copy.key)
      case .taken(let earlier) where earlier.hasSameSecret(as: item):
        return try report.add(entry, .identical, earlier.key)
      case .taken: continue
      }
    }
    try reject(entry, item.key, "\(Self.mostCopies) items were imported for this place before")
  }
}

extension Item {
  /// Returns whether both items have the same secret, and this one no further secret less; an
  /// expired item has none.
  fileprivate func hasSameSecret(as other: Item) -> Bool {
    guard let mine = secret, let theirs = other.secret, mine.isEqual(to: theirs) else {
      return false
    }
    return furtherSecrets(differingFrom: other).allSatisfy { other[$0] == nil }
  }

  /// Returns the changes that give an item all attributes that are set here; the others are kept.
  ///
  /// A new secret also replaces the old one's expiry and refresh token.
  fileprivate func changes(of known: Item) -> [ItemChange] {
    var changes = custom.map { ItemChange.custom($0, $1) }
    for attribute in Attribute.all
    where !attribute.isOfKey && !attribute.isReadOnly && attribute != .custom {
      if let value = self[attribute] { changes.append(ItemChange(attribute, value)) }
    }
    guard !known.hasSameSecret(as: self) else { return changes }
    return changes + [
      .expires(expires), .refreshToken(refreshToken), .secretKind(secretKind),
      .certificates(certificates),
    ]
  }
}
