// As many packages for Apple's systems are: with Foundation, and without a line for Security.
import Foundation

enum TokenKeychain {
  private static let service = "keychain.implicit"

  static func save(_ token: Data, for account: String) -> Bool {
    let query: [String?: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecValueData as String: token,
    ]
    SecItemDelete(query as CFDictionary)
    return SecItemAdd(query as CFDictionary, nil) == noErr
  }

  static func token(for account: String) -> Data? {
    let query =
      [
        kSecClass: kSecClassGenericPassword,
        kSecAttrService: service,
        kSecAttrAccount: account,
        kSecReturnData: true,
      ] as CFDictionary
    var result: AnyObject?
    guard SecItemCopyMatching(query, &result) == errSecSuccess else { return nil }
    return result as? Data
  }
}
