// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

// Newer code: builders, property wrappers, actors, functions that tests replace.

/// A status with words.
struct StatusError: LocalizedError, Equatable {
  let status: OSStatus

  var errorDescription: String? { SecCopyErrorMessageString(status, nil) as String? }

  var asNSError: NSError {
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(status),
      userInfo: [NSLocalizedDescriptionKey: errorDescription ?? ""])
  }
}

/// A builder with a subscript, for both classes.
final class Keychain {
  enum ItemClass { case genericPassword, internetPassword }

  struct Options {
    var itemClass: ItemClass = .genericPassword
    var service = ""
    var server: URL?
    var label: String?
    var comment: String?
    var accessibility: CFString = kSecAttrAccessibleAfterFirstUnlock
  }

  private let options: Options

  init(service: String) {
    var options = Options()
    options.service = service
    self.options = options
  }

  init(server: URL) {
    var options = Options()
    options.itemClass = .internetPassword
    options.server = server
    self.options = options
  }

  private init(_ options: Options) { self.options = options }

  func label(_ label: String) -> Keychain {
    var options = self.options
    options.label = label
    return Keychain(options)
  }

  subscript(key: String) -> String? {
    get { try? get(key) }
    set {
      if let value = newValue { try? set(value, key: key) } else { try? remove(key) }
    }
  }

  func get(_ key: String) throws -> String? {
    var query = self.query()
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    query[kSecReturnData as String] = kCFBooleanTrue
    query[kSecAttrAccount as String] = key
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    switch status {
    case errSecSuccess:
      guard let data = result as? Data else { throw StatusError(status: errSecDecode) }
      return String(data: data, encoding: .utf8)
    case errSecItemNotFound:
      return nil
    default:
      throw StatusError(status: status)
    }
  }

  func set(_ value: String, key: String) throws {
    var query = self.query()
    query[kSecAttrAccount as String] = key
    var status = SecItemCopyMatching(query as CFDictionary, nil)
    switch status {
    case errSecSuccess:
      status = SecItemUpdate(
        query as CFDictionary, attributes(key: nil, value: Data(value.utf8)) as CFDictionary)
    case errSecItemNotFound:
      let attributes = self.query().merging(attributes(key: key, value: Data(value.utf8))) { $1 }
      status = SecItemAdd(attributes as CFDictionary, nil)
    default: break
    }
    if status != errSecSuccess { throw StatusError(status: status) }
  }

  func remove(_ key: String) throws {
    var query = self.query()
    query[kSecAttrAccount as String] = key
    let status = SecItemDelete(query as CFDictionary)
    if status != errSecSuccess && status != errSecItemNotFound { throw StatusError(status: status) }
  }

  func allItems() -> [[String: Any]] {
    var query = self.query()
    query[kSecMatchLimit as String] = kSecMatchLimitAll
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanTrue
    var result: AnyObject?
    guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess else { return [] }
    return result as? [[String: Any]] ?? []
  }

  private func query() -> [String: Any] {
    var query = [String: Any]()
    query[kSecAttrSynchronizable as String] = kSecAttrSynchronizableAny
    query[kSecUseDataProtectionKeychain as String] = true
    switch options.itemClass {
    case .genericPassword:
      query[kSecClass as String] = kSecClassGenericPassword
      query[kSecAttrService as String] = options.service
    case .internetPassword:
      query[kSecClass as String] = kSecClassInternetPassword
      query[kSecAttrServer as String] = options.server?.host
      query[kSecAttrPort as String] = options.server?.port
      query[kSecAttrProtocol as String] = kSecAttrProtocolHTTPS
      query[kSecAttrAuthenticationType as String] = kSecAttrAuthenticationTypeDefault
    }
    return query
  }

  private func attributes(key: String?, value: Data) -> [String: Any] {
    var attributes: [String: Any] = [:]
    if key != nil {
      attributes[kSecAttrAccount as String] = key
    }
    attributes[kSecValueData as String] = value
    if options.label != nil { attributes[kSecAttrLabel as String] = options.label }
    if options.comment != nil { attributes[kSecAttrComment as String] = options.comment }
    attributes[kSecAttrAccessible as String] = options.accessibility
    attributes[kSecAttrSynchronizable as String] = kCFBooleanFalse
    return attributes
  }
}

/// A property that lives in the keychain.
@propertyWrapper
struct Stored {
  let key: String

  var wrappedValue: String? {
    get {
      let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "shapes.stored",
        kSecAttrAccount as String: key, kSecReturnData as String: true,
      ]
      var item: CFTypeRef?
      guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
      return String(decoding: item as! Data, as: UTF8.self)
    }
    nonmutating set {
      let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "shapes.stored",
        kSecAttrAccount as String: key,
      ]
      SecItemDelete(query as CFDictionary)
      guard let newValue else { return }
      let item = query.merging([kSecValueData as String: Data(newValue.utf8)]) { _, new in new }
      SecItemAdd(item as CFDictionary, nil)
    }
  }
}

