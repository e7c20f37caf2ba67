// As many packages for Apple's systems are: with Foundation, and without a line for Security.
import Foundation

public enum TokenKeychain {
  private static let service = "keychain.implicit"

  public static func save(_ token: Data, for account: String) -> Bool {
    let query: [String?: Any] = [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: service,
      kSecAttrAccount as String: account,
      kSecValueData as String: token,
    ]
    SecItemDelete(query as CFDictionary)
    return SecItemAdd(query as CFDictionary, nil) == noErr
  }

  public static func token(for account: String) -> Data? {
    let query = [
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
