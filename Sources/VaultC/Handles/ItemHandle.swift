import CredentialVault
import VaultModel

/// An item that a C program has found or stored, and the reference to it.
final class ItemHandle: Handle, @unchecked Sendable {
  /// The contents of an item's handle.
  struct Content: Sendable {
    /// The item as it was when it was found, stored, or changed through this handle.
    var item: InternetPassword
    /// The pending credential to confirm or reject.
    private(set) var pending: PendingCredential?
    /// Whether another item differed from the stored one only in how the port is written.
    private(set) var hasTwin = false
    /// The item to return to if the pending credential is rejected; nil if it was not stored
    /// before.
    private var before: InternetPassword?

    init(_ item: consuming InternetPassword) {
      self.item = item
    }

    /// Creates the contents for a stored item, without its secret, which is looked up on request.
    init(_ stored: StoreResult) {
      item = stored.item.withoutSecrets
      pending = stored.pending
      hasTwin = stored.twin != nil
    }

    /// Records the result of a change.
    mutating func became(_ stored: StoreResult) {
      let earlier = pending == nil ? item : before
      self = Content(stored)
      if pending != nil { before = earlier }
    }

    /// Records that the pending credential was rejected, and restores the earlier item.
    mutating func wasRejected() {
      if let before { item = before }
      (pending, before) = (nil, nil)
    }
  }

  /// The vault of the item; the item stays readable after it is closed.
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

  /// Reads a part of the contents, without a copy of the rest.
  func read<R>(_ body: (Content) throws(VaultError) -> R) throws(VaultError) -> R {
    try content.withLock { (content) throws(VaultError) in try body(content) }
  }

  /// Runs a change of the item, one at a time; its changes to the contents are kept if it does not
  /// throw.
  func change(_ body: (inout Content) throws(VaultError) -> Void) throws(VaultError) {
    try content.withLock { (content) throws(VaultError) in
      var changed = content
      try body(&changed)
      content = changed
    }
  }
}
