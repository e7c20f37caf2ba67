// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

// Helpers of the kind that articles show: a few static or shared functions.

/// A shared helper that adds, and updates what is there; JSON in the secret.
final class KeychainHelper {
  static let standard = KeychainHelper()
  private init() {}

  func save(_ data: Data, service: String, account: String) {
    let query =
      [
        kSecValueData: data,
        kSecAttrService: service,
        kSecAttrAccount: account,
        kSecClass: kSecClassGenericPassword,
      ] as CFDictionary
    let status = SecItemAdd(query, nil)
    if status == errSecDuplicateItem {
      let query =
        [
          kSecAttrService: service,
          kSecAttrAccount: account,
          kSecClass: kSecClassGenericPassword,
        ] as CFDictionary
      let attributesToUpdate = [kSecValueData: data] as CFDictionary
      SecItemUpdate(query, attributesToUpdate)
    }
  }

  func read(service: String, account: String) -> Data? {
    let query =
      [
        kSecAttrService: service,
        kSecAttrAccount: account,
        kSecClass: kSecClassGenericPassword,
        kSecReturnData: true,
      ] as CFDictionary
    var result: AnyObject?
    SecItemCopyMatching(query, &result)
    return (result as? Data)
  }

  func delete(service: String, account: String) {
    let query =
      [
        kSecAttrService: service,
        kSecAttrAccount: account,
        kSecClass: kSecClassGenericPassword,
      ] as CFDictionary
    SecItemDelete(query)
  }

  func save<T>(_ item: T, service: String, account: String) where T: Codable {
    do {
      let data = try JSONEncoder().encode(item)
      save(data, service: service, account: account)
    } catch {
      assertionFailure("Fail to encode item for keychain: \(error)")
    }
  }

  func read<T>(service: String, account: String, type: T.Type) -> T? where T: Codable {
    guard let data = read(service: service, account: account) else { return nil }
    return try? JSONDecoder().decode(type, from: data)
  }
}

/// Deletes and adds with one dictionary, the secret included.
enum TokenManager {
  static let key = "com.example.shapes.token"

  @discardableResult
  static func set(_ token: String) -> Bool {
    guard let data = token.data(using: .utf8) else { return false }
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: key,
      kSecValueData as String: data,
    ]
    SecItemDelete(query as CFDictionary)
    return SecItemAdd(query as CFDictionary, nil) == noErr
  }

  static func get() -> String? {
    let query = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: key,
      kSecReturnData as String: kCFBooleanTrue!,
      kSecMatchLimit as String: kSecMatchLimitOne,
    ] as [String: Any]
    var dataTypeRef: AnyObject? = nil
    let status: OSStatus = SecItemCopyMatching(query as CFDictionary, &dataTypeRef)
    guard status == noErr, let data = dataTypeRef as? Data else { return nil }
    return String(data: data, encoding: .utf8)
  }

  static func clear() -> Bool {
    let query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrAccount: key]
    let status = SecItemDelete(query as CFDictionary)
    return status == errSecSuccess || status == errSecItemNotFound
  }
}

/// Updates first, and adds if there is nothing; the flags are objects.
struct Upserter {
  let service: String

  private func base(_ account: String) -> [String: Any] {
    var query: [String: Any] = [:]
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = service
    query[kSecAttrAccount as String] = account
    return query
  }

  func upsert(_ value: String, for account: String) -> OSStatus {
    let update: [String: Any] = [kSecValueData as String: Data(value.utf8)]
    let status = SecItemUpdate(base(account) as CFDictionary, update as CFDictionary)
    guard status == errSecItemNotFound else { return status }
    var add = base(account)
    add.merge(update) { $1 }
    add[kSecAttrAccessible as String] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
    return SecItemAdd(add as CFDictionary, nil)
  }

  func exists(_ account: String) -> Bool {
    switch SecItemCopyMatching(base(account) as CFDictionary, nil) {
    case errSecSuccess, errSecInteractionNotAllowed: return true
    case errSecItemNotFound: return false
    default: return false
    }
  }

  func value(_ account: String) -> NSString? {
    var query = base(account)
    query[kSecReturnData as String] = NSNumber(value: true)
    query[kSecMatchLimit as String] = NSNumber(value: 1)
    var item: CFTypeRef?
    guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
    guard let data = item as? NSData else { return nil }
    return NSString(data: data as Data, encoding: String.Encoding.utf8.rawValue)
  }

  /// Makes older items readable in the background.
  func migrate() -> OSStatus {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
    ]
    let changes = [kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlock]
    return SecItemUpdate(query as CFDictionary, changes as CFDictionary)
  }
}

/// Deletes every item of every class, as apps do at their first start.
func resetKeychain() -> [OSStatus] {
  let classes = [
    kSecClassGenericPassword, kSecClassInternetPassword, kSecClassCertificate, kSecClassKey,
    kSecClassIdentity,
  ]
  return classes.map { itemClass in
    let dictionary = [kSecClass as String: itemClass]
    return SecItemDelete(dictionary as CFDictionary)
  }
}