struct Session {
  @Stored(key: "access") var accessToken: String?
}

/// Tokens with an expiry as JSON, behind an actor.
actor TokenCache {
  struct Token: Codable, Equatable {
    var value: String
    var expires: Date
  }

  private let account: String

  init(account: String) { self.account = account }

  func store(_ token: Token) throws {
    let payload = try JSONEncoder().encode(token)
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: "shapes.cache",
      kSecAttrAccount: account,
    ]
    var attributes = query
    attributes[kSecValueData] = payload
    attributes[kSecAttrAccessible] = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
    let status = SecItemAdd(attributes as CFDictionary, nil)
    if status == errSecDuplicateItem {
      let update: [CFString: Any] = [kSecValueData: payload]
      let status = SecItemUpdate(query as CFDictionary, update as CFDictionary)
      guard status == errSecSuccess else { throw StatusError(status: status) }
    } else if status != errSecSuccess {
      throw StatusError(status: status)
    }
  }

  func load() throws -> Token? {
    let query: [CFString: Any] = [
      kSecClass: kSecClassGenericPassword,
      kSecAttrService: "shapes.cache",
      kSecAttrAccount: account,
      kSecReturnData: kCFBooleanTrue as Any,
      kSecMatchLimit: kSecMatchLimitOne,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if status == errSecItemNotFound { return nil }
    guard status == errSecSuccess, let data = result as? Data else {
      throw StatusError(status: status)
    }
    return try JSONDecoder().decode(Token.self, from: data)
  }
}

/// The functions as values, so that an app's tests can replace them.
struct KeychainClient {
  var add: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemAdd
  var copy: (CFDictionary, UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus = SecItemCopyMatching
  var update: (CFDictionary, CFDictionary) -> OSStatus = SecItemUpdate
  var delete: (CFDictionary) -> OSStatus = SecItemDelete

  /// Adds an item and returns a reference that a configuration can keep.
  func persistentReference(adding secret: Data, account: String) -> Data? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "shapes.client",
      kSecAttrGeneric as String: Data(account.utf8),
      kSecAttrAccount as String: account,
      kSecValueData as String: secret,
      kSecReturnPersistentRef as String: true,
    ]
    var reference: CFTypeRef?
    guard add(query as CFDictionary, &reference) == errSecSuccess else { return nil }
    return reference as? Data
  }

  func secret(_ reference: Data) -> Data? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecValuePersistentRef as String: reference,
      kSecReturnData as String: true,
      kSecUseAuthenticationUI as String: kSecUseAuthenticationUIFail,
    ]
    var result: CFTypeRef?
    guard copy(query as CFDictionary, &result) == errSecSuccess else { return nil }
    return result as? Data
  }

  /// Finds an item, and changes and deletes it by its reference, as programs for macOS do.
  func replaceByReference(account: String, with secret: Data) -> OSStatus {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "shapes.client",
      kSecAttrAccount as String: account, kSecReturnRef as String: true,
    ]
    var result: CFTypeRef?
    let status = copy(query as CFDictionary, &result)
    guard status == errSecSuccess else { return status }
    let item = result as! SecKeychainItem
    let found: [String: Any] = [kSecValueRef as String: item]
    return update(found as CFDictionary, [kSecValueData as String: secret] as CFDictionary)
  }
}

/// Adds an item for which a person must be there.
func addProtected(flags: SecAccessControlCreateFlags, account: String) -> OSStatus {
  var error: Unmanaged<CFError>?
  guard
    let access = SecAccessControlCreateWithFlags(
      kCFAllocatorDefault, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags, &error)
  else { return errSecParam }
  let query: [String: Any] = [
    kSecClass as String: kSecClassGenericPassword,
    kSecAttrService as String: "shapes.protected",
    kSecAttrAccount as String: account,
    kSecAttrAccessControl as String: access as Any,
    kSecValueData as String: Data("secret".utf8),
  ]
  return SecItemAdd(query as CFDictionary, nil)
}

/// Returns the servers and accounts of a list, as a credential helper prints them.
func serversAndAccounts(label: String) -> [String: String] {
  let query: [String: Any] = [
    kSecClass as String: kSecClassInternetPassword,
    kSecAttrLabel as String: label,
    kSecMatchLimit as String: kSecMatchLimitAll,
    kSecReturnAttributes as String: true,
  ]
  var result: CFTypeRef?
  guard SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess,
    let items = result as? [[CFString: Any]]
  else { return [:] }
  var list: [String: String] = [:]
  for item in items {
    guard let server = item[kSecAttrServer] as? String else { continue }
    let port = item[kSecAttrPort] as? Int ?? 0
    list[port == 0 ? server : "\(server):\(port)"] = item[kSecAttrAccount] as? String ?? ""
  }
  return list
}
