import CForkSupport
import CredentialVault
import Foundation
import Glibc
import Security
import TestSupport
import Testing

extension SecurityTests {
  @Suite("Security: the vault of the functions")
  struct DefaultVaultTests {
    private let query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "default",
      kSecAttrAccount as String: "a",
    ]

    init() throws {
      try TestVault.use()
    }

    private func read(_ more: [String: Any] = [:]) -> (OSStatus, Data?) {
      var result: AnyObject?
      // The place is this function's own.
      let status = unsafe SecItemCopyMatching(
        query.merging([kSecReturnData as String: true]) { $1 }.merging(more) { $1 }, &result)
      return (status, result as? Data)
    }

    @Test("what Swift code stores is found, and the reverse, at once")
    func both() throws {
      let vault = try TestVault.vault()
      SecItemDelete(query as CFDictionary)
      try vault.add(
        Item(service: "default", account: "a", secret: Secret("native")))
      #expect(read() == (errSecSuccess, Data("native".utf8)))
      let changes = [kSecValueData as String: Data("SecItem".utf8)]
      #expect(SecItemUpdate(query as CFDictionary, changes as CFDictionary) == errSecSuccess)
      let item = try vault.find(
        ItemQuery(service: "default", account: "a"), withSecrets: true)
      #expect(item.secret?.array == Array("SecItem".utf8))
      #expect(try vault.history.entries(of: item).isEmpty)
      #expect(SecItemDelete(query as CFDictionary) == errSecSuccess)
      #expect(
        try !vault.trash.items(ItemQuery(itemClass: .genericPassword)).contains {
          $0.item.service == "default"
        })
    }

    @Test("in a forked process the vault is locked, and no call waits")
    func fork() throws {
      SecItemDelete(query as CFDictionary)
      #expect(read().0 == errSecItemNotFound)
      let child = fork_by_library()
      if child == 0 {
        end_after(120)
        _exit(SecItemDelete(query as CFDictionary) == errSecInteractionNotAllowed ? 0 : 1)
      }
      var state: Int32 = 0
      // The place is this function's own.
      try #require(unsafe waitpid(child, &state, 0) == child)
      #expect(state == 0)
    }

    @Test("a persistent reference is read by another process, also after a new name")
    func otherProcess() async throws {
      let service = "default.process"
      var result: AnyObject?
      let new: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
        kSecValueData as String: Data("token".utf8), kSecReturnPersistentRef as String: true,
      ]
      // The place is this function's own.
      try #require(unsafe SecItemAdd(new as CFDictionary, &result) == errSecSuccess)
      let bytes = Array(try #require(result as? Data))
      let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
      ]
      let renamed = [kSecAttrService as String: "default.process.renamed"]
      #expect(SecItemUpdate(query as CFDictionary, renamed as CFDictionary) == errSecSuccess)
      // The variables of this process name the vault there too.
      await #expect(processExitsWith: .success) { [bytes = bytes as [UInt8]] in
        let named: [String: Any] = [
          kSecValuePersistentRef as String: Data(bytes), kSecReturnData as String: true,
        ]
        var result: AnyObject?
        // The place is this function's own.
        let status = unsafe SecItemCopyMatching(named as CFDictionary, &result)
        exit(status == errSecSuccess && result as? Data == Data("token".utf8) ? 0 : 1)
      }
      let reference = [kSecValuePersistentRef as String: Data(bytes)]
      #expect(SecItemDelete(reference as CFDictionary) == errSecSuccess)
      #expect(SecItemCopyMatching(reference as CFDictionary, nil) == errSecItemNotFound)
    }

    @Test("a locked vault is not mistaken for one without the item")
    func locked() throws {
      let vault = try TestVault.vault()
      try vault.lock()
      #expect(read().0 == errSecInteractionNotAllowed)
      #expect(
        SecItemAdd(query as CFDictionary, nil) == errSecInteractionNotAllowed)
      try vault.unlock(with: .keyFile(TestVault.keyFile()))
      #expect(read().0 == errSecItemNotFound)
    }
  }
}
