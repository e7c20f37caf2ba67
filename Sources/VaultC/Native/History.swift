public import CVault
import CredentialVault
import Glibc
import KeychainServices
import SecureMemory
import VaultModel

// Each pointer is what `vault.h` says of it; it is checked for NULL, and not kept. Places are
// written last.

/// Lists the previous secrets of an item; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_history(
  _ item: OpaquePointer?,
  _ history: UnsafeMutablePointer<UnsafeMutablePointer<vault_previous_secret_t>?>?,
  _ count: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(history)
    let countPlace = try unsafe required(count)
    let entries = try handle.scope.perform { (verbs) throws(VaultError) in
      try verbs.history(of: handle.item, withSecrets: false)
    }
    unsafe place.pointee = try GivenArray.of(entries) { vault_previous_secret_t($0) }
    unsafe countPlace.pointee = entries.count
  }
}

/// Frees the array of a history; the contract is in `vault.h`.
@c @implementation
public func vault_history_free(_ history: UnsafeMutablePointer<vault_previous_secret_t>?) {
  // The array is one of ``GivenArray``, or NULL.
  unsafe free(history)
}

/// Copies a previous secret; the contract is in `vault.h`.
@c @implementation
public func vault_item_copy_previous_secret(
  _ item: OpaquePointer?, _ replaced: UInt64, _ secret: UnsafeMutablePointer<vault_buffer_t>?
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let place = try unsafe required(secret)
    let previous = try handle.scope.perform { (verbs) throws(VaultError) in
      let item = handle.item
      return try verbs.previousSecret(verbs.previous(replaced, of: item), of: item)
    }
    unsafe place.pointee = try previous.copied()
  }
}

/// Restores a previous secret; the contract is in `vault.h`.
@c @implementation
public func vault_revert(
  _ item: OpaquePointer?, _ replaced: UInt64, _ if_revision: UInt64, _ options: vault_options_t
) -> vault_status_t {
  status { () throws(VaultError) in
    let handle = try ItemHandle.at(item)
    let options = try Options(options, among: .storing)
    try handle.changeInScope { (content, verbs) throws(VaultError) in
      let previous = replaced == 0 ? nil : try verbs.previous(replaced, of: content.item)
      let reverted = try verbs.revert(
        content.item, to: previous, ifRevision: .known(if_revision),
        afterAcceptance: options.contains(.accepted))
      try reverted.requireKept()
      content.became(reverted)
    }
  }
}

/// Returns the number of previous secrets that are kept; the contract is in `vault.h`.
@c @implementation
public func vault_get_history_limit(
  _ vault: OpaquePointer?, _ limit: UnsafeMutablePointer<Int>?
) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in
    let place = try unsafe required(limit)
    unsafe place.pointee = try verbs.historyLimit
  }
}

/// Sets the number of previous secrets that are kept; the contract is in `vault.h`.
@c @implementation
public func vault_set_history_limit(_ vault: OpaquePointer?, _ limit: Int) -> vault_status_t {
  status(in: vault) { (verbs) throws(VaultError) in try verbs.setHistoryLimit(limit) }
}

extension ItemVerbs where Self: ~Copyable {
  /// Returns the previous secret of an item that was replaced at a time.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is none.
  fileprivate func previous(
    _ replaced: UInt64, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    let entries = try history(of: item, withSecrets: false)
    guard let previous = entries.first(where: { $0.replaced.unsigned == replaced }) else {
      throw VaultError(.itemNotFound, "the item \(item.id) has no such previous secret")
    }
    return previous
  }
}

extension PreviousSecret {
  /// Copies the secret for a caller, who frees it.
  ///
  /// - Throws: ``VaultError/Code/expired`` if it was not opened.
  func copied() throws(VaultError) -> vault_buffer_t {
    guard let secret else { throw VaultError(.expired, "the previous secret has expired") }
    // The buffer has a copy of its own.
    return try unsafe vault_buffer_t(copying: secret)
  }
}

extension vault_previous_secret_t {
  init(_ previous: PreviousSecret) {
    self.init(
      replaced: previous.replaced.unsigned, set: previous.set.unsigned,
      expires: previous.expires?.unsigned ?? 0, kept_until: previous.keptUntil?.unsigned ?? 0,
      secret_kind: UInt64(previous.kind.rawValue))
  }
}
