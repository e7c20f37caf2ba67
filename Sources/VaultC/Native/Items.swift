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
  // The array is one of ``GivenArray``, and so long.
  for index in 0..<max(count, 0) {
    unsafe ItemHandle.find(UnsafeRawPointer(items[index]))?.release()
  }
  unsafe free(items)
}

/// Changes an item and writes a handle to the caller's place, if there is one.
func giveOutIfWanted(
  at item: UnsafeMutablePointer<OpaquePointer?>?,
  _ change: () throws(VaultError) -> (ItemHandle.Content, VaultHandle)
) -> vault_status_t {
  status { () throws(VaultError) in
    let (content, vault) = try change()
    // A place that the caller may give is written only once there is a handle.
    if let place = unsafe item {
      unsafe place.pointee = ItemHandle(content, in: vault).givenOut()
    }
  }
}

/// Finds items and writes an array of handles, and their number, to the caller's places.
func giveOut(
  at items: UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>?,
  _ count: UnsafeMutablePointer<Int>?,
  _ find: () throws(VaultError) -> ([ItemHandle.Content], VaultHandle)
) -> vault_status_t {
  status { () throws(VaultError) in
    // The caller's places, which are written only once there is an array.
    let place = try unsafe required(items)
    let countPlace = try unsafe required(count)
    let (found, vault) = try find()
    unsafe place.pointee = try GivenArray.of(found) { unsafe ItemHandle($0, in: vault).givenOut() }
    unsafe countPlace.pointee = found.count
  }
}

/// Values that are returned together, in a block of `malloc`.
enum GivenArray {
  /// Returns an array for the caller.
  ///
  /// - Returns: Nil for none.
  /// - Throws: ``VaultError/Code/outOfMemory``; nothing is given out then.
  static func of<Value, Given>(
    _ values: [Value], _ give: (Value) -> Given
  ) throws(VaultError) -> UnsafeMutablePointer<Given>? {
    guard !values.isEmpty else { return nil }
    guard let block = unsafe calloc(values.count, MemoryLayout<Given>.stride) else {
      throw VaultError(.outOfMemory, "allocate what is given out")
    }
    // The block has room for as many values, and is aligned for any type.
    let array = unsafe block.bindMemory(to: Given.self, capacity: values.count)
    for index in values.indices {
      // Each place is initialized once.
      unsafe (array + index).initialize(to: give(values[index]))
    }
    return unsafe array
  }
}
