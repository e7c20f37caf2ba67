import CVault
import Glibc
import SecureMemory
import VaultModel

/// Copies of an item's attributes and secret for the caller, given out completely or not at all.
///
/// Copies that were not given out are freed in `deinit`.
// Proof: its blocks are its own, from ``Buffer`` to where they are given out or freed.
@safe final class KeychainCopies {
  /// The class of the item.
  let itemClass: ItemClass
  private let tags: [VaultItemAttr]
  private var values: [Copy] = unsafe []
  private var secret = unsafe Copy()

  /// A block for the caller; nil for no bytes.
  @unsafe private struct Copy {
    var bytes: UnsafeMutableRawPointer?
    var count = 0
  }

  /// Copies the attributes of some tags.
  ///
  /// - Throws: ``VaultError/Code/noSuchAttribute``; ``VaultError/Code/outOfMemory``.
  init(of item: Item, tags: [VaultItemAttr]) throws(VaultError) {
    itemClass = item.key.itemClass
    self.tags = tags
    for tag in tags {
      let value = item.keychainValue(try KeychainTag(tag, of: item.key.itemClass))
      // A view of the value's bytes; the copy is freed at the end, unless it is given out before.
      try unsafe values.append(
        Copy(bytes: value.isEmpty ? nil : Buffer.copy(value.span.bytes), count: value.count))
    }
  }

  deinit {
    // Each is a block of ``Buffer`` that nobody else has, or nil.
    for index in unsafe values.indices { unsafe wipeAndFree(values[index].bytes) }
    unsafe wipeAndFree(secret.bytes)
  }

  /// Adds a copy of a secret; nil means the empty one.
  func add(_ secret: Secret?) throws(VaultError) {
    let secret = secret ?? Secret("")
    // As in the initializer; it is added once.
    unsafe self.secret = Copy(bytes: try Buffer.copy(secret), count: secret.count)
  }

  /// Gives the attributes to the caller's array, which is as long as the tags.
  func giveAttributes(_ array: UnsafeMutablePointer<VaultAttribute>?) {
    guard let array = unsafe array else { return }
    for index in tags.indices {
      // The caller says that the array is as long, and owns the copies from here on.
      unsafe array[index].data = values[index].bytes
      unsafe array[index].length = UInt32(values[index].count)
    }
    unsafe values = []
  }

  /// Gives the attributes to the caller in a new list, which ``VaultItemFreeAttributesAndData``
  /// frees.
  ///
  /// - Throws: ``VaultError/Code/outOfMemory``, in which case nothing is given out.
  func giveList(
    _ place: UnsafeMutablePointer<UnsafeMutablePointer<VaultAttributeList>?>
  ) throws(VaultError) {
    // One block for the list, one for its array; never of no bytes, so that nil is a failure alone.
    let list = unsafe calloc(1, MemoryLayout<VaultAttributeList>.stride)
    let array = unsafe calloc(max(tags.count, 1), MemoryLayout<VaultAttribute>.stride)
    guard let list = unsafe list, let array = unsafe array else {
      unsafe free(list)
      unsafe free(array)
      throw VaultError(.outOfMemory, "allocate a list of attributes")
    }
    // Zero bytes are attributes without a value, and both blocks are aligned for anything.
    let attributes = unsafe array.bindMemory(to: VaultAttribute.self, capacity: tags.count)
    for index in tags.indices { unsafe attributes[index].tag = tags[index] }
    unsafe giveAttributes(attributes)
    unsafe place.pointee = list.bindMemory(to: VaultAttributeList.self, capacity: 1)
    unsafe place.pointee?.pointee = VaultAttributeList(count: UInt32(tags.count), attr: attributes)
  }

  /// Gives the secret to the caller, who may want only a part.
  func giveSecret(
    length: UnsafeMutablePointer<UInt32>?, bytes: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
  ) {
    // Both places are the caller's, or NULL.
    unsafe length?.pointee = UInt32(secret.count)
    guard let bytes = unsafe bytes else { return }
    unsafe bytes.pointee = secret.bytes
    unsafe secret = Copy()
  }
}
