public import CVault
import Glibc
import VaultModel

/// Adds an owner of an item; the contract is in `vault.h`.
@c @implementation
public func vault_item_retain(_ item: OpaquePointer?) -> vault_status_t {
  status { () throws(VaultError) in
    guard try ItemHandle.at(item).retain() else {
      throw VaultError(.invalidArgument, "the item was released meanwhile")
    }
  }
}

/// Removes an owner of an item; the contract is in `vault.h`.
@c @implementation
public func vault_item_release(_ item: OpaquePointer?) -> vault_status_t {
  guard unsafe item != nil else { return VAULT_OK }
  return status { () throws(VaultError) in
    guard try ItemHandle.at(item).release() else {
      throw VaultError(.invalidArgument, "the item was released by its last owner")
    }
  }
}

/// Releases items and frees their array; the contract is in `vault.h`.
@c @implementation
public func vault_items_free(_ items: UnsafeMutablePointer<OpaquePointer?>?, _ count: Int) {
  guard let items = unsafe items else { return }
  // The array is one of ``ItemArray``, and so long.
  for index in 0..<max(count, 0) {
    unsafe ItemHandle.find(UnsafeRawPointer(items[index]))?.release()
  }
  unsafe free(items)
}

/// Items that are returned together, in an array of `malloc`.
enum ItemArray {
  /// Returns an array of handles for the caller.
  ///
  /// - Returns: Nil for none.
  /// - Throws: ``VaultError/Code/outOfMemory``; nothing is given out then.
  static func givenOut(
    _ items: [InternetPassword], of vault: VaultHandle
  ) throws(VaultError) -> UnsafeMutablePointer<OpaquePointer?>? {
    guard !items.isEmpty else { return nil }
    guard let block = unsafe calloc(items.count, MemoryLayout<OpaquePointer?>.stride) else {
      throw VaultError(.outOfMemory, "allocate what is given out")
    }
    // The block has room for as many pointers, and is aligned for any type.
    let array = unsafe block.bindMemory(to: OpaquePointer?.self, capacity: items.count)
    for index in items.indices {
      unsafe array[index] = ItemHandle(items[index], in: vault).givenOut()
    }
    return unsafe array
  }
}
