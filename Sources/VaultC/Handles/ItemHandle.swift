import CredentialVault
import VaultModel

/// An item that a C program has found or stored, and the reference to it.
final class ItemHandle: Handle, @unchecked Sendable {
  /// The contents of an item's handle.
  struct Content: Sendable {
    /// The item as it was when it was found, stored, or changed through this handle.
    var item: Item
    /// The pending credential to confirm or reject.
    private(set) var pending: PendingCredential?
    /// The removal, as the trash knows it; nil if the item was not found there.
    private(set) var removal: Removal?
    /// Whether another item differed from the stored one only in how the port is written.
    private(set) var hasPortVariant = false
    /// The item to return to if the pending credential is rejected; nil if it was not stored
    /// before.
    private var before: Item?

    init(_ item: consuming Item) {
      self.item = item
    }

    /// Creates the contents for an item of the trash.
    init(_ removed: RemovedItem) {
      item = removed.item
      removal = Removal(removed: removed.removed, restorableUntil: removed.restorableUntil)
    }

    /// Creates the contents for a stored item, without its secret, which is looked up on request.
    init(_ stored: StoreResult) {
      item = stored.item.withoutSecrets
      pending = stored.pending
      hasPortVariant = stored.portVariant != nil
    }

    /// Records the result of a change.
    mutating func became(_ stored: StoreResult) {
      let earlier = pending == nil ? item : before
      self = Content(stored)
      if pending != nil { before = earlier }
    }

    /// Returns the item as the trash gave it.
    ///
    /// - Throws: ``VaultError/Code/itemNotFound`` if it was not found there.
    func removedItem() throws(VaultError) -> RemovedItem {
      guard let removal else {
        throw VaultError(.itemNotFound, "the item is not one of the trash")
      }
      return RemovedItem(
        id: RemovedItem.ID(item: item.id, removed: removal.removed), item: item,
        restorableUntil: removal.restorableUntil)
    }

    /// Records that the pending credential was rejected, and restores the earlier item.
    mutating func wasRejected() {
      if let before { item = before }
      (pending, before) = (nil, nil)
    }
  }

  /// The time at which an item of the trash was removed, and the end of the time for which it is
  /// kept.
  struct Removal: Sendable {
    let removed: Timestamp
    let restorableUntil: Timestamp
  }

  /// The contents, and how often they were replaced.
  private struct State {
    var content: Content
    var changes = 0
  }

  /// The contents before a change, by which it is undone.
  struct Undo {
    fileprivate let before: Content
    fileprivate let changes: Int
  }

  /// The vault of the item; the item stays readable after it is closed.
  let vault: VaultHandle
  private let state: Guarded<State>
  /// Held by a change: it may wait for the vault, and a transaction that has it must be able to
  /// read the contents.
  private let changing = Guarded(())

  init(_ content: consuming Content, in vault: VaultHandle) {
    self.vault = vault
    state = Guarded(State(content: content))
  }

  convenience init(_ item: consuming Item, in vault: VaultHandle) {
    self.init(Content(item), in: vault)
  }

  convenience init(_ stored: StoreResult, in vault: VaultHandle) {
    self.init(Content(stored), in: vault)
  }

  var item: Item { state.withLock { $0.content.item } }

  /// Reads a part of the contents, without a copy of the rest.
  func read<R>(_ body: (Content) throws(VaultError) -> R) throws(VaultError) -> R {
    try state.withLock { (state) throws(VaultError) in try body(state.content) }
  }

  /// Runs a change of the item, one at a time; its changes to the contents are kept if it does not
  /// throw.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` from within a transaction of the vault's file;
  ///   any error of `body`.
  func change(_ body: (inout Content) throws(VaultError) -> Void) throws(VaultError) {
    // Refused here: another thread's change may wait for the transaction, and this one for that.
    _ = try vault.vault.state()
    try changing.withLock { (_) throws(VaultError) in _ = try changeInTransaction(body) }
  }

  /// Runs a change as ``change(_:)`` does, in a transaction, which has the vault for itself:
  /// waiting here for a change that waits for the transaction would never end.
  func changeInTransaction(
    _ body: (inout Content) throws(VaultError) -> Void
  ) throws(VaultError) -> Undo {
    let before = state.withLock { $0 }
    var content = before.content
    try body(&content)
    let changes = state.withLock { state in
      // Of a change and a transaction, the one that the vault saw first may be the later one here.
      if state.changes == before.changes || !content.isOlder(than: state.content) {
        state = State(content: content, changes: state.changes + 1)
      }
      return state.changes
    }
    return Undo(before: before.content, changes: changes)
  }

  /// Undoes the last change, unless there was another one since.
  func undo(_ undo: Undo) {
    state.withLock { state in
      guard state.changes == undo.changes else { return }
      state = State(content: undo.before, changes: undo.changes - 1)
    }
  }
}

extension ItemHandle.Content {
  fileprivate func isOlder(than other: Self) -> Bool {
    item.persistence == other.item.persistence && item.revision < other.item.revision
  }
}
