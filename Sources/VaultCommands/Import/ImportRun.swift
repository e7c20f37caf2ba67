import CredentialVault
import Interchange
import SecureMemory
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
  /// The time until which the policy keeps the items of the present entry, and the reason why it
  /// refused one of them.
  private var (keptUntil, refusal): (Timestamp?, String?) = (nil, nil)
  /// The hashes of the keys of generic passwords that were read.
  private var taken: Set<Int> = []

  /// The most items of one place that keep-both makes.
  private static let mostCopies = 100
  /// The most generic passwords of one name, besides those with the same secret.
  private static let mostOfOneName = 1000

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
      (keptUntil, refusal) = (nil, nil)
      for item in items { try take(item, entry, transaction) }
      for var item in entry.further {
        // They are secrets of the same login, which the policy knows by its host.
        guard refusal == nil else {
          try reject(entry.ofFurtherSecrets, item.key, refusal ?? "")
          continue
        }
        item.keptUntil = keptUntil
        try take(item, entry.ofFurtherSecrets, transaction)
      }
    }
  }

  private mutating func take(
    _ item: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    do throws(VaultError) {
      try store(item, entry, transaction)
    } catch {
      if error.code == .policyRefused { refusal = error.text }
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
    if isExact || item.key.itemClass != .genericPassword {
      return try storeOnce(item, entry, transaction)
    }
    // Its service is mostly a title, and two entries of one title are two.
    var numbered = item
    for number in 1...Self.mostOfOneName {
      if number > 1 { numbered.key.service = "\(item.key.service) \(number)" }
      if take(numbered.key) { return try storeOnce(numbered, entry, transaction) }
      let known = try transaction.findAll(ItemQuery(key: numbered.key), withSecrets: true).first
      guard let known, !known.hasSameSecret(as: item) else {
        return try storeOnce(numbered, entry, transaction)
      }
    }
    try reject(entry, item.key, "\(Self.mostOfOneName) entries before it have this name")
  }

  private mutating func storeOnce(
    _ item: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    switch try transaction.addImported(item, isExact: isExact) {
    case .added(let added):
      try add(added, noteEnd(of: added, entry), .new, transaction)
    case .taken(let known) where entry.removed != nil:
      try report.add(
        entry, .differs, known.key, reason: "it was in the trash, and another item is there now")
    case .taken(let known):
      try store(item, instead: known, noteEnd(of: known, entry), transaction)
    }
  }

  /// Notes until when the policy keeps an item, if that is before the others of its entry, and
  /// returns the entry with the remark that it ends.
  private mutating func noteEnd(of item: Item, _ entry: Entry) -> Entry {
    guard let end = item.keptUntil else { return entry }
    keptUntil = min(keptUntil ?? end, end)
    var entry = entry
    entry.remarks[.keptForATime] = []
    return entry
  }

  /// Notes the key of a generic password, and returns whether no entry before had it.
  private mutating func take(_ key: Item.Key) -> Bool {
    var hasher = Hasher()
    hasher.combine(key)
    return taken.insert(hasher.finalize()).inserted
  }

  private mutating func add(
    _ added: Item, _ entry: Entry, _ result: ImportReport.Result,
    _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    revision = added.revision
    // A default that the space already has stays.
    if entry.isDefault, let space = added.space, try transaction.defaultUser(for: space) == nil {
      try transaction.setDefaultUser(added.account, for: space)
    }
    let entry = try addHistory(of: entry, to: added, transaction)
    if let removed = entry.removed { try transaction.remove(added, at: removed) }
    try report.add(entry, result, added.key)
  }

  /// Adds an entry's previous secrets to an item, and returns the entry with those that the vault
  /// does not keep as left out.
  private func addHistory(
    of entry: Entry, to item: Item, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) -> Entry {
    let count = try transaction.addAll(entry.previous, to: item).count
    guard count > 0 else { return entry }
    var entry = entry
    entry.remarks[.previousSecret, default: []].append("\(count)")
    return entry
  }

  /// Takes an entry whose place has an item.
  private mutating func store(
    _ item: Item, instead known: Item, _ entry: Entry, _ transaction: borrowing Vault.Writer
  ) throws(VaultError) {
    let isSame = known.hasSameSecret(as: item)
    let isOfThisFile = known.revision == revision
    let lacks = isSame ? item.parts(missingFrom: known) : []
    if choice == .update {
      let stored = try transaction.modify(known, item.changes(of: known)).kept(in: nil)
      let hadAll = try transaction.missing(entry.previous, in: stored.item).isEmpty
      let isUnchanged = stored.item.revision == known.revision && hadAll
      return try add(stored.item, entry, isUnchanged ? .identical : .updated, transaction)
    }
    if isSame, !lacks.isEmpty, isOfThisFile, let changes = item.additions(to: known) {
      // Two entries for one password: the item gets what the second has beside it.
      let stored = try transaction.modify(known, changes).kept(in: nil)
      return try add(stored.item, entry, .updated, transaction)
    }
    let missing = isSame ? try transaction.missing(entry.previous, in: known) : []
    if isSame, lacks.isEmpty {
      guard !missing.isEmpty else { return try report.add(entry, .identical, known.key) }
      if isOfThisFile { return try add(known, entry, .updated, transaction) }
    }
    let parts = lacks + (missing.isEmpty ? [] : ["previous secrets"])
    let difference =
      isSame ? "the item that is there lacks: \(parts.joined(separator: ", "))" : ""
    switch choice {
    case .fail:
      try reject(
        entry, known.key,
        isSame
          ? difference
          : isOfThisFile
            ? "an earlier entry for the same place has another password"
            : "the item that is there has another password")
    case .keepBoth: try keepBoth(item, entry, transaction)
    case .skip, .update:
      let reason =
        isOfThisFile
        ? "an earlier entry is for the same place; --on-conflict keep-both takes both"
        : "kept as it was; --on-conflict update takes this one"
      try report.add(
        entry, .differs, known.key, reason: isSame ? "\(difference); \(reason)" : reason)
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
      case .added(let added): return try add(added, entry, .keptBoth, transaction)
      case .taken(let earlier)
      where earlier.hasSameSecret(as: item) && item.parts(missingFrom: earlier).isEmpty:
        guard try transaction.missing(entry.previous, in: earlier).isEmpty else { continue }
        return try report.add(entry, .identical, earlier.key)
      case .taken: continue
      }
    }
    try reject(entry, item.key, "\(Self.mostCopies) items were imported for this place before")
  }
}
