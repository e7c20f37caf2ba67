import CredentialVault
import Foundation
import Security
import Testing
import VaultModel

@testable import KeychainImplicit
@testable import KeychainShapes

extension SecurityTests {
  @Suite("Security: the code of apps runs as it is")
  struct ShapeTests {
    init() throws {
      try TestVault.use()
    }

    @Test("a shared helper saves, overwrites, reads and deletes; values are JSON")
    func helper() throws {
      struct Login: Codable, Equatable {
        var user: String
        var scopes: [String]
      }
      let helper = KeychainHelper.standard
      for scopes in [["read"], ["read", "write"]] {
        let login = Login(user: "smith", scopes: scopes)
        helper.save(login, service: "shapes.helper", account: "a")
        #expect(helper.read(service: "shapes.helper", account: "a", type: Login.self) == login)
      }
      #expect(try TestVault.generic("shapes.helper").count == 1)
      helper.delete(service: "shapes.helper", account: "a")
      #expect(helper.read(service: "shapes.helper", account: "a") == nil)
    }

    @Test("code without an import of Security compiles by one flag, and works")
    func implicit() {
      for token in [Data([1]), Data([2, 0])] {
        #expect(TokenKeychain.save(token, for: "a"))
        #expect(TokenKeychain.token(for: "a") == token)
      }
      #expect(TokenKeychain.token(for: "b") == nil)
    }

    @Test("deleting and adding with one dictionary replaces a token")
    func token() {
      for token in ["one", "two"] {
        #expect(TokenManager.set(token))
        #expect(TokenManager.get() == token)
      }
      #expect(TokenManager.clear())
      #expect(TokenManager.get() == nil)
      #expect(TokenManager.clear())
    }

    @Test("updating first, and adding if there is nothing")
    func upsert() throws {
      let store = Upserter(service: "shapes.upsert")
      #expect(!store.exists("a"))
      for value in ["one", "two"] {
        #expect(store.upsert(value, for: "a") == errSecSuccess)
        #expect(store.value("a") == NSString(string: value))
      }
      #expect(store.exists("a"))
      #expect(store.migrate() == errSecSuccess)
      let item = try #require(TestVault.generic("shapes.upsert").first)
      #expect(item.custom["keychain-accessible"] == "ck")
    }

    @Test("the listings of Apple's documentation work for an internet password")
    func listings() throws {
      let passwords = ServerPasswords(server: "shapes.example.com")
      #expect(throws: KeychainError.self) { try passwords.search() }
      try passwords.add(Credentials(username: "smith", password: "one"))
      #expect(throws: KeychainError.self) {
        try passwords.add(Credentials(username: "smith", password: "two"))
      }
      #expect(try passwords.search().password == "one")
      try passwords.update(Credentials(username: "jones", password: "two"))
      let found = try passwords.search()
      #expect(found.username == "jones")
      #expect(found.password == "two")
      var query = ItemQuery()
      query.server = .equals(try HostName("shapes.example.com"))
      #expect(try TestVault.vault().findUnique(query).account == "jones", "Swift code finds it")
      try passwords.delete()
      #expect(throws: KeychainError.self) { try passwords.search() }
    }

    @Test("dictionaries of objects work as those of values")
    func objects() throws {
      var item = PasswordItem(service: "shapes.objects", account: "a")
      try item.savePassword("one")
      try item.savePassword("two")
      #expect(try item.readPassword() == "two")
      try item.renameAccount("b")
      try PasswordItem(service: "shapes.objects", account: "c").savePassword("three")
      #expect(try PasswordItem.items("shapes.objects").map(\.account) == ["b", "c"])
      try item.deleteItem()
      #expect(throws: PasswordItem.ItemError.self) { try item.readPassword() }
      let grouped = PasswordItem(service: "shapes.objects", account: "d", accessGroup: "group")
      try grouped.savePassword("four")
      #expect(try PasswordItem.items("shapes.objects", "group").map(\.account) == ["d"])
    }

    @Test("a class with prefixed keys lists, refers and deletes", arguments: [false, true])
    func simple(_ synchronizable: Bool) {
      let keychain = SimpleKeychain(keyPrefix: "shapes.simple.\(synchronizable).")
      keychain.synchronizable = synchronizable
      #expect(keychain.get("a") == nil)
      #expect(keychain.lastResultCode == errSecItemNotFound)
      #expect(keychain.set("one", forKey: "a"))
      #expect(keychain.set("two", forKey: "a", withAccess: kSecAttrAccessibleAlways))
      #expect(keychain.get("a") == "two")
      #expect(keychain.getData("a", asReference: true)?.count == 20)
      #expect(keychain.allKeys.filter { $0.hasPrefix(keychain.keyPrefix) }.count == 1)
      #expect(keychain.delete("a"))
      #expect(!keychain.delete("a"))
    }

