import CVault
import CredentialVault
import Foundation
import SecureMemory
import TestSupport
import Testing
import VaultC
import VaultModel

/// The functions of SecKeychain against a model of Apple's file keychain, a list of keys and
/// secrets: both get the same random calls.
@Suite("Keychain: random calls")
struct ModelTests {
  /// An item of the model; each secret is its own.
  struct Entry {
    var words: Words
    var secret: String

    /// Returns whether each parameter that is given is equal.
    func matches(_ query: Words) -> Bool {
      (query.server == nil || query.server == words.server)
        && (query.domain == nil || query.domain == words.domain)
        && (query.account == nil || query.account == words.account)
        && (query.path == nil || query.path == words.path)
        && (query.port == 0 || query.port == words.port)
        && (query.proto == 0 || query.proto == words.proto)
        && (query.type == 0 || query.type == words.type)
    }

    var key: [String] {
      [
        words.server ?? "", words.domain ?? "", words.account ?? "", words.path ?? "",
        "\(words.port)", "\(words.proto)", "\(words.type)",
      ]
    }
  }

  private static func words(rarity: Int, _ random: inout SplitMix) -> Words {
    func any<Value>(_ none: Value, _ values: [Value]) -> Value {
      Int.random(in: 0..<rarity, using: &random) == 0
        ? values.randomElement(using: &random) ?? none : none
    }
    return Words(
      server: any(nil, ["a.example", "b.example"]), domain: any(nil, ["realm"]),
      account: any(nil, ["ann", "bob", "ANN"]), path: any(nil, ["/", "/x"]),
      port: any(0, [1, 443]), proto: any(0, [kVaultProtocolTypeHTTP, kVaultProtocolTypeHTTPS]),
      type: any(0, [kVaultAuthenticationTypeDefault, kVaultAuthenticationTypeHTTPBasic]))
  }

  /// `make test-long` makes a hundred thousand calls.
  private static let isLong = ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil
  private static let count = isLong ? 100_000 : 600
  private static let seeds: [UInt64] = isLong ? [20_26, 45, 1_000_003] : [20_26]

  @Test("agree with a model's, in status, items and secrets", arguments: seeds)
  func random(seed: UInt64) throws {
    let fixture = try Fixture()
    let vault = fixture.reference
    var random = SplitMix(seed: seed)
    var entries: [Entry] = []
    for call in 0..<Self.count {
      let what = Int.random(in: 0..<100, using: &random)
      if what < 40 {
        let words = Self.words(rarity: 2, &random)
        let entry = Entry(words: words, secret: "secret \(call)")
        let isThere = entries.contains { $0.key == entry.key }
        let (status, item) = words.add(Array(entry.secret.utf8), to: vault)
        #expect(
          status == (isThere ? errVaultDuplicateItem : errVaultSuccess), "call \(call): \(words)")
        if !isThere { entries.append(entry) }
        item.release()
        continue
      }
      let query = Self.words(rarity: 4, &random)
      let matching = entries.indices.filter { entries[$0].matches(query) }
      let (status, secret, item) = query.find(in: vault)
      #expect(
        status == (matching.isEmpty ? errVaultItemNotFound : errVaultSuccess),
        "call \(call): \(query)")
      guard status == errVaultSuccess, let secret else { continue }
      defer { item.release() }
      // The secret tells which one it is.
      let text = String(decoding: secret, as: UTF8.self)
      let index = try #require(matching.first { entries[$0].secret == text }, "call \(call)")
      switch what {
      case 40..<50:
        entries[index].secret = "changed \(call)"
        let data = Array(entries[index].secret.utf8)
        // The bytes are valid during the call.
        let status = unsafe VaultItemModifyContent(item.pointer, nil, UInt32(data.count), data)
        #expect(status == errVaultSuccess, "call \(call)")
      case 50..<60:
        let account = ["ann", "bob", "ANN"].randomElement(using: &random) ?? ""
        var changed = entries[index]
        changed.words.account = account
        let isTaken = entries.indices.contains {
          $0 != index && entries[$0].key == changed.key
        }
        let status = Attributes(kVaultAccountItemAttr, account).modify(item)
        #expect(
          status == (isTaken ? errVaultDuplicateItem : errVaultSuccess), "call \(call)")
        if !isTaken { entries[index] = changed }
      case 60..<70:
        #expect(unsafe VaultItemDelete(item.pointer) == errVaultSuccess, "call \(call)")
        entries.remove(at: index)
      default: continue
      }
    }
    let stored = try fixture.items().compactMap { $0.secret?.array }
    #expect(
      stored.map { String(decoding: $0, as: UTF8.self) }.sorted()
        == entries.map(\.secret).sorted())
    #expect(try fixture.vault.trash.items(.everything).isEmpty)
  }
}
