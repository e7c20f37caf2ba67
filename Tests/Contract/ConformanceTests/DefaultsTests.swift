import TestSupport
import Testing
import VaultModel
import VaultStore

@Suite("any store: defaults")
struct DefaultsTests {
  static func space(
    _ host: String = "git.example.com", port: Int? = nil, realm: String = "Team Git",
    method: AuthenticationMethod = .basic
  ) throws -> ProtectionSpace {
    try ProtectionSpace(host: host, port: port, realm: realm, authenticationMethod: method)
  }

  @Test("a default is set, replaced and cleared", arguments: StoreKind.allCases)
  func set(kind: StoreKind) throws {
    let place = try kind.make()
    let store = place.store
    let space = try Self.space()
    #expect(try store.defaultUser(for: space) == nil)
    try store.setDefaultUser(nil, for: space)
    for user in ["ann", "bob", "bob", "jos\u{E9}", "jose\u{301}"] {
      try store.setDefaultUser(user, for: space)
      #expect(try store.defaultUser(for: space).map { Array($0.utf8) } == Array(user.utf8))
      #expect(try store.defaults().count == 1)
    }
    try store.setDefaultUser(nil, for: space)
    #expect(try store.defaultUser(for: space) == nil)
    #expect(try store.defaults().isEmpty)
    try store.setDefaultUser("ann", for: space)
    #expect(try store.defaults() == [space: "ann"])
  }

  @Test(
    "a space has one default, however it is written; another space has its own",
    arguments: StoreKind.allCases)
  func spaces(kind: StoreKind) throws {
    let place = try kind.make()
    let store = place.store
    try store.setDefaultUser("ann", for: Self.space("GIT.example.com.", port: 443))
    #expect(try store.defaultUser(for: Self.space()) == "ann")
    let others = [
      try Self.space("example.com"), try Self.space(port: 8443), try Self.space(realm: ""),
      try Self.space(realm: "team git"), try Self.space(method: .digest),
      try Self.space(method: .default),
      try ProtectionSpace(
        proxyHost: "git.example.com", port: 443, type: .https, realm: "Team Git",
        authenticationMethod: .basic),
      try ProtectionSpace(
        host: "git.example.com", port: 443, protocol: .http, realm: "Team Git",
        authenticationMethod: .basic),
    ]
    for other in others { #expect(try store.defaultUser(for: other) == nil) }
    for (number, other) in others.enumerated() {
      try store.setDefaultUser("user\(number)", for: other)
    }
    for (number, other) in others.enumerated() {
      #expect(try store.defaultUser(for: other) == "user\(number)")
    }
    #expect(try store.defaultUser(for: Self.space()) == "ann")
    #expect(try store.defaults().count == others.count + 1)
  }

  @Test("a default is a reference: items come and go without it", arguments: StoreKind.allCases)
  func reference(kind: StoreKind) throws {
    let place = try kind.make()
    let space = try Self.space()
    try place.store.setDefaultUser("ann", for: space)
    #expect(try place.find().isEmpty)
    let ann = try item("ann", port: 443)
    try place.add(ann)
    _ = try place.modify(ann, .account("bob"))
    #expect(try place.store.defaultUser(for: space) == "ann")
    try place.remove(ann)
    #expect(try place.store.defaultUser(for: space) == "ann")
    #expect(try place.find().isEmpty)
  }

  @Test("many defaults and many items of one host are kept apart", arguments: StoreKind.allCases)
  func many(kind: StoreKind) throws {
    let place = try kind.make()
    for number in 0..<60 {
      try place.add(item("user\(number)", realm: "realm \(number)"))
      try place.store.setDefaultUser("user\(number)", for: Self.space(realm: "realm \(number)"))
    }
    for number in 0..<60 {
      let space = try Self.space(realm: "realm \(number)")
      #expect(try place.store.defaultUser(for: space) == "user\(number)")
      #expect(try place.accounts(ItemQuery(space)) == ["user\(number)"])
    }
    #expect(try place.find().count == 60 && place.store.defaults().count == 60)
  }
}
