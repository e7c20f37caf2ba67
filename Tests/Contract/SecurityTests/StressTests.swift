import CredentialVault
import Foundation
import Security
import Synchronization
import TestSupport
import Testing
import VaultModel

extension SecurityTests {
  /// Also for ThreadSanitizer: the functions share the process's list of vaults.
  @Suite("Security: from many threads")
  struct StressTests {
    init() throws {
      try TestVault.use()
    }

    /// The store in which an item is kept: a rule lets the file have only one of the services.
    enum Store: String, CaseIterable {
      case file, memory

      var service: String { "stress.\(self)" }
    }

    private static let turns = 300

    @Test("300 adds, finds and deletes from eight threads lose nothing", arguments: Store.allCases)
    func stress(_ store: Store) throws {
      let vault = try TestVault.vault()
      var rule = PersistencePolicy.Rule(name: "stress")
      rule.service = Store.memory.service
      rule.maximumPersistence = .session
      try vault.policy.update { [rule] in $0 = [rule] }
      defer { #expect(throws: Never.self) { try vault.policy.update { $0 = [] } } }
      let failures = Atomic(0)
      inThreads(8) { thread in
        for turn in stride(from: thread, to: Self.turns, by: 8) where !Self.isRight(turn, in: store)
        {
          failures.add(1, ordering: .relaxed)
        }
      }
      #expect(failures.load(ordering: .relaxed) == 0)
      #expect(try Self.listed(store).count == Self.turns / 3)
      let kept = Set(try TestVault.generic(store.service).map(\.persistence))
      #expect(kept == [store == .file ? .permanent : .session])
      #expect(SecItemDelete(Self.key(store) as CFDictionary) == errSecSuccess)
    }

    private static func key(_ store: Store, _ turn: Int? = nil) -> [String: Any] {
      var key: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: store.service,
      ]
      if let turn { key[kSecAttrAccount as String] = "account \(turn)" }
      return key
    }

    /// Adds, finds and changes an item, and deletes two of three.
    private static func isRight(_ turn: Int, in store: Store) -> Bool {
      let key = key(store, turn)
      let secret = Data("secret \(turn)".utf8)
      let new = key.merging([kSecValueData as String: secret]) { $1 } as CFDictionary
      guard SecItemAdd(new, nil) == errSecSuccess, SecItemAdd(new, nil) == errSecDuplicateItem
      else { return false }
      let query = key.merging([kSecReturnData as String: true]) { $1 } as CFDictionary
      var result: AnyObject?
      // The place is this function's own.
      guard unsafe SecItemCopyMatching(query, &result) == errSecSuccess, result as? Data == secret
      else { return false }
      let changes = [kSecAttrComment as String: "changed"] as CFDictionary
      guard SecItemUpdate(key as CFDictionary, changes) == errSecSuccess else { return false }
      return turn.isMultiple(of: 3) || SecItemDelete(key as CFDictionary) == errSecSuccess
    }

    private static func listed(_ store: Store) throws -> [[String: Any]] {
      let query = key(store).merging([
        kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnAttributes as String: true,
      ]) { $1 }
      var result: AnyObject?
      // The place is this function's own.
      try #require(unsafe SecItemCopyMatching(query as CFDictionary, &result) == errSecSuccess)
      return try #require(result as? [[String: Any]])
    }
  }
}
