import CVault
import CredentialVault
import TestSupport
import Testing
import VaultC

/// A status other than success, as an error.
struct Failure: Error, Equatable, CustomStringConvertible {
  let status: vault_status_t

  init(_ status: vault_status_t) { self.status = status }

  var description: String { "status \(status.rawValue)" }
}

func check(_ status: vault_status_t) throws(Failure) {
  guard status == VAULT_OK else { throw Failure(status) }
}

/// A vault through the C interface; closed with its last reference, unless it was before or is a
/// transaction's.
@safe final class CVaultObject: @unchecked Sendable {
  // A handle is only passed on, and never changes.
  let handle: OpaquePointer?
  private let isLent: Bool

  init(_ open: (UnsafeMutablePointer<OpaquePointer?>) -> vault_status_t) throws(Failure) {
    var handle: OpaquePointer?
    // The place is this function's own.
    try check(unsafe open(&handle))
    unsafe self.handle = handle
    isLent = false
  }

  /// Takes the vault that the function of a transaction gets.
  @safe init(lent handle: OpaquePointer?) {
    unsafe self.handle = handle
    isLent = true
  }

  static func inMemory() throws(Failure) -> CVaultObject {
    // The place is the initializer's.
    try unsafe CVaultObject { unsafe vault_open_in_memory($0) }
  }

  /// Makes a vault in a file of a folder.
  static func inFile(of folder: TemporaryFolder) throws -> CVaultObject {
    try KeyFile.create(at: folder.file("key"))
    // The place is the initializer's, and the paths are valid during the call.
    return try unsafe CVaultObject { place in
      unsafe vault_create_with_key_file(folder.file("vault"), folder.file("key"), place)
    }
  }

  deinit { if !isLent { unsafe vault_close(handle) } }

  func add(
    _ attributes: CAttributes, _ persistence: vault_persistence_t = VAULT_PERSISTENCE_SESSION,
    _ options: Int = VAULT_NO_OPTIONS
  ) throws(Failure) -> CItem {
    try CItem { place in
      unsafe vault_add(handle, attributes.handle, persistence, UInt32(options), place)
    }
  }

  func upsert(
    _ attributes: CAttributes, _ persistence: vault_persistence_t = VAULT_PERSISTENCE_SESSION
  ) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_upsert(handle, attributes.handle, persistence, 0, place) }
  }

  func find(
    _ query: CAttributes?, _ options: Int = VAULT_NO_OPTIONS
  ) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_find(handle, query?.handle, UInt32(options), place) }
  }

  func findUnique(
    _ query: CAttributes?, _ options: Int = VAULT_NO_OPTIONS
  ) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_find_unique(handle, query?.handle, UInt32(options), place) }
  }

  /// Returns the accounts of the items found.
  func findAll(
    _ query: CAttributes?, _ options: Int = VAULT_NO_OPTIONS, limit: Int = 0
  ) throws -> [String] {
    try CItem.all { items, count in
      unsafe vault_find_all(handle, query?.handle, UInt32(options), limit, items, count)
    }.map { item in try item.text(VAULT_ACCOUNT) }
  }

  /// Returns the items that the thread's last failure is about.
  func candidates() throws(Failure) -> [CItem] {
    try CItem.all { items, count in unsafe vault_last_error_candidates(handle, items, count) }
  }

  /// Returns the items of the trash that match.
  func trash(
    _ query: CAttributes? = nil, _ options: Int = VAULT_NO_OPTIONS, limit: Int = 0
  ) throws(Failure) -> [CItem] {
    try CItem.all { items, count in
      unsafe vault_trash_list(handle, query?.handle, UInt32(options), limit, items, count)
    }
  }

  func emptyTrash(_ query: CAttributes? = nil) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_trash_empty(handle, query?.handle, 0, &count))
    return count
  }

  func removeUnique(_ query: CAttributes?) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_remove_unique(handle, query?.handle, 0, place) }
  }

  func count(_ query: CAttributes?, _ options: Int = VAULT_NO_OPTIONS) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_count(handle, query?.handle, UInt32(options), &count))
    return count
  }

  func removeAll(_ query: CAttributes?) throws(Failure) -> Int {
    var count = -1
    try check(unsafe vault_remove_all(handle, query?.handle, 0, &count))
    return count
  }

  func defaultCredential(_ space: CAttributes) throws(Failure) -> CItem {
    try CItem { place in unsafe vault_get_default_credential(handle, space.handle, place) }
  }

  func setDefaultUser(_ user: String, _ space: CAttributes) throws(Failure) {
    // Strings are passed as C strings, valid during the call.
    try check(unsafe vault_set_default_user(handle, space.handle, user, user.utf8.count))
  }

  var state: vault_state_t {
    get throws(Failure) {
      var state = vault_state_t(99)
      try check(unsafe vault_get_state(handle, &state))
      return state
    }
  }
}

