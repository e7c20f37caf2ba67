// swift-format-ignore-file
// Written as apps write it, whose code this package does not format.

import Foundation
import Security

/// The code of `Documentation/keychain-swift.md`.
struct PageExamples {
  func save(_ token: Data, account: String) throws {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "com.example.app",
      kSecAttrAccount as String: account,
    ]
    let add = query.merging([kSecValueData as String: token]) { $1 }
    var status = SecItemAdd(add as CFDictionary, nil)
    if status == errSecDuplicateItem {
      let changes = [kSecValueData as String: token]
      status = SecItemUpdate(query as CFDictionary, changes as CFDictionary)
    }
    guard status == errSecSuccess else { throw StatusError(status: status) }
  }

  func load(account: String) throws -> Data? {
    let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "com.example.app",
      kSecAttrAccount as String: account,
      kSecReturnData as String: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    guard status != errSecItemNotFound else { return nil }
    guard status == errSecSuccess else { throw StatusError(status: status) }
    return result as? Data
  }
}
