import VaultReports
import SealedTree
import SecureMemory
import VaultCrypto
package import VaultModel

/// The items of a sealed file within one write transaction.
package final class FileTransaction: StoreTransaction {
  let editor: TreeEditor
  var keys: EpochKeys { editor.keys }
  /// The time of everything in this transaction: the vault's time.
  package private(set) lazy var now = editor.clock.now()

  /// The known policy; nil until it is read, and after a change.
  var knownPolicy: PersistencePolicy?

  /// Creates a transaction.
  ///
  /// - Parameters:
  ///   - editor: The editor with the changes.
  ///   - policy: The file's policy before them, if it is known.
  ///   - isObserved: Whether events are wanted, since creating one costs more than recording a
  ///     change.
  init(_ editor: TreeEditor, policy: PersistencePolicy? = nil, isObserved: Bool = false) {
    self.editor = editor
    knownPolicy = policy
    self.isObserved = isObserved
  }

  /// The changes for the log.
  var draft = LogDraft()
  let author = LogAuthor.current

  // MARK: Events

  private let isObserved: Bool
  /// The events to post if the transaction is committed, in the order of the changes.
  private(set) var events: [VaultEvent] = []

  /// Records a change; `event` is evaluated only if there may be observers.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    if isObserved { events.append(event()) }
  }

  /// Makes changes without individual events.
  package func quietly<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    let noted = events
    defer { events = noted }
    return try body()
  }

  /// The generation that this transaction will commit.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if there is none.
  var revision: UInt64 { get throws(VaultError) { try editor.nextGeneration } }

  // MARK: Finding

  /// Returns the items that match, in the query's order; expired ones without their secrets.
  package func find(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    try editor.items(matching: query) { (record) throws(VaultError) in
      withSecrets && !record.item.isExpired(by: editor.clock) ? try opened(record) : record.item
    }
  }

  package func stored(_ query: ItemQuery) throws(VaultError) -> [Item] {
    try find(query, withSecrets: false)
  }

  /// Returns the item with an id, without its secret.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``.
  package func item(_ id: ItemID, hint: Item.Key) throws(VaultError) -> Item {
    try record(id, hint: hint).item
  }

  func record(_ id: ItemID, hint: Item.Key) throws(VaultError) -> ItemRecord {
    guard let record = try editor.item(id, hint: hint) else {
      throw VaultError(.itemNotFound, "no item has the id \(id)")
    }
    return record
  }

  func opened(_ record: ItemRecord) throws(VaultError) -> Item {
    guard let large = record.largeSecret else { return try editor.base.opened(record) }
    return try editor.base.opened(record, secret: editor.secret(large))
  }

  // MARK: Changing

  /// Adds an item; an item from a store is a copy, and gets a new id.
  ///
  /// - Throws: ``VaultError/Code/duplicateItem`` with the item that has the same key.
  package func add(_ item: Item) throws(VaultError) -> Item {
    var item = item
    try item.validate()
    item.becomeNew(at: now)
    try insert(&item)
    try log(.added, item)
    note(.added(VaultEvent.Subject(item)))
    return item
  }

  /// Changes the named attributes of an item; the others are kept.
  ///
  /// - Throws: As ``StoreTransaction/modify(_:hint:_:revision:place:)``.
  package func modify(
    _ id: ItemID, hint: Item.Key, _ changes: [ItemChange],
    revision known: UInt64? = nil,
    place: (Item) throws(VaultError) -> Placement
  ) throws(VaultError) -> Modified {
    var record = try record(id, hint: hint)
    try record.item.require(revision: known)
    let old = record.item
    try ItemChange.validate(changes, of: old)
    let namesSecret = changes.contains { $0.attribute == .secret }
    let namesFurther = changes.contains { $0.attribute.isFurtherSecret }
    // An expired item's further secrets are kept, so all are opened.
    let before = namesSecret || namesFurther ? try opened(record) : old
    var new = before
    guard new.apply(changes) else { return Modified(item: old, isHere: true) }
    try new.validate()
    let isReplaced = namesSecret && !new.hasSameSecret(as: before)
    var back: PreviousRecord?
    if isReplaced {
      back = try new.storedSecret.flatMap { (secret) throws(VaultError) in
        try previous(of: old, sameAs: secret)
      }
      new.secretChanged = back?.set ?? now
      if let back, !changes.contains(where: \.isOfExpiry) {
        new.expires = Timestamp.earliest(new.expires, back.expires)
      }
    }
    new.modified = max(now, old.modified)
    new.revision = try revision
    switch try place(new.withoutSecrets) {
    case .elsewhere:
      if !namesSecret && !namesFurther {
        let kept = try opened(record)
        new.storedSecret = kept.storedSecret
        new.takeFurtherSecrets(of: kept)
      }
      return Modified(item: new, isHere: false)
    case .here(let until): new.keptUntil = Timestamp.earliest(until, back?.keptUntil)
    }
    if new.key != old.key {
      try requireUnique(new.key, except: old, at: editor.place(of: .item(new.key)))
    }
    if isReplaced {
      try updateHistory(
        of: record, replacing: (old: before.storedSecret ?? Secret(""), back: back), key: new.key)
      try seal(new.storedSecret, into: &record)
    } else if new.key != old.key {
      try updateHistory(of: record, replacing: nil, key: new.key)
    }
    record.item = new.withoutSecrets
    if namesFurther { sealFurtherSecrets(of: new, into: &record) }
    try replace(old, with: record)
    let changed = changes.map(\.attribute).filter { attribute in
      attribute == .secret ? isReplaced : !before.hasSame(attribute, as: new)
    }
    try log(back == nil ? .modified : .reverted, record.item, changed)
    note(.modified(VaultEvent.Subject(record.item)))
    return Modified(
      item: record.item, isHere: true, isRenamed: new.key != old.key, isReplaced: isReplaced)
  }
}
