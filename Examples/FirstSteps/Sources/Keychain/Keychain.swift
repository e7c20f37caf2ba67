import Foundation
import Security

/// A program in the manner of macOS: `save TOKEN` prints a reference, `rename NAME` gives the
/// password another account, and `load REFERENCE` prints the token.
@main
struct Keychain {
  static func main() {
    let arguments = CommandLine.arguments
    let status =
      switch (arguments.dropFirst().first, arguments.last) {
      case ("save", let token?): save(token)
      case ("rename", let name?): rename(name)
      case ("load", let reference?): load(reference)
      default: errSecParam
      }
    guard status != errSecSuccess else { return }
    print(SecCopyErrorMessageString(status, nil) as String? ?? "status \(status)")
    exit(1)
  }

  private static var query: [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword,
      kSecAttrService as String: "com.example.keychain",
    ]
  }

  private static func save(_ token: String) -> OSStatus {
    var item = query
    item[kSecAttrAccount as String] = "first"
    item[kSecValueData as String] = Data(token.utf8)
    item[kSecReturnPersistentRef as String] = true
    var result: CFTypeRef?
    let status = SecItemAdd(item as CFDictionary, &result)
    if let reference = result as? Data { print(reference.base64EncodedString()) }
    return status
  }

  private static func rename(_ name: String) -> OSStatus {
    SecItemUpdate(query as CFDictionary, [kSecAttrAccount as String: name] as CFDictionary)
  }

  private static func load(_ reference: String) -> OSStatus {
    guard let reference = Data(base64Encoded: reference) else { return errSecParam }
    let query: [String: Any] = [
      kSecValuePersistentRef as String: reference,
      kSecReturnData as String: true,
      kSecReturnAttributes as String: true,
    ]
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query as CFDictionary, &result)
    if let item = result as? [String: Any], let data = item[kSecValueData as String] as? Data {
      print(item[kSecAttrAccount as String] as? String ?? "", String(decoding: data, as: UTF8.self))
    }
    return status
  }
}