/// An item through the C interface; released with its last reference.
@safe final class CItem: @unchecked Sendable {
  // A handle is only passed on, and never changes.
  let handle: OpaquePointer?

  @safe init(_ find: (UnsafeMutablePointer<OpaquePointer?>) -> vault_status_t) throws(Failure) {
    var handle: OpaquePointer?
    // The place is this function's own.
    try check(unsafe find(&handle))
    unsafe self.handle = handle
  }

  /// Takes the items of an array that is given, and frees it.
  @safe static func all(
    _ give: (
      UnsafeMutablePointer<UnsafeMutablePointer<OpaquePointer?>?>, UnsafeMutablePointer<Int>
    ) -> vault_status_t
  ) throws(Failure) -> [CItem] {
    var items: UnsafeMutablePointer<OpaquePointer?>?
    var count = -1
    // The places are this function's own, and the array is as long as is said.
    try check(unsafe give(&items, &count))
    defer { unsafe vault_items_free(items, count) }
    #expect(unsafe (items == nil) == (count == 0))
    var all: [CItem] = []
    for index in 0..<count {
      all.append(
        try CItem { place in
          unsafe place.pointee = items?[index]
          return unsafe vault_item_retain(items?[index])
        })
    }
    return all
  }

  deinit { unsafe vault_item_release(handle) }

  func text(_ attribute: vault_attribute_t) throws(Failure) -> String {
    var text = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_text(handle, attribute, &text))
    return unsafe text.taken
  }

  func number(_ attribute: vault_attribute_t) throws(Failure) -> UInt64 {
    var number: UInt64 = 99
    try check(unsafe vault_item_get_number(handle, attribute, &number))
    return number
  }

  func data(_ attribute: vault_attribute_t) throws(Failure) -> [UInt8] {
    var data = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_data(handle, attribute, &data))
    // The buffer is as long as it says.
    defer { unsafe vault_buffer_free(&data) }
    return unsafe Array(UnsafeRawBufferPointer(start: data.bytes, count: data.count))
  }

  func custom(_ name: String) throws(Failure) -> String {
    var value = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_custom(handle, name, name.utf8.count, &value))
    return unsafe value.taken
  }

  func secret() throws(Failure) -> String {
    var secret = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_secret(handle, &secret))
    return unsafe secret.taken
  }

  func refreshToken() throws(Failure) -> String {
    var token = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_refresh_token(handle, &token))
    return unsafe token.taken
  }

  func history() throws(Failure) -> [vault_previous_secret_t] {
    var history: UnsafeMutablePointer<vault_previous_secret_t>?
    var count = -1
    // The places are this function's own, and the array is as long as is said.
    try check(unsafe vault_item_copy_history(handle, &history, &count))
    defer { unsafe vault_history_free(history) }
    return unsafe Array(UnsafeBufferPointer(start: history, count: count))
  }

  func previousSecret(_ previous: vault_previous_secret_t) throws(Failure) -> String {
    var secret = unsafe vault_buffer_t()
    try check(unsafe vault_item_copy_previous_secret(handle, previous.replaced, &secret))
    return unsafe secret.taken
  }

  func revert(
    to previous: vault_previous_secret_t? = nil, ifRevision revision: UInt64 = 0
  ) throws(Failure) {
    try check(unsafe vault_revert(handle, previous?.replaced ?? 0, revision, 0))
  }

  func modify(
    _ changes: CAttributes, ifRevision revision: UInt64 = 0, _ options: Int = VAULT_NO_OPTIONS
  ) throws(Failure) {
    try check(unsafe vault_modify(handle, changes.handle, revision, UInt32(options)))
  }

  func remove(ifRevision revision: UInt64 = 0) throws(Failure) {
    try check(unsafe vault_remove(handle, revision))
  }

  /// Restores the item of the trash.
  func restore() throws(Failure) { try check(unsafe vault_trash_restore(handle)) }

  /// Removes the item of the trash for good.
  func removeForGood() throws(Failure) { try check(unsafe vault_trash_remove(handle)) }
}