    @Test("a class that gives its keys as data gets them back as data")
    func dataKeys() {
      let wrapper = DataKeyWrapper(serviceName: "shapes.data")
      for key in ["a", "b"] {
        #expect(wrapper.set(Data("one".utf8), forKey: key))
        #expect(wrapper.set(Data("two".utf8), forKey: key))
        #expect(wrapper.data(forKey: key) == Data("two".utf8))
      }
      #expect(wrapper.allKeys() == ["a", "b"])
      #expect(wrapper.removeAllKeys())
      #expect(!wrapper.hasValue(forKey: "a"))
    }

    @Test("a builder with a subscript works for both classes")
    func builder() throws {
      let url = try #require(URL(string: "https://builder.example.com:8443"))
      for keychain in [Keychain(service: "shapes.builder"), Keychain(server: url)] {
        keychain["a"] = "one"
        keychain["a"] = "two"
        try keychain.label("name").set("three", key: "b")
        #expect(keychain["a"] == "two")
        let items = keychain.allItems()
        #expect(items.compactMap { $0[kSecAttrAccount as String] as? String } == ["a", "b"])
        #expect(items.last?[kSecAttrLabel as String] as? String == "name")
        #expect(items.last?[kSecValueData as String] as? Data == Data("three".utf8))
        #expect(items.last?[kSecAttrModificationDate as String] as? Date != nil)
        keychain["a"] = nil
        #expect(keychain["a"] == nil)
      }
      #expect(serversAndAccounts(label: "name") == ["builder.example.com:8443": "b"])
    }

    @Test("a status has words, also as an error of Foundation's")
    func statuses() {
      let error = StatusError(status: errSecItemNotFound)
      #expect(error.errorDescription == "The specified item could not be found in the keychain.")
      #expect(error.asNSError.code == -25300)
      #expect(
        error.asNSError.localizedDescription
          == "The specified item could not be found in the keychain.")
      #expect(StatusError(status: 1).errorDescription == nil)
    }

    @Test("a property lives in the vault")
    func property() {
      let session = Session()
      session.accessToken = nil
      #expect(session.accessToken == nil)
      session.accessToken = "token"
      #expect(Session().accessToken == "token")
    }

    @Test("an actor caches tokens as JSON")
    func cache() async throws {
      let cache = TokenCache(account: "a")
      #expect(try await cache.load() == nil)
      for seconds in [1000.0, 2000] {
        let token = TokenCache.Token(value: "t", expires: Date(timeIntervalSince1970: seconds))
        try await cache.store(token)
        #expect(try await cache.load() == token)
      }
    }

    @Test("references of both kinds find, change and outlive a rename")
    func references() throws {
      let client = KeychainClient()
      let reference = try #require(
        client.persistentReference(adding: Data("one".utf8), account: "a"))
      #expect(client.secret(reference) == Data("one".utf8))
      #expect(client.replaceByReference(account: "a", with: Data("two".utf8)) == errSecSuccess)
      let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: "shapes.client",
      ]
      let renamed = [kSecAttrAccount as String: "b"]
      #expect(client.update(query as CFDictionary, renamed as CFDictionary) == errSecSuccess)
      #expect(client.secret(reference) == Data("two".utf8))
      #expect(client.replaceByReference(account: "a", with: Data()) == errSecItemNotFound)
      #expect(client.delete(query as CFDictionary) == errSecSuccess)
      #expect(client.secret(reference) == nil)
    }

    @Test("an item for which a person must be there is refused")
    func protected() {
      #expect(addProtected(flags: .userPresence, account: "a") == errSecParam)
      #expect(
        addProtected(flags: [.biometryAny, .or, .devicePasscode], account: "a") == errSecParam)
      #expect(addProtected(flags: [], account: "a") == errSecSuccess)
    }

    @Test("the examples of the page run")
    func page() throws {
      let examples = PageExamples()
      #expect(try examples.load(account: "a") == nil)
      for token in ["one", "two"] {
        try examples.save(Data(token.utf8), account: "a")
        #expect(try examples.load(account: "a") == Data(token.utf8))
      }
    }

    @Test("deleting every class is what it says")
    func reset() throws {
      #expect(TokenManager.set("token"))
      let statuses = resetKeychain()
      #expect(statuses.first == errSecSuccess)
      #expect(statuses.suffix(3).allSatisfy { $0 == errSecNoSuchClass })
      #expect(TokenManager.get() == nil)
    }
  }
}
