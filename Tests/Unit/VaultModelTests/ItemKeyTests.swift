import TestSupport
import Testing

@testable import VaultModel

@Suite("Item.Key")
struct ItemKeyTests {
  typealias Key = Item.Key

  /// Returns keys of few different values, so that random ones often share parts.
  static func random(using random: inout SplitMix) -> Key {
    let texts = ["", "a", "ab", "b", "caf\u{E9}", "cafe\u{301}"]
    let hosts = ["", "a", "a.b", "b", "1.2.3.4"]
    func pick<Value>(_ values: [Value]) -> Value {
      values[Int.random(in: 0..<values.count, using: &random)]
    }
    return Key(
      account: pick(texts), realm: pick(texts), server: HostName(canonical: pick(hosts)),
      protocol: pick([.unset, .http, .https, .httpProxy]),
      authenticationMethod: pick([.unset, .default, .basic]), port: pick([0, 1, 80, 443, 10000]),
      path: pick(texts))
  }

  /// Returns the seven parts in the keychain's order, as bytes; a number sorts by its two bytes,
  /// and an encrypted protocol before any other.
  static func parts(_ key: Key) -> [[UInt8]] {
    [
      Array(key.account.utf8), Array(key.realm.utf8), Array(key.server.name.utf8),
      [key.protocol.isEncrypted ? 0 : 1] + Array(key.protocol.rawValue.utf8),
      Array(key.authenticationMethod.rawValue.utf8),
      [UInt8(key.port >> 8), UInt8(key.port & 0xFF)], Array(key.path.utf8),
    ]
  }

  @Test("keys are equal, hash and sort as their seven parts in order, encrypted protocols first")
  func model() {
    var random = SplitMix(seed: 6)
    for _ in 0..<20_000 {
      let (left, right) = (Self.random(using: &random), Self.random(using: &random))
      let (a, b) = (Self.parts(left), Self.parts(right))
      #expect((left == right) == (a == b))
      #expect(
        (left < right) == a.lexicographicallyPrecedes(b, by: { $0.lexicographicallyPrecedes($1) }))
      if a == b { #expect(left.hashValue == right.hashValue) }
    }
  }

  @Test("the order is strict, total and transitive")
  func order() {
    var random = SplitMix(seed: 7)
    for _ in 0..<20_000 {
      let keys = (0..<3).map { _ in Self.random(using: &random) }
      #expect(!(keys[0] < keys[0]))
      #expect([keys[0] < keys[1], keys[1] < keys[0], keys[0] == keys[1]].count { $0 } == 1)
      if keys[0] < keys[1], keys[1] < keys[2] { #expect(keys[0] < keys[2]) }
    }
  }

  @Test("an earlier part outweighs all later ones")
  func precedence() throws {
    let lows: [Key] = [
      Key(account: "a"), Key(realm: "a"), Key(server: HostName(canonical: "a")),
      Key(protocol: NetworkProtocol(rawValue: "a")),
      Key(authenticationMethod: AuthenticationMethod(rawValue: "e")), Key(port: 1),
      Key(path: "a"),
    ]
    for (index, key) in lows.enumerated() {
      for later in lows[(index + 1)...] { #expect(later < key) }
      #expect(Key() < key)
    }
    #expect(Key(port: 443) < Key(port: 8443), "numbers sort as numbers")
    #expect(Key(account: "Z") < Key(account: "a"), "text sorts by bytes")
    #expect(Key(account: "a") < Key(account: "aa"))
  }

  @Test("parts do not run into each other when hashed or compared")
  func boundaries() {
    let keys: Set<Key> = [
      Key(account: "ab", realm: ""), Key(account: "a", realm: "b"), Key(account: "", realm: "ab"),
      Key(realm: "caf\u{E9}"), Key(realm: "cafe\u{301}"),
      Key(authenticationMethod: .unset), Key(authenticationMethod: .default),
    ]
    #expect(keys.count == 7)
    #expect(Set(keys.map(\.hashValue)).count == 7)
  }
}