/// Attributes through the C interface; freed with their last reference.
@safe final class CAttributes: @unchecked Sendable {
  // A handle is only passed on, and never changes.
  let handle: OpaquePointer?

  init() throws(Failure) {
    var handle: OpaquePointer?
    try check(unsafe vault_attributes_create(&handle))
    unsafe self.handle = handle
  }

  /// Sets texts, and the secret if one is given.
  convenience init(
    _ texts: KeyValuePairs<UInt32, String>, port: UInt64? = nil, secret: String? = nil
  ) throws(Failure) {
    try self.init()
    for (attribute, text) in texts { try set(vault_attribute_t(attribute), text) }
    if let port { try set(VAULT_PORT, port) }
    if let secret { try set(secret: secret) }
  }

  deinit { unsafe vault_attributes_free(handle) }

  func set(_ attribute: vault_attribute_t, _ text: String) throws(Failure) {
    // Strings are passed as C strings, valid during the call; so below.
    try check(unsafe vault_attributes_set_text(handle, attribute, text, text.utf8.count))
  }

  func set(_ attribute: vault_attribute_t, bytes: [UInt8]) throws(Failure) {
    let characters = bytes.map { CChar(bitPattern: $0) }
    try check(unsafe vault_attributes_set_text(handle, attribute, characters, bytes.count))
  }

  func set(_ attribute: vault_attribute_t, _ number: UInt64) throws(Failure) {
    try check(unsafe vault_attributes_set_number(handle, attribute, number))
  }

  func set(_ attribute: vault_attribute_t, data: [UInt8]) throws(Failure) {
    try check(unsafe vault_attributes_set_data(handle, attribute, data, data.count))
  }

  func set(url: String) throws(Failure) {
    try check(unsafe vault_attributes_set_url(handle, url, url.utf8.count))
  }

  func set(requestPath: String) throws(Failure) {
    try check(
      unsafe vault_attributes_set_request_path(handle, requestPath, requestPath.utf8.count))
  }

  func set(custom name: String, _ value: String) throws(Failure) {
    try check(
      unsafe vault_attributes_set_custom(
        handle, name, name.utf8.count, value, value.utf8.count))
  }

  func set(secret: String) throws(Failure) {
    try check(unsafe vault_attributes_set_secret(handle, secret, secret.utf8.count))
  }

  func set(refreshToken: String) throws(Failure) {
    try check(
      unsafe vault_attributes_set_refresh_token(
        handle, refreshToken, refreshToken.utf8.count))
  }
}

extension vault_buffer_t {
  /// The text of a buffer that was given out, which is then freed; checks the NUL behind it.
  var taken: String {
    mutating get {
      guard let start = unsafe bytes else { return "a buffer without bytes" }
      guard unsafe start[count] == 0 else { return "a buffer without NUL" }
      // The buffer is as long as is said.
      let text = unsafe String(
        decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
      unsafe vault_buffer_free(&self)
      return text
    }
  }
}
