import CVault
import CredentialVault
import VaultModel

/// The keychain-shaped C interface.
///
/// Its functions store permanently only, so items for the session are added by Swift and found
/// here. Safe: the handle is the driver's until it goes, and every function looks handles up before
/// it uses them.
@safe final class KeychainDriver: Driver {
  let place: VaultPlace
  let store: Store
  /// Used only while the driver lives.
  private(set) var vault: OpaquePointer?

  init(_ store: Store) throws {
    place = try VaultPlace()
    self.store = store
    // The path is a C string during the call, and `vault` is set before anything reads it.
    unsafe vault = nil
    try check(unsafe vault_open_locked(place.path, &vault))
  }

  deinit { unsafe VaultRelease(UnsafeRawPointer(vault)) }

  /// An item whose handle is released with this.
  @safe final class ItemReference: HandleReference {
    deinit { unsafe VaultItemRelease(handle) }
  }

  /// Adds the attributes of the key, and then changes the item to have the rest, as programs in C
  /// do.
  @discardableResult
  func add(_ attributes: Attributes, secret: String) throws -> Reference {
    guard store == .file else {
      let item = try Item(attributes.withUnsetMethod, secret: secret)
      try place.vault.add(item, persistence: .session)
      // Every part of the key is named, unset parts too, so that no other item matches.
      return try search(
        Attributes(uniqueKeysWithValues: Attribute.key.map { ($0, attributes[$0] ?? "") })
      ).next()
    }
    let key = Key(attributes)
    var item: OpaquePointer?
    // All texts are valid during the call, each with its length.
    try check(
      unsafe VaultAddInternetPassword(
        vault, key.server.count, key.server.text, key.realm.count, key.realm.text,
        key.account.count, key.account.text, key.path.count, key.path.text, key.port, key.protocol,
        key.method, UInt32(secret.utf8.count), secret, &item))
    let added = unsafe ItemReference(item)
    let rest = attributes.filter { !Attribute.key.contains($0.key) }
    if !rest.isEmpty { try modify(added, rest) }
    return added
  }

  func find(_ query: Attributes) throws -> Reference {
    guard query.keys.allSatisfy(Attribute.key.contains) else { return try search(query).next() }
    return try unsafe find(query, in: UnsafeRawPointer(vault))
  }

  /// Finds in a vault or a list; NULL is the default vault.
  func find(_ query: Attributes, in vaults: UnsafeRawPointer?) throws -> Reference {
    let key = Key(query)
    var item: OpaquePointer?
    // As in `add`.
    try check(
      unsafe VaultFindInternetPassword(
        vaults, key.server.count, key.server.text, key.realm.count, key.realm.text,
        key.account.count, key.account.text, key.path.count, key.path.text, key.port, key.protocol,
        key.method, nil, nil, &item))
    return unsafe ItemReference(item)
  }

  /// Returns the account of the first item that matches, or the error.
  func first(_ query: Attributes, in vaults: UnsafeRawPointer?) throws -> String {
    try attempt { try read(.account, of: unsafe find(query, in: vaults)) }
  }

  /// Returns the secret of an account that is found.
  func findSecret(_ account: String) throws -> (length: UInt32, text: String) {
    var length: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    try check(
      unsafe VaultFindInternetPassword(
        UnsafeRawPointer(vault), 0, nil, 0, nil, UInt32(account.utf8.count), account, 0, nil, 0, 0,
        0, &length, &data, nil))
    return (length, unsafe take(data, length))
  }

  func findAll(_ query: Attributes) throws -> [Reference] {
    let search = try search(query)
    var found: [Reference] = []
    while let item = try search.nextIfAny() { found.append(item) }
    return found
  }

  func search(_ query: Attributes) throws -> Search { try search(AttributeList(query)) }

  func search(
    _ query: AttributeList, class: UInt32 = Codes.code(kVaultInternetPasswordItemClass)
  ) throws -> Search {
    try query.with { list in
      var search: OpaquePointer?
      try check(
        unsafe VaultSearchCreateFromAttributes(UnsafeRawPointer(vault), `class`, list, &search))
      return unsafe Search(search)
    }
  }

  func modify(_ item: Reference, _ changes: Attributes, secret: String?) throws {
    try modify(item, AttributeList(changes), secret: secret)
  }

  func modify(_ item: Reference, _ changes: AttributeList, secret: String? = nil) throws {
    try with(item) { item in
      try changes.with { list in
        let length = UInt32(secret?.utf8.count ?? 0)
        // The array and its NUL live during the call.
        try check(
          unsafe VaultItemModifyAttributesAndData(
            item, list, length, secret?.utf8CString.map { $0 }))
      }
    }
  }

