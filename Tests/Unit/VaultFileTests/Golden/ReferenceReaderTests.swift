import SealedTree
import SecureMemory
import StoreTesting
import TestSupport
import Testing
import VaultCrypto
import VaultStore
import VaultModel

/// Vaults of the library, read and verified whole by the second implementation.
@Suite("vaults read by the second implementation")
struct ReferenceReaderTests {
  /// Compares the contents of a vault as the two implementations read them.
  private func compare(_ fixture: StoreFixture) throws {
    let listing = try Golden.read(fixture)
    let found = try fixture.items()
    #expect(listing.list("items").count == found.count)
    let isSame = Set(listing.list("items")) == Set(found)
    #expect(isSame)
    let defaults = try fixture.store.defaults().map { Listing.json($0, user: $1) }
    #expect(Set(listing.list("defaults")) == Set(defaults))
    #expect(listing.list("defaults").count == defaults.count)
    let policy = try fixture.store.policy()
    #expect(Set(listing.list("rules")) == Listing.json(policy))
    #expect(listing.list("rules").count == policy.rules.count)
    let information = try fixture.store.information()
    #expect(listing["generation"] == .number(Int64(information.generation)))
    #expect(information.itemCount == found.count)
  }

  @Test("an empty vault")
  func empty() throws {
    try compare(StoreFixture())
  }

  @Test("an item with every attribute, and secrets of all sizes")
  func everything() throws {
    let fixture = try StoreFixture()
    var item = Item(
      server: try HostName("Bücher.example"), account: "böb", secret: Secret("grüß\0"),
      protocol: .imaps, port: 993, realm: "Räume", path: "/päth", authenticationMethod: .ntlm)
    item.label = "label"
    item.comment = String(repeating: "c", count: 64 << 10)
    item.kind = "kind"
    item.creator = 1
    item.type = .max
    item.isNegative = true
    item.isInvisible = true
    item.expires = Timestamp(milliseconds: -1)
    item.accountDomain = "DOMAIN"
    item.origin = "git"
    item.secretKind = .token
    item.custom = ["ä": "1", "a": "", "z": String(repeating: "v", count: 4096)]
    item.refreshToken = Secret([UInt8](repeating: 7, count: 8192))
    _ = try fixture.store.add(item)
    for size in [0, 1, 1023, 1024, 1025, 5000, 1 << 20] {
      _ = try fixture.store.add(
        Item(
          server: try HostName("sizes.example"), account: "\(size)",
          secret: Secret([UInt8](repeating: 0xAB, count: size))))
    }
    let none = Item(authenticationMethod: .unset)
    _ = try fixture.store.add(none)
    #expect(try fixture.store.shape().largeSecretCount == 3)
    try compare(fixture)
  }

  @Test("an empty refresh token is none")
  func emptyToken() throws {
    let fixture = try StoreFixture()
    var item = Item(server: try HostName("h.example"), secret: Secret("s"))
    item.refreshToken = Secret("")
    _ = try fixture.store.add(item)
    #expect(try fixture.store.find(ItemQuery(), withSecrets: true).first?.refreshToken == nil)
    try compare(fixture)
    _ = try fixture.store.modify(item.id, hint: item.key, [.refreshToken(Secret("token"))])
    try compare(fixture)
    _ = try fixture.store.modify(item.id, hint: item.key, [.refreshToken(Secret(""))])
    try compare(fixture)
  }

  @Test("an item with dates of the very beginning of 1970, which a record cannot hold")
  func timeZero() throws {
    let fixture = try StoreFixture()
    var item = Item(server: try HostName("h.example"), secret: Secret("s"))
    item.created = Timestamp(milliseconds: 0)
    item.modified = item.created
    item.expires = item.created
    _ = try fixture.store.add(item)
    let stored = try #require(try fixture.store.find(ItemQuery()).first)
    #expect(stored.created.milliseconds > 0 && stored.modified == stored.created)
    #expect(stored.expires == Timestamp(milliseconds: 1))
    try compare(fixture)
  }

  @Test("defaults of server and proxy spaces, changed and removed")
  func defaults() throws {
    let fixture = try StoreFixture()
    let spaces = [
      try ProtectionSpace(host: "a.example", realm: "r", authenticationMethod: .basic),
      try ProtectionSpace(host: "a.example", port: 8443),
      try ProtectionSpace(host: "a.example", protocol: NetworkProtocol("foo")),
      try ProtectionSpace(proxyHost: "a.example", port: 3128, type: .https),
      try ProtectionSpace(host: "::1"),
    ]
    for (index, space) in spaces.enumerated() {
      try fixture.store.setDefaultUser("user\(index)", for: space)
    }
    try fixture.store.setDefaultUser("", for: spaces[1])
    try compare(fixture)
    try fixture.store.setDefaultUser("another", for: spaces[0])
    try fixture.store.setDefaultUser(nil, for: spaces[2])
    try fixture.store.setDefaultUser(nil, for: try ProtectionSpace(host: "none.example"))
    #expect(try fixture.store.defaultUser(for: spaces[0]) == "another")
    #expect(try fixture.store.defaultUser(for: spaces[2]) == nil)
    #expect(try fixture.store.defaults().count == 4)
    try compare(fixture)
  }

  @Test("a vault with a passphrase")
  func passphrase() throws {
    let folder = try TemporaryFolder()
    let path = folder.file("p.vault")
    let store = try FileStore.create(
      VaultPath(path), key: .passphrase(Secret("pässwörd")), slotName: "näme", cost: .minimum,
      stateFolder: nil, lockTimeout: .zero)
    _ = try store.add(Item(server: try HostName("h.example"), account: "a"))
    let given = try folder.write("pässwörd\n".utf8, as: "passphrase")
    #expect(try Golden.read(path, ["--passphrase-file", given]).list("items").count == 1)
    let wrong = try folder.write("password\n".utf8, as: "wrong")
    let refusal = #expect(throws: Golden.Refusal.self) {
      try Golden.read(path, ["--passphrase-file", wrong])
    }
    #expect(refusal?.description.contains("wrong key") == true)
  }

  @Test("a vault of 4200 hosts, with chunks, and after they went")
  func chunked() throws {
    let fixture = try StoreFixture()
    let items = try (0..<4200).map {
      Item(
        server: try HostName("h\($0).example"), account: "a", secret: Secret("\($0)"))
    }
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items { _ = try transaction.add(item) }
    }
    #expect(try fixture.store.shape().chunkCount == 2)
    try compare(fixture)
    try fixture.store.write { (transaction) throws(VaultError) in
      for item in items.dropFirst(1000) {
        try transaction.remove(item.id, hint: item.key, removal: .permanent)
      }
    }
    #expect(try fixture.store.shape().chunkCount == 0)
    try compare(fixture)
  }

  @Test("a heavy host, a heavy account on it, and defaults beside them")
  func heavy() throws {
    let fixture = try StoreFixture()
    let host = try HostName("heavy.example")
    try fixture.store.write { (transaction) throws(VaultError) in
      for index in 0..<150 {
        _ = try transaction.add(
          Item(server: host, account: "user\(index)", secret: Secret("\(index)")))
        _ = try transaction.add(
          Item(server: host, account: "build", path: "/\(index)"))
      }
      try transaction.setDefaultUser(
        "build", for: ProtectionSpace(host: host.name, protocol: .https))
    }
    #expect(try fixture.store.shape().trees.map(\.level) == [0, 1, 2])
    try compare(fixture)
  }
}
