// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

// Classes in the manner of the libraries that most apps use.

/// A class with a prefix for its keys, and the last status.
class SimpleKeychain {
  var lastResultCode: OSStatus = noErr
  var keyPrefix = ""
  var accessGroup: String?
  var synchronizable: Bool = false
  private let lock = NSLock()

  init(keyPrefix: String) {
    self.keyPrefix = keyPrefix
  }

  @discardableResult
  func set(_ value: String, forKey key: String, withAccess access: CFString? = nil) -> Bool {
    guard let value = value.data(using: String.Encoding.utf8) else { return false }
    return set(value, forKey: key, withAccess: access)
  }

  @discardableResult
  func set(_ value: Data, forKey key: String, withAccess access: CFString? = nil) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    deleteNoLock(key)
    let accessible = access ?? kSecAttrAccessibleWhenUnlocked
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: keyPrefix + key,
      kSecValueData as String: value,
      kSecAttrAccessible as String: accessible as String,
    ]
    query = addAccessGroupWhenPresent(query)
    query = addSynchronizableIfRequired(query, addingItems: true)
    lastResultCode = SecItemAdd(query as CFDictionary, nil)
    return lastResultCode == noErr
  }

  func get(_ key: String) -> String? {
    guard let data = getData(key) else { return nil }
    guard let text = String(data: data, encoding: .utf8) else {
      lastResultCode = -67853
      return nil
    }
    return text
  }

  func getData(_ key: String, asReference: Bool = false) -> Data? {
    lock.lock()
    defer { lock.unlock() }
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: keyPrefix + key,
      kSecMatchLimit as String: kSecMatchLimitOne,
    ]
    if asReference {
      query[kSecReturnPersistentRef as String] = kCFBooleanTrue
    } else {
      query[kSecReturnData as String] = kCFBooleanTrue
    }
    query = addAccessGroupWhenPresent(query)
    query = addSynchronizableIfRequired(query, addingItems: false)
    var result: AnyObject?
    lastResultCode = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    if lastResultCode == noErr { return result as? Data }
    return nil
  }

  var allKeys: [String] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecReturnData as String: true,
      kSecReturnAttributes as String: true,
      kSecReturnPersistentRef as String: true,
      kSecMatchLimit as String: kSecMatchLimitAll,
    ]
    query = addAccessGroupWhenPresent(query)
    query = addSynchronizableIfRequired(query, addingItems: false)
    var result: AnyObject?
    let lastResultCode = withUnsafeMutablePointer(to: &result) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    if lastResultCode == noErr {
      return (result as? [[String: Any]])?.compactMap {
        $0[kSecAttrAccount as String] as? String
      } ?? []
    }
    return []
  }

  @discardableResult
  func delete(_ key: String) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return deleteNoLock(key)
  }

  @discardableResult
  private func deleteNoLock(_ key: String) -> Bool {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrAccount as String: keyPrefix + key,
    ]
    query = addAccessGroupWhenPresent(query)
    query = addSynchronizableIfRequired(query, addingItems: false)
    lastResultCode = SecItemDelete(query as CFDictionary)
    return lastResultCode == noErr
  }

  private func addAccessGroupWhenPresent(_ items: [String: Any]) -> [String: Any] {
    guard let accessGroup = accessGroup else { return items }
    var result: [String: Any] = items
    result[kSecAttrAccessGroup as String] = accessGroup
    return result
  }

  private func addSynchronizableIfRequired(
    _ items: [String: Any], addingItems: Bool
  ) -> [String: Any] {
    if !synchronizable { return items }
    var result: [String: Any] = items
    result[kSecAttrSynchronizable as String] =
      addingItems == true ? true : kSecAttrSynchronizableAny
    return result
  }
}

private let SecMatchLimit: String! = kSecMatchLimit as String
private let SecReturnData: String! = kSecReturnData as String
private let SecValueData: String! = kSecValueData as String
private let SecAttrAccessible: String! = kSecAttrAccessible as String
private let SecClass: String! = kSecClass as String
private let SecAttrService: String! = kSecAttrService as String
private let SecAttrGeneric: String! = kSecAttrGeneric as String
private let SecAttrAccount: String! = kSecAttrAccount as String
private let SecReturnAttributes: String! = kSecReturnAttributes as String

/// A class that gives its keys as data.
class DataKeyWrapper {
  private let serviceName: String

  init(serviceName: String) {
    self.serviceName = serviceName
  }

  func hasValue(forKey key: String) -> Bool { data(forKey: key) != nil }

  func allKeys() -> Set<String> {
    var query: [String: Any] = [
      SecClass: kSecClassGenericPassword, SecAttrService: serviceName,
      SecReturnAttributes: kCFBooleanTrue!, SecMatchLimit: kSecMatchLimitAll,
    ]
    query[SecAttrAccessible] = nil
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    guard status == errSecSuccess else { return [] }
    var keys = Set<String>()
    if let results = result as? [[String: Any]] {
      for attributes in results {
        if let accountData = attributes[SecAttrAccount] as? Data,
          let key = String(data: accountData, encoding: String.Encoding.utf8)
        {
          keys.insert(key)
        }
      }
    }
    return keys
  }

  func data(forKey key: String) -> Data? {
    var query = setupQuery(key)
    query[SecMatchLimit] = kSecMatchLimitOne
    query[SecReturnData] = kCFBooleanTrue
    var result: AnyObject?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    return status == noErr ? result as? Data : nil
  }

  @discardableResult
  func set(_ value: Data, forKey key: String) -> Bool {
    var query: [String: Any] = setupQuery(key)
    query[SecValueData] = value
    query[SecAttrAccessible] = kSecAttrAccessibleWhenUnlocked
    let status: OSStatus = SecItemAdd(query as CFDictionary, nil)
    if status == errSecSuccess {
      return true
    } else if status == errSecDuplicateItem {
      let updateDictionary: [String: Any] = [SecValueData: value]
      return SecItemUpdate(setupQuery(key) as CFDictionary, updateDictionary as CFDictionary)
        == errSecSuccess
    }
    return false
  }

  @discardableResult
  func removeAllKeys() -> Bool {
    var query: [String: Any] = [SecClass: kSecClassGenericPassword]
    query[SecAttrService] = serviceName
    return SecItemDelete(query as CFDictionary) == errSecSuccess
  }

  private func setupQuery(_ key: String) -> [String: Any] {
    var query: [String: Any] = [SecClass: kSecClassGenericPassword]
    query[SecAttrService] = serviceName
    let encodedIdentifier: Data? = key.data(using: String.Encoding.utf8)
    query[SecAttrGeneric] = encodedIdentifier
    query[SecAttrAccount] = encodedIdentifier
    query[kSecAttrSynchronizable as String] = kCFBooleanFalse
    return query
  }
}
