// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

// Code in the form of the listings of Apple's documentation.

struct Credentials {
  var username: String
  var password: String
}

enum KeychainError: Error {
  case noPassword
  case unexpectedPasswordData
  case unhandledError(status: OSStatus)
}

/// Adds, searches, updates and deletes an internet password.
struct ServerPasswords {
  let server: String

  func add(_ credentials: Credentials) throws {
    let account = credentials.username
    let password = credentials.password.data(using: String.Encoding.utf8)!
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword,
      kSecAttrAccount as String: account,
      kSecAttrServer as String: server,
      kSecValueData as String: password,
    ]
    let status = SecItemAdd(query as CFDictionary, nil)
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
  }

  func search() throws -> Credentials {
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword,
      kSecAttrServer as String: server,
      kSecMatchLimit as String: kSecMatchLimitOne,
      kSecReturnAttributes as String: true,
      kSecReturnData as String: true,
    ]
    var item: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &item)
    guard status != errSecItemNotFound else { throw KeychainError.noPassword }
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
    guard let existingItem = item as? [String: Any],
      let passwordData = existingItem[kSecValueData as String] as? Data,
      let password = String(data: passwordData, encoding: String.Encoding.utf8),
      let account = existingItem[kSecAttrAccount as String] as? String
    else {
      throw KeychainError.unexpectedPasswordData
    }
    return Credentials(username: account, password: password)
  }

  func update(_ credentials: Credentials) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
    ]
    let account = credentials.username
    let password = credentials.password.data(using: String.Encoding.utf8)!
    let attributes: [String: Any] = [
      kSecAttrAccount as String: account, kSecValueData as String: password,
    ]
    let status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
    guard status != errSecItemNotFound else { throw KeychainError.noPassword }
    guard status == errSecSuccess else { throw KeychainError.unhandledError(status: status) }
  }

  func delete() throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassInternetPassword, kSecAttrServer as String: server,
    ]
    let status = SecItemDelete(query as CFDictionary)
    guard status == errSecSuccess || status == errSecItemNotFound else {
      throw KeychainError.unhandledError(status: status)
    }
  }
}

/// An item over dictionaries of objects.
struct PasswordItem {
  enum ItemError: Error {
    case noPassword, unexpectedPasswordData, unexpectedItemData
    case unhandledError(status: OSStatus)
  }

  let service: String
  private(set) var account: String
  let accessGroup: String?

  init(service: String, account: String, accessGroup: String? = nil) {
    self.service = service
    self.account = account
    self.accessGroup = accessGroup
  }

  func readPassword() throws -> String {
    var query = PasswordItem.query(service, account, accessGroup)
    query[kSecMatchLimit as String] = kSecMatchLimitOne
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanTrue
    var queryResult: AnyObject?
    let status = withUnsafeMutablePointer(to: &queryResult) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status != errSecItemNotFound else { throw ItemError.noPassword }
    guard status == noErr else { throw ItemError.unhandledError(status: status) }
    guard let existingItem = queryResult as? [String: AnyObject],
      let passwordData = existingItem[kSecValueData as String] as? Data,
      let password = String(data: passwordData, encoding: String.Encoding.utf8)
    else { throw ItemError.unexpectedPasswordData }
    return password
  }

  func savePassword(_ password: String) throws {
    let encodedPassword = password.data(using: String.Encoding.utf8)!
    do {
      try _ = readPassword()
      var attributesToUpdate = [String: AnyObject]()
      attributesToUpdate[kSecValueData as String] = encodedPassword as AnyObject?
      let query = PasswordItem.query(service, account, accessGroup)
      let status = SecItemUpdate(query as CFDictionary, attributesToUpdate as CFDictionary)
      guard status == noErr else { throw ItemError.unhandledError(status: status) }
    } catch ItemError.noPassword {
      var newItem = PasswordItem.query(service, account, accessGroup)
      newItem[kSecValueData as String] = encodedPassword as AnyObject?
      let status = SecItemAdd(newItem as CFDictionary, nil)
      guard status == noErr else { throw ItemError.unhandledError(status: status) }
    }
  }

  mutating func renameAccount(_ newAccountName: String) throws {
    var attributesToUpdate = [String: AnyObject]()
    attributesToUpdate[kSecAttrAccount as String] = newAccountName as AnyObject?
    let query = PasswordItem.query(service, account, accessGroup)
    let status = SecItemUpdate(query as CFDictionary, attributesToUpdate as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else {
      throw ItemError.unhandledError(status: status)
    }
    account = newAccountName
  }

  func deleteItem() throws {
    let query = PasswordItem.query(service, account, accessGroup)
    let status = SecItemDelete(query as CFDictionary)
    guard status == noErr || status == errSecItemNotFound else {
      throw ItemError.unhandledError(status: status)
    }
  }

  static func items(_ service: String, _ accessGroup: String? = nil) throws -> [PasswordItem] {
    var query = PasswordItem.query(service, nil, accessGroup)
    query[kSecMatchLimit as String] = kSecMatchLimitAll
    query[kSecReturnAttributes as String] = kCFBooleanTrue
    query[kSecReturnData as String] = kCFBooleanFalse
    var queryResult: AnyObject?
    let status = withUnsafeMutablePointer(to: &queryResult) {
      SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
    }
    guard status != errSecItemNotFound else { return [] }
    guard status == noErr else { throw ItemError.unhandledError(status: status) }
    guard let resultData = queryResult as? [[String: AnyObject]] else {
      throw ItemError.unexpectedItemData
    }
    var passwordItems = [PasswordItem]()
    for result in resultData {
      guard let account = result[kSecAttrAccount as String] as? String else {
        throw ItemError.unexpectedItemData
      }
      passwordItems.append(
        PasswordItem(service: service, account: account, accessGroup: accessGroup))
    }
    return passwordItems
  }

  private static func query(
    _ service: String, _ account: String?, _ accessGroup: String?
  ) -> [String: AnyObject] {
    var query = [String: AnyObject]()
    query[kSecClass as String] = kSecClassGenericPassword
    query[kSecAttrService as String] = service as AnyObject?
    if let account = account { query[kSecAttrAccount as String] = account as AnyObject? }
    if let accessGroup = accessGroup {
      query[kSecAttrAccessGroup as String] = accessGroup as AnyObject?
    }
    return query
  }
}
