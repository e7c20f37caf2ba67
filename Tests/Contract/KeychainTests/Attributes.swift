import CVault
import Testing
import VaultC

/// A list of attributes, as a C program makes one.
struct Attributes {
  private var values: [(tag: Int, value: [UInt8])] = []

  init(_ values: (Int, [UInt8])...) {
    self.values = values
  }

  init(_ tag: Int, _ text: String) {
    values = [(tag, Array(text.utf8))]
  }

  init(_ tag: Int, number: UInt32) {
    values = [(tag, number.bytes)]
  }

  /// Calls `body` with the list, which is valid until it returns.
  func withList<R>(_ body: (UnsafeMutablePointer<VaultAttributeList>) -> R) -> R {
    // Each block is freed after the call, and as long as what is copied into it.
    let array = UnsafeMutablePointer<VaultAttribute>.allocate(capacity: max(values.count, 1))
    for (index, (tag, value)) in values.enumerated() {
      let block = UnsafeMutableRawPointer.allocate(byteCount: max(value.count, 1), alignment: 1)
      unsafe block.copyMemory(from: value, byteCount: value.count)
      unsafe array[index] = VaultAttribute(
        tag: VaultItemAttr(tag), length: UInt32(value.count), data: block)
    }
    defer {
      for index in values.indices { unsafe array[index].data?.deallocate() }
      unsafe array.deallocate()
    }
    var list = unsafe VaultAttributeList(count: UInt32(values.count), attr: array)
    return unsafe withUnsafeMutablePointer(to: &list) { unsafe body($0) }
  }

  /// Changes an item, and its secret if one is given.
  func modify(_ item: Reference, secret: [UInt8]? = nil, unsetting: Bool = false) -> Int {
    let count = UInt32(secret?.count ?? 0)
    // The list and the secret are valid during the call.
    return unsafe withList { list in
      unsafe Int(
        unsetting
          ? VaultItemModifyAttributesAndData(item.pointer, list, count, secret)
          : VaultItemModifyContent(item.pointer, list, count, secret))
    }
  }

  /// Begins a search.
  func search(_ vaults: Reference) -> (status: Int, search: Reference) {
    // The list is valid during the call, and the place is this function's own.
    unsafe withList { list in
      var search: VaultSearchRef?
      let status = unsafe VaultSearchCreateFromAttributes(
        vaults.raw, VaultItemClass(kVaultInternetPasswordItemClass), list, &search)
      return unsafe (Int(status), Reference(search))
    }
  }

  /// Returns the servers of a search's results, in its order.
  func servers(in vaults: Reference) throws -> [String] {
    let (status, search) = search(vaults)
    try #require(status == errVaultSuccess)
    defer { search.release() }
    var servers: [String] = []
    while true {
      let (status, item) = next(search)
      guard status == errVaultSuccess else { return servers }
      servers.append(try copied(kVaultServerItemAttr, of: item).text)
      item.release()
    }
  }
}

/// Returns the next item of a search.
func next(_ search: Reference) -> (status: Int, item: Reference) {
  var item: VaultItemRef?
  // The place is this function's own.
  let status = unsafe VaultSearchCopyNext(search.pointer, &item)
  return unsafe (Int(status), Reference(item))
}

/// An attribute as it was copied; NULL is nil.
struct Copied: Equatable {
  let length: UInt32
  let bytes: [UInt8]?

  var text: String { String(decoding: bytes ?? [], as: UTF8.self) }
}

/// Copies one attribute of an item, and gives it back.
func copied(_ tag: Int, of item: Reference) throws -> Copied {
  let (status, copies) = copy([tag], of: item)
  try #require(status == errVaultSuccess)
  return try #require(copies.first)
}

/// Copies attributes of an item, and gives them back.
func copy(_ tags: [Int], of item: Reference) -> (status: Int, copies: [Copied]) {
  let array = UnsafeMutablePointer<VaultAttribute>.allocate(capacity: tags.count)
  for (index, tag) in tags.enumerated() {
    unsafe array[index] = VaultAttribute(tag: VaultItemAttr(tag), length: 77, data: nil)
  }
  // The array is as long as the tags, freed after the calls, and what was copied is as long as it
  // says.
  var list = unsafe VaultAttributeList(count: UInt32(tags.count), attr: array)
  let status = unsafe VaultItemCopyContent(item.pointer, nil, &list, nil, nil)
  var copies: [Copied] = []
  for index in tags.indices {
    let length = unsafe array[index].length
    let bytes = unsafe array[index].data.map {
      unsafe Array(UnsafeRawBufferPointer(start: $0, count: Int(length)))
    }
    copies.append(Copied(length: length, bytes: bytes))
  }
  _ = unsafe VaultItemFreeContent(&list, nil)
  unsafe array.deallocate()
  return (Int(status), copies)
}

/// Copies the secret of an item, and gives it back.
func secret(of item: Reference) -> (status: Int, secret: [UInt8]?) {
  var length: UInt32 = 0
  var data: UnsafeMutableRawPointer?
  // The places are this function's own.
  let status = unsafe VaultItemCopyContent(item.pointer, nil, nil, &length, &data)
  return unsafe (Int(status), take(data, length))
}

extension FixedWidthInteger {
  /// The number's bytes in the machine's order.
  var bytes: [UInt8] {
    // A view of the number's own bytes, copied while it is valid.
    unsafe withUnsafeBytes(of: self) { unsafe Array($0) }
  }
}
