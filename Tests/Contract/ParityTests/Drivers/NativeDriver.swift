import CVault
import CredentialVault
import TestSupport
import VaultModel

/// The native C interface.
///
/// Safe: the handle is the driver's until it goes, and every function looks handles up before it
/// uses them.
@safe final class NativeDriver: VaultDriver {
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
    try unlock()
  }

  deinit { unsafe vault_close(vault) }

  /// An item whose handle is released with this.
  @safe final class ItemReference: HandleReference {
    deinit { unsafe vault_item_release(handle) }
  }

  @discardableResult
  func add(_ attributes: Attributes, secret: String) throws -> Reference {
    try store(attributes, secret: secret) { named, item in
      unsafe vault_add(vault, named, persistence, noOptions, item)
    }
  }

  func upsert(_ attributes: Attributes, secret: String?) throws -> Reference {
    try store(attributes, secret: secret) { named, item in
      unsafe vault_upsert(vault, named, persistence, noOptions, item)
    }
  }

  func find(_ query: Attributes) throws -> Reference {
    try store(query, secret: nil) { named, item in
      unsafe vault_find(vault, named, noOptions, item)
    }
  }

  func findUnique(_ query: Attributes) throws -> Reference {
    try store(query, secret: nil) { named, item in
      unsafe vault_find_unique(vault, named, noOptions, item)
    }
  }

  func findAll(_ query: Attributes) throws -> [Reference] {
    try findAll(query, [], limit: nil)
  }

  func findAll(
    _ query: Attributes, _ options: FindOptions, limit: Int?
  ) throws -> [Reference] {
    try findAll(Named(query), options, limit: limit)
  }

  /// Returns the items of a space that apply to the requested path.
  func findAll(_ space: Attributes, requested path: String) throws -> [Reference] {
    let named = try Named(space)
    try named.setRequestPath(path)
    return try findAll(named, .ofSpace, limit: nil)
  }

  private func findAll(
    _ query: Named, _ options: FindOptions, limit: Int?
  ) throws -> [Reference] {
    var items: UnsafeMutablePointer<OpaquePointer?>?
    var count = 0
    try query.with { named in
      // Both places are valid during the call.
      try check(
        unsafe vault_find_all(
          vault, named, vault_options_t(options), limit ?? 0, &items, &count))
    }
    // Each handle is retained, as the array's own go with it.
    defer { unsafe vault_items_free(items, count) }
    return try (0..<count).map { index in
      let handle = unsafe items?[index]
      try check(unsafe vault_item_retain(handle))
      return unsafe ItemReference(handle)
    }
  }

  func findAll(_ item: Reference, and query: Attributes) throws -> [Reference] {
    let named = try Named(query)
    try named.set(VAULT_ID, to: text(VAULT_ID, of: item))
    return try findAll(named, [], limit: nil)
  }

  func count(_ query: Attributes) throws -> Int {
    var count = 0
    try Named(query).with { named in
      try check(unsafe vault_count(vault, named, noOptions, &count))
    }
    return count
  }

  func modify(_ item: Reference, _ changes: Attributes, secret: String?) throws {
    try modify(item, Named(changes, secret: secret), ifRevision: 0)
  }

  func modify(_ item: Reference, _ changes: Attributes, ifRevision revision: UInt64) throws {
    try modify(item, Named(changes), ifRevision: revision)
  }

  private func modify(_ item: Reference, _ changes: Named, ifRevision revision: UInt64) throws {
    try with(item) { item in
      try changes.with { try check(unsafe vault_modify(item, $0, revision, noOptions)) }
    }
  }

  func remove(_ item: Reference) throws {
    try with(item) { try check(unsafe vault_remove($0, 0)) }
  }

  func removeAll(_ query: Attributes) throws -> Int {
    var count = 0
    try Named(query).with { named in
      try check(unsafe vault_remove_all(vault, named, noOptions, &count))
    }
    return count
  }

  func read(_ attribute: Attribute, of item: Reference) throws -> String {
    let now = try now(item)
    guard attribute.isNumber else { return try text(attribute.native, of: now) }
    let number = try number(attribute.native, of: now)
    return switch attribute {
    case _ where number == 0: ""
    case .creator, .type: FourCharacterCode(rawValue: UInt32(number)).description
    default: "\(number)"
    }
  }

  func addExpired(_ attributes: Attributes) throws -> Reference {
    let named = try Named(attributes, secret: "one")
    try named.set(VAULT_EXPIRES, to: 5000)
    return try item(named) { unsafe vault_add(vault, $0, persistence, noOptions, $1) }
  }

  func revision(of item: Reference) throws -> UInt64 {
    try number(VAULT_REVISION, of: now(item))
  }

  func secret(of item: Reference) throws -> String {
    try buffer(of: now(item)) { unsafe vault_item_copy_secret($0, $1) }
  }

  func lock() throws { try check(unsafe vault_lock(vault)) }

  func unlock() throws {
    try check(unsafe vault_unlock_with_key_file(vault, place.folder.file("key")))
  }

  /// Returns the account found by a query in which the account is named twice.
  func first(namedTwice one: String, _ other: String) throws -> String {
    let named = try Named([.account: one])
    try named.set(VAULT_ACCOUNT, to: other)
    return try read(.account, of: item(named) { unsafe vault_find(vault, $0, noOptions, $1) })
  }

  /// Adds an item, and throws a refusal of its own if a failure wrote to the item's place.
  func addUntouched(_ attributes: Attributes) throws {
    try Named(attributes, secret: "two").with { named in
      // Stands for what was there before; nothing reads through it.
      let before = unsafe OpaquePointer(bitPattern: 16)
      var item = unsafe before
      let status = unsafe vault_add(vault, named, persistence, noOptions, &item)
      guard unsafe item == before else { throw Refusal(status: "touched") }
      try check(status)
    }
  }

  /// Changes the comment, which is named twice.
  func modify(_ item: Reference, namedTwice one: String, _ other: String) throws {
    let named = try Named([.comment: one])
    try named.set(VAULT_COMMENT, to: other)
    try modify(item, named, ifRevision: 0)
  }

  /// Deletes the item of a handle, which may be none.
  @safe func remove(handle: OpaquePointer?) throws { try check(unsafe vault_remove(handle, 0)) }

  func retainAndRelease(_ item: Reference) throws {
    try with(item) { item in
      try check(unsafe vault_item_retain(item))
      try check(unsafe vault_item_release(item))
    }
  }

  func addCustom(_ attributes: Attributes, _ custom: [String: String]) throws {
    let named = try Named(attributes, secret: "one")
    for (name, value) in custom { try named.setCustom(name, value) }
    _ = try item(named) { unsafe vault_add(vault, $0, persistence, noOptions, $1) }
  }

  /// Returns a custom attribute; `empty` for one that is empty or missing.
  func custom(_ name: String, of item: Reference) throws -> String {
    let text = try buffer(of: item) { unsafe vault_item_copy_custom($0, name, name.utf8.count, $1) }
    return text.isEmpty ? "empty" : text
  }

  func readUnknownAttribute(_ item: Reference) throws {
    _ = try text(vault_attribute_t(999), of: item)
  }

  /// Copies a text, frees its buffer twice, and returns what is left of it.
  func freeTwice(_ item: Reference) throws -> String {
    var buffer = unsafe vault_buffer_t()
    try with(item) { try check(unsafe vault_item_copy_text($0, VAULT_ACCOUNT, &buffer)) }
    unsafe vault_buffer_free(&buffer)
    let left = unsafe "\(buffer.count), \(buffer.bytes == nil ? "NULL" : "a pointer")"
    unsafe vault_buffer_free(&buffer)
    vault_buffer_free(nil)
    return seen(left, "ok")
  }

  /// Names an attribute that does not exist.
  func nameUnknownAttribute() throws {
    try Named().set(vault_attribute_t(999), to: "x")
  }

  /// Returns the item as it is now, whatever its key has become.
  private func now(_ item: Reference) throws -> ItemReference {
    guard let now = try findAll(item, and: [:]).first as? ItemReference else {
      throw Refusal(status: "item-not-found")
    }
    return now
  }

  func text(_ attribute: vault_attribute_t, of item: Reference) throws -> String {
    try buffer(of: item) { unsafe vault_item_copy_text($0, attribute, $1) }
  }

  func number(_ attribute: vault_attribute_t, of item: Reference) throws -> UInt64 {
    var number: UInt64 = 0
    try with(item) { try check(unsafe vault_item_get_number($0, attribute, &number)) }
    return number
  }

  /// Returns the text of a buffer that `body` fills, given an item.
  @safe func buffer(
    of item: Reference,
    _ body: (OpaquePointer?, UnsafeMutablePointer<vault_buffer_t>?) -> vault_status_t
  ) throws -> String {
    var buffer = unsafe vault_buffer_t()
    try with(item) { try check(unsafe body($0, &buffer)) }
    defer { unsafe vault_buffer_free(&buffer) }
    // The library says how many bytes there are.
    let bytes = unsafe UnsafeRawBufferPointer(start: buffer.bytes, count: buffer.count)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  @safe private func store(
    _ attributes: Attributes, secret: String?,
    _ body: (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> vault_status_t
  ) throws -> Reference {
    try item(Named(attributes, secret: secret)) { unsafe body($0, $1) }
  }

  /// Returns the item of the handle that `body` returns, given attributes.
  @safe func item(
    _ named: Named,
    _ body: (OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) -> vault_status_t
  ) throws -> ItemReference {
    var item: OpaquePointer?
    try named.with { try check(unsafe body($0, &item)) }
    return unsafe ItemReference(item)
  }

  /// Calls `body` with an item's handle, which is good until it returns.
  @safe func with<R>(_ item: Reference, _ body: (OpaquePointer?) throws -> R) throws -> R {
    guard let item = item as? ItemReference else { throw Refusal(status: "another driver's item") }
    return try item.with { try unsafe body($0) }
  }

  var persistence: vault_persistence_t {
    store == .file ? VAULT_PERSISTENCE_PERMANENT : VAULT_PERSISTENCE_SESSION
  }
}

/// Attributes that are named, as C has them; freed with this.
@safe final class Named {
  private var handle: OpaquePointer?

  init(_ attributes: Attributes = [:], secret: String? = nil) throws {
    unsafe handle = nil
    try check(unsafe vault_attributes_create(&handle))
    for (attribute, value) in attributes {
      if attribute.isNumber {
        let isCode = [.creator, .type].contains(attribute)
        try set(
          attribute.native,
          to: isCode ? UInt64(try FourCharacterCode(value).rawValue) : UInt64(value) ?? 0)
      } else {
        try set(attribute.native, to: value)
      }
    }
    guard let secret else { return }
    try check(unsafe vault_attributes_set_secret(handle, secret, secret.utf8.count))
  }

  deinit { unsafe vault_attributes_free(handle) }

  func set(_ attribute: vault_attribute_t, to text: String) throws {
    try check(unsafe vault_attributes_set_text(handle, attribute, text, text.utf8.count))
  }

  func set(_ attribute: vault_attribute_t, to number: UInt64) throws {
    try check(unsafe vault_attributes_set_number(handle, attribute, number))
  }

  func setRequestPath(_ path: String) throws {
    try check(unsafe vault_attributes_set_request_path(handle, path, path.utf8.count))
  }

  func setCustom(_ name: String, _ value: String) throws {
    // Both are valid during the call, each with its length.
    try check(
      unsafe vault_attributes_set_custom(
        handle, name, name.utf8.count, value, value.utf8.count))
  }

  /// Sets a comment that is not UTF-8.
  func setNotText() throws {
    try check(
      unsafe vault_attributes_set_text(handle, VAULT_COMMENT, [CChar(bitPattern: 0xFF)], 1))
  }

  /// Sets a secret that has a length and no bytes.
  func setNullSecret(count: Int) throws {
    try check(unsafe vault_attributes_set_secret(handle, nil, count))
  }

  /// Calls `body` with the handle, which is good until it returns.
  @safe func with<R>(_ body: (OpaquePointer?) throws -> R) rethrows -> R {
    try unsafe body(handle)
  }
}

/// Throws any status but `VAULT_OK`, by the name of the same error in Swift.
func check(_ status: vault_status_t) throws {
  guard status != VAULT_OK else { return }
  throw Refusal(status: VaultError.Code(rawValue: Int32(bitPattern: status.rawValue)).description)
}

extension Attribute {
  /// Whether it is a number in C.
  fileprivate var isNumber: Bool {
    [.port, .creator, .type, .invisible, .negative, .created, .modified].contains(self)
  }

  fileprivate var native: vault_attribute_t {
    switch self {
    case .account: VAULT_ACCOUNT
    case .realm: VAULT_REALM
    case .server: VAULT_SERVER
    case .protocol: VAULT_PROTOCOL
    case .method: VAULT_AUTHENTICATION_METHOD
    case .port: VAULT_PORT
    case .path: VAULT_PATH
    case .label: VAULT_LABEL
    case .comment: VAULT_COMMENT
    case .kind: VAULT_KIND
    case .creator: VAULT_CREATOR
    case .type: VAULT_TYPE
    case .invisible: VAULT_IS_INVISIBLE
    case .negative: VAULT_IS_NEGATIVE
    case .created: VAULT_CREATED
    case .modified: VAULT_MODIFIED
    }
  }
}

private let noOptions = vault_options_t(VAULT_NO_OPTIONS)

extension vault_options_t {
  fileprivate init(_ options: FindOptions) {
    var all = VAULT_NO_OPTIONS
    if options.contains(.ofSpace) { all |= VAULT_OF_SPACE }
    if options.contains(.subdomains) { all |= VAULT_WITH_SUBDOMAINS }
    if options.contains(.secrets) { all |= VAULT_WITH_SECRETS }
    self.init(all)
  }
}
