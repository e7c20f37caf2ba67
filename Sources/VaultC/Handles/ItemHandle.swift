import CredentialVault
import VaultModel

/// An item as a C program has found or stored it, and the reference to it.
final class ItemHandle: Handle, @unchecked Sendable {
  /// What the handle says of the item.
  struct Content: Sendable {
    /// As it was when it was found, stored, or changed through this handle.
    var item: InternetPassword
    /// What waits to be confirmed or rejected.
    private(set) var pending: PendingCredential?
    /// Whether another item differed from what was stored only in how the port is written.
    private(set) var hasTwin = false
    /// As it stays if what is pending is rejected; nil for what was not stored before.
    private var before: InternetPassword?

    init(_ item: consuming InternetPassword) {
      self.item = item
    }

    /// What was stored, without its secret, which is looked up when it is asked for.
    init(_ stored: StoreResult) {
      item = stored.item.withoutSecrets
      pending = stored.pending
      hasTwin = stored.twin != nil
    }

    /// Takes note of what a change made of it.
    mutating func became(_ stored: StoreResult) {
      let earlier = pending == nil ? item : before
      self = Content(stored)
      if pending != nil { before = earlier }
    }

    /// Takes note that what is pending was rejected: it is again what it was before.
    mutating func wasRejected() {
      if let before { item = before }
      (pending, before) = (nil, nil)
    }
  }

  /// Where the item is; it stays readable when this is closed.
  let vault: VaultHandle
  private let content: Guarded<Content>

  init(_ content: consuming Content, in vault: VaultHandle) {
    self.vault = vault
    self.content = Guarded(content)
  }

  convenience init(_ item: consuming InternetPassword, in vault: VaultHandle) {
    self.init(Content(item), in: vault)
  }

  convenience init(_ stored: StoreResult, in vault: VaultHandle) {
    self.init(Content(stored), in: vault)
  }

  var item: InternetPassword { content.withLock { $0.item } }

  /// Reads a part of what the handle says, without a copy of the rest.
  func read<R>(_ body: (Content) throws(VaultError) -> R) throws(VaultError) -> R {
    try content.withLock { (content) throws(VaultError) in try body(content) }
  }

  /// Runs what changes the item, one change at a time; what it leaves in the content is kept if it does not throw.
  func change(_ body: (inout Content) throws(VaultError) -> Void) throws(VaultError) {
    try content.withLock { (content) throws(VaultError) in
      var changed = content
      try body(&changed)
      content = changed
    }
  }
}
