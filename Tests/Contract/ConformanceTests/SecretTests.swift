import SecureMemory
import TestSupport
import Testing
import VaultStore
import VaultModel

@Suite("any store: secrets")
struct SecretTests {
  /// Returns bytes that are not text: NULs, all values, not UTF-8.
  static func binary(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 151) }
  }

  @Test(
    "secrets of any bytes come back, from none to 1 MiB", arguments: StoreKind.allCases,
    [0, 1, 20, 255, 256, 1024, 1025, 4096, 100_000, 1 << 20])
  func sizes(kind: StoreKind, count: Int) throws {
    let place = try kind.make()
    let bytes = Self.binary(count)
    var given = try item()
    given.secret = Secret(bytes)
    try place.add(given)
    #expect(try place.find().first?.secret?.array == bytes)
    #expect(try place.store.find(ItemQuery(), withSecrets: false).first?.secret == nil)
  }

  @Test("a secret above 1 MiB is too large, added or changed", arguments: StoreKind.allCases)
  func tooLarge(kind: StoreKind) throws {
    let place = try kind.make()
    var given = try item()
    given.secret = Secret(Self.binary(1 << 20 + 1))
    expect(.tooLarge) { try place.add(given) }
    #expect(try place.find().isEmpty)
    let stored = try place.store.add(item())
    expect(.tooLarge) { _ = try place.modify(stored, .secret(Secret(Self.binary(1 << 20 + 1)))) }
    #expect(try place.find().first?.secret?.array == Array("one".utf8))
  }

  @Test("an absent secret is an empty one", arguments: StoreKind.allCases)
  func absent(kind: StoreKind) throws {
    let place = try kind.make()
    let stored = try place.store.add(item(secret: nil))
    #expect(try place.find().first?.secret?.count == 0)
    #expect(try place.modify(stored, .secret(Secret(""))).revision == stored.revision)
  }

  @Test("a secret can grow, shrink and become empty, time and again", arguments: StoreKind.allCases)
  func resize(kind: StoreKind) throws {
    let place = try kind.make()
    let stored = try place.store.add(item())
    for count in [5000, 20, 1 << 20, 1025, 1024, 0, 3000, 0, 1] {
      let bytes = Self.binary(count)
      let changed = try place.modify(stored, .secret(Secret(bytes)))
      #expect(changed.secret == nil && changed.refreshToken == nil)
      #expect(try place.find().first?.secret?.array == bytes)
    }
    try verify(place)
  }

  @Test("attributes change without touching the secrets", arguments: StoreKind.allCases, [3, 4000])
  func kept(kind: StoreKind, count: Int) throws {
    let place = try kind.make()
    var given = try fullItem()
    given.secret = Secret(Self.binary(count))
    try place.add(given)
    _ = try place.modify(
      given, .comment("changed"), .account("bob"), .server(HostName("other.org")))
    let stored = try #require(try place.find().first)
    #expect(stored.secret?.array == Self.binary(count))
    #expect(stored.refreshToken?.array == Array("refresh".utf8))
    #expect(stored.oneTimePasswordKey?.array == Array("otpauth://totp/x?secret=ABC".utf8))
    try verify(place)
  }

  @Test(
    "further secrets are kept beside the secret, each by itself", arguments: StoreKind.allCases,
    Attribute.furtherSecrets)
  func furtherSecrets(kind: StoreKind, attribute: Attribute) throws {
    let place = try kind.make()
    let stored = try place.store.add(item())
    let other = try #require(Attribute.furtherSecrets.first { $0 != attribute })
    _ = try place.modify(stored, ItemChange(other, .secret(Secret("other"))))
    #expect(try place.find().first?[secret: attribute] == nil)
    for count in [1, attribute.longest, 20] {
      let value = Secret(Self.binary(count))
      _ = try place.modify(stored, ItemChange(attribute, .secret(value)))
      let found = try #require(try place.find().first)
      #expect(found[secret: attribute]?.array == Self.binary(count))
      #expect(found[secret: other]?.array == Array("other".utf8))
      let listed = try #require(try place.store.find(ItemQuery(), withSecrets: false).first)
      #expect(listed[secret: attribute] == nil && listed.extended[attribute] != nil)
    }
    _ = try place.modify(stored, .secret(Secret("two")))
    #expect(try place.find().first?[secret: attribute]?.count == 20)
    _ = try place.modify(stored, ItemChange(attribute, nil))
    let found = try #require(try place.find().first)
    #expect(found[secret: attribute] == nil && found.extended[attribute] == nil)
    #expect(found.secret?.array == Array("two".utf8))
    #expect(found[secret: other]?.array == Array("other".utf8))
  }

  @Test("an empty refresh token is none", arguments: StoreKind.allCases)
  func emptyToken(kind: StoreKind) throws {
    let place = try kind.make()
    var given = try item()
    given.refreshToken = Secret("")
    let added = try place.store.add(given)
    #expect(added.refreshToken == nil)
    #expect(try place.find().first?.refreshToken == nil)
    #expect(try place.modify(added, .refreshToken(nil)).revision == added.revision)
    #expect(try place.modify(added, .refreshToken(Secret(""))).revision == added.revision)
  }

  private func verify(_ place: Place) throws {
    guard let file = place.store.file else { return }
    #expect(try file.verify().problems == [])
  }
}
