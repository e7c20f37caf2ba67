import CVault
import Testing
import VaultC

/// A transaction through the C interface, while its function runs.
@safe struct CTransaction {
  let handle: OpaquePointer?

  func add(_ attributes: CAttributes) throws(Failure) -> CItem {
    // The place is the initializer's; so below.
    try CItem { place in unsafe vault_transaction_add(handle, attributes.handle, 0, place) }
  }

  func upsert(_ attributes: CAttributes) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_transaction_upsert(handle, attributes.handle, 0, place) }
  }

  func find(
    _ query: CAttributes?, _ options: Int = VAULT_NO_OPTIONS
  ) throws(Failure) -> CItem {
    try CItem { place in
      unsafe vault_transaction_find(handle, query?.handle, UInt32(options), place)
    }
  }

  func findUnique(_ query: CAttributes?) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_transaction_find_unique(handle, query?.handle, 0, place) }
  }

  func findAll(_ query: CAttributes?, limit: Int = 0) throws(Failure) -> [CItem] {
    try CItem.all { items, count in
      unsafe vault_transaction_find_all(handle, query?.handle, 0, limit, items, count)
    }
  }

  func count(_ query: CAttributes?) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_transaction_count(handle, query?.handle, 0, &count))
    return count
  }

  func modify(
    _ item: CItem, _ changes: CAttributes, ifRevision revision: UInt64 = 0
  ) throws(Failure) {
    try check(unsafe vault_transaction_modify(handle, item.handle, changes.handle, revision, 0))
  }

  func remove(_ item: CItem, ifRevision revision: UInt64 = 0) throws(Failure) {
    try check(unsafe vault_transaction_remove(handle, item.handle, revision))
  }

  func removeUnique(_ query: CAttributes) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_transaction_remove_unique(handle, query.handle, 0, place) }
  }

  func removeAll(_ query: CAttributes) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_transaction_remove_all(handle, query.handle, 0, &count))
    return count
  }

  // MARK: The past

  func history(of item: CItem) throws(Failure) -> [vault_previous_secret_t] {
    var history: UnsafeMutablePointer<vault_previous_secret_t>?
    var count = -1
    // The places are this function's own, and the array is as long as is said.
    try check(unsafe vault_transaction_copy_history(handle, item.handle, &history, &count))
    defer { unsafe vault_history_free(history) }
    return unsafe Array(UnsafeBufferPointer(start: history, count: count))
  }

  func previousSecret(
    _ previous: vault_previous_secret_t, of item: CItem
  ) throws(Failure) -> String {
    var secret = unsafe vault_buffer_t()
    try check(
      unsafe vault_transaction_copy_previous_secret(
        handle, item.handle, previous.replaced, &secret))
    return unsafe secret.taken
  }

  func revert(
    _ item: CItem, to previous: vault_previous_secret_t? = nil, ifRevision revision: UInt64 = 0
  ) throws(Failure) {
    try check(
      unsafe vault_transaction_revert(handle, item.handle, previous?.replaced ?? 0, revision, 0))
  }

  func trash(
    _ query: CAttributes? = nil, _ options: Int = VAULT_NO_OPTIONS, limit: Int = 0
  ) throws(Failure) -> [CItem] {
    try CItem.all { items, count in
      unsafe vault_transaction_trash_list(
        handle, query?.handle, UInt32(options), limit, items, count)
    }
  }

  func restore(_ removed: CItem) throws(Failure) {
    try check(unsafe vault_transaction_trash_restore(handle, removed.handle))
  }

  func removeForGood(_ removed: CItem) throws(Failure) {
    try check(unsafe vault_transaction_trash_remove(handle, removed.handle))
  }

  func emptyTrash(_ query: CAttributes? = nil) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_transaction_trash_empty(handle, query?.handle, 0, &count))
    return count
  }
}

extension CVaultObject {
  /// Runs a function as one transaction; a failure in it abandons the transaction with its status.
  func transaction(_ body: @escaping (CTransaction) throws -> Void) throws(Failure) {
    final class Context {
      let body: (CTransaction) throws -> Void
      init(_ body: @escaping (CTransaction) throws -> Void) { self.body = body }
    }
    let context = Context(body)
    let status = withExtendedLifetime(context) {
      // The object lives until the call returns, and nobody else gets the pointer.
      unsafe vault_transaction(
        handle,
        { transaction, context in
          guard let context = unsafe context else { return VAULT_INTERNAL_ERROR }
          do {
            try unsafe Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().body(
              CTransaction(handle: transaction))
            return VAULT_OK
          } catch {
            return (error as? Failure)?.status ?? VAULT_INTERNAL_ERROR
          }
        }, Unmanaged.passUnretained(context).toOpaque())
    }
    try check(status)
  }
}
