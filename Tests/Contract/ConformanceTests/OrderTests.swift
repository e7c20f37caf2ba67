import SecureMemory
import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: spaces, ranks and order")
struct OrderTests {
  @Test("items sort by their keys, whatever the order of arrival", arguments: StoreKind.allCases)
  func keys(kind: StoreKind) throws {
    var items: [Item] = []
    for account in [
      "", "a", "ab", "b", "longer than sixteen bytes 1", "longer than sixteen bytes 0",
    ] {
      for port in [0, 80, 256, 443] as [UInt16] {
        for realm in ["", "R"] { items.append(try item(account, realm: realm, port: port)) }
      }
    }
    let place = try kind.make()
    var random = SplitMix(seed: 3)
    for item in items.shuffled(using: &random) { try place.add(item) }
    let found = try place.find().map(\.key)
    #expect(found == items.map(\.key).sorted())
  }

  @Test("more literal parts rank higher, before the key", arguments: StoreKind.allCases)
  func ranks(kind: StoreKind) throws {
    let place = try kind.make()
    let space = try ProtectionSpace(
      host: "git.example.com", realm: "Team Git", authenticationMethod: .basic)
    // The accounts sort against the ranks.
    try place.add(
      item("d", port: 443, method: .basic), item("c", port: 0, method: .basic),
      item("b", port: 443, method: .default), item("a", port: 0, method: .default),
      item("z", port: 443, method: .basic))
    #expect(try place.accounts(ItemQuery(space)) == ["d", "z", "b", "c", "a"])
  }

  @Test(
    "a space is answered by the items that its words allow", arguments: StoreKind.allCases,
    Answer.rows)
  func spaces(kind: StoreKind, row: Answer) throws {
    let place = try kind.make()
    try place.add(
      item(
        realm: row.realm, protocol: row.protocol, port: row.port, path: "/any",
        method: row.method))
    let space = try row.space()
    #expect(try place.find(ItemQuery(space)).count == (row.isAnswered ? 1 : 0))
  }

  @Test("random changes leave what a plain dictionary says", arguments: StoreKind.allCases)
  func model(kind: StoreKind) throws {
    let place = try kind.make()
    var random = SplitMix(seed: 41)
    var model: [ItemID: (key: Item.Key, secret: String)] = [:]
    func randomItem(_ secret: String) throws -> Item {
      try item(
        ["ann", "bob", ""].randomElement(using: &random) ?? "",
        on: ["a.org", "b.org", "c.b.org", ""].randomElement(using: &random) ?? "",
        port: Bool.random(using: &random) ? 0 : 443,
        path: Bool.random(using: &random) ? "" : "/p", secret: secret)
    }
    for step in 0..<300 {
      let new = try randomItem("secret \(step)")
      let known = model.keys.sorted().randomElement(using: &random)
      let holder = model.first { $0.value.key == new.key }?.key
      switch (Int.random(in: 0..<3, using: &random), known) {
      case (0, let id?):
        try place.store.remove(
          id, hint: Bool.random(using: &random) ? model[id]?.key ?? new.key : new.key)
        model[id] = nil
      case (1, let id?):
        let changes: [ItemChange] = [
          .account(new.account), .server(new.server), .port(new.port), .path(new.path),
          .secret(Secret("secret \(step)")),
        ]
        if holder == nil || holder == id {
          _ = try place.store.modify(id, hint: new.key, changes)
          model[id] = (new.key, "secret \(step)")
        } else {
          expect(.duplicateItem) { _ = try place.store.modify(id, hint: new.key, changes) }
        }
      default:
        if holder == nil {
          try place.add(new)
          model[new.id] = (new.key, "secret \(step)")
        } else {
          expect(.duplicateItem) { try place.add(new) }
        }
      }
      guard step % 10 == 9 else { continue }
      let found = try place.find()
      #expect(found.map(\.key) == model.values.map(\.key).sorted())
      let areRight = found.allSatisfy { item in
        model[item.id].map { $0.key == item.key && Array($0.secret.utf8) == item.secret?.array }
          ?? false
      }
      #expect(areRight)
    }
  }
}

/// An item, and whether it answers a space for `https://git.example.com`, realm `Team Git`.
struct Answer: Sendable, CustomTestStringConvertible {
  var realm = "Team Git"
  var `protocol` = NetworkProtocol.https
  var port: UInt16 = 0
  var method = AuthenticationMethod.basic
  var asked = AuthenticationMethod.basic
  var askedPort: Int?
  var askedProxy = false
  let isAnswered: Bool

  var testDescription: String {
    "\(realm) \(`protocol`) \(port) \(method) for \(asked) \(askedPort ?? 0)\(askedProxy ? " proxy" : "")"
  }

  func space() throws -> ProtectionSpace {
    askedProxy
      ? try ProtectionSpace(
        proxyHost: "git.example.com", port: askedPort ?? 443, type: .https, realm: "Team Git",
        authenticationMethod: asked)
      : try ProtectionSpace(
        host: "git.example.com", port: askedPort, realm: "Team Git", authenticationMethod: asked)
  }

  static let rows: [Answer] = [
    Answer(isAnswered: true),
    Answer(port: 443, isAnswered: true),
    Answer(port: 443, askedPort: 443, isAnswered: true),
    Answer(port: 0, askedPort: 443, isAnswered: true),
    Answer(port: 8443, isAnswered: false),
    Answer(port: 0, askedPort: 8443, isAnswered: false),
    Answer(port: 443, askedPort: 8443, isAnswered: false),
    Answer(realm: "team git", isAnswered: false),
    Answer(realm: "", isAnswered: false),
    Answer(protocol: .http, isAnswered: false),
    Answer(protocol: .http, port: 443, isAnswered: false),
    Answer(protocol: .unset, isAnswered: false),
    Answer(protocol: .httpsProxy, port: 443, isAnswered: false),
    Answer(protocol: .httpsProxy, port: 443, askedProxy: true, isAnswered: true),
    Answer(protocol: .https, port: 443, askedProxy: true, isAnswered: false),
    Answer(protocol: .httpProxy, port: 443, askedProxy: true, isAnswered: false),
    Answer(method: .default, isAnswered: true),
    Answer(method: .default, asked: .digest, isAnswered: true),
    Answer(method: .default, asked: .form, isAnswered: true),
    Answer(method: .default, asked: .bearer, isAnswered: false),
    Answer(method: .default, asked: .clientCertificate, isAnswered: false),
    Answer(method: .basic, asked: .default, isAnswered: false),
    Answer(method: .basic, asked: .digest, isAnswered: false),
    Answer(method: .unset, asked: .basic, isAnswered: false),
  ]
}