  /// Modifies with the function that takes no number of the length 0.
  func modifyContent(_ item: Reference, _ changes: AttributeList) throws {
    try with(item) { item in
      try changes.with { try check(unsafe VaultItemModifyContent(item, $0, 0, nil)) }
    }
  }

  func remove(_ item: Reference) throws {
    try with(item) { try check(unsafe VaultItemDelete($0)) }
  }

  func read(_ attribute: Attribute, of item: Reference) throws -> String {
    try attribute.text(copy([attribute.tag], of: item)[0])
  }

  func secret(of item: Reference) throws -> String {
    var length: UInt32 = 0
    var data: UnsafeMutableRawPointer?
    try with(item) { try check(unsafe VaultItemCopyContent($0, nil, nil, &length, &data)) }
    return unsafe take(data, length)
  }

  /// Returns a secret's bytes as text, and frees them.
  private func take(_ data: UnsafeMutableRawPointer?, _ length: UInt32) -> String {
    // The library says how many bytes there are.
    let bytes = unsafe UnsafeRawBufferPointer(start: data, count: Int(length))
    defer { unsafe VaultItemFreeContent(nil, data) }
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  func lock() throws { try check(unsafe VaultLock(vault)) }

  func unlock() throws { try place.vault.unlock(with: place.key) }

  /// Returns the values of tags, in their order; no bytes for one that is unset.
  func copy(_ tags: [UInt32], of item: Reference) throws -> [[UInt8]] {
    var attributes = unsafe tags.map { unsafe VaultAttribute(tag: $0, length: 0, data: nil) }
    return try unsafe attributes.withUnsafeMutableBufferPointer { attributes in
      // The list stands for the buffer, during which it is used.
      var list = unsafe VaultAttributeList(
        count: UInt32(attributes.count), attr: attributes.baseAddress)
      try with(item) { try check(unsafe VaultItemCopyContent($0, nil, &list, nil, nil)) }
      defer { unsafe VaultItemFreeContent(&list, nil) }
      var values: [[UInt8]] = []
      for index in attributes.indices {
        let attribute = unsafe attributes[index]
        // The library says how many bytes each has.
        values.append(
          unsafe Array(
            UnsafeRawBufferPointer(start: attribute.data, count: Int(attribute.length))))
      }
      return values
    }
  }

  /// Calls `body` with an item's handle, which is good until it returns.
  @safe func with<R>(_ item: Reference, _ body: (OpaquePointer?) throws -> R) throws -> R {
    guard let item = item as? ItemReference else { throw Refusal(status: "another driver's item") }
    return try item.with { try unsafe body($0) }
  }

  /// A search's handle, which is released with this.
  @safe final class Search {
    private let handle: OpaquePointer?

    init(_ handle: OpaquePointer?) { unsafe self.handle = unsafe handle }

    deinit { unsafe VaultRelease(UnsafeRawPointer(handle)) }

    func next() throws -> ItemReference {
      var item: OpaquePointer?
      try check(unsafe VaultSearchCopyNext(handle, &item))
      return unsafe ItemReference(item)
    }

    /// Returns the next item; nil after the last.
    func nextIfAny() throws -> ItemReference? {
      do {
        return try next()
      } catch let refusal as Refusal where refusal.status == "item-not-found" {
        return nil
      }
    }
  }

  /// The parameters of finding and adding, in which unset and not named are the same.
  struct Key {
    /// A text with its length in bytes; nil if it is not named.
    typealias Parameter = (count: UInt32, text: [CChar]?)

    let server: Parameter
    let realm: Parameter
    let account: Parameter
    let path: Parameter
    let port: UInt16
    let `protocol`: UInt32
    let method: UInt32

    init(_ attributes: Attributes) {
      func parameter(_ attribute: Attribute) -> Parameter {
        guard let text = attributes[attribute] else { return (0, nil) }
        return (UInt32(text.utf8.count), text.utf8CString.map { $0 })
      }
      server = parameter(.server)
      realm = parameter(.realm)
      account = parameter(.account)
      path = parameter(.path)
      port = UInt16(attributes[.port] ?? "") ?? 0
      `protocol` = Codes.code(attributes[.protocol] ?? "", in: Codes.protocols)
      method = Codes.code(attributes[.method] ?? "", in: Codes.methods)
    }
  }
}

extension Attributes {
  /// The attributes as the keychain takes them: an unnamed method is unset.
  fileprivate var withUnsetMethod: Attributes { [.method: ""].merging(self) { $1 } }
}
