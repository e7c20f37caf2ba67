import SecureMemory
import Testing

@testable import VaultModel

@Suite("Attribute")
struct AttributeTests {
  /// Returns a value that no new item has.
  static func value(of attribute: Attribute) -> AttributeValue {
    switch attribute.form {
    case .text: .text("some text")
    case .host: .text("example.com")
    case .networkProtocol: .text("https")
    case .method: .text("digest")
    case .port, .code, .secretKind: .number(1)
    case .flag: .flag(true)
    case .time, .moment: .time(Timestamp(milliseconds: 1))
    case .data: .data([0, 255])
    case .secret: .secret(Secret("secret"))
    case .custom: .custom(["name": "text"])
    case .id, .revision: .number(0)
    }
  }

  /// Returns an item without any attribute, of a class that has this one.
  private static func plain(for attribute: Attribute) -> Item {
    attribute.isOf(.internetPassword)
      ? Item(authenticationMethod: .unset) : Item(service: "")
  }

  static let changeable = Attribute.all.filter { !$0.isReadOnly }

  @Test("an attribute that is set reads back, alone, and can be unset", arguments: changeable)
  func setting(_ attribute: Attribute) throws {
    let plain = Self.plain(for: attribute)
    let value = Self.value(of: attribute)
    var item = plain
    item[attribute] = value
    #expect(try #require(item[attribute]).isSame(as: value))
    for other in Attribute.all where other != attribute {
      let (now, before) = (item[other], plain[other])
      #expect(now.map { before?.isSame(as: $0) ?? false } ?? (before == nil), "\(other)")
    }
    #expect(throws: Never.self) { try item.validate() }
    item[attribute] = nil
    #expect(item[attribute] == nil && item.extended.isEmpty)
  }

  @Test("a change of an attribute counts once", arguments: changeable.filter { $0 != .custom })
  func changing(_ attribute: Attribute) {
    var item = Self.plain(for: attribute)
    let change = ItemChange(attribute, Self.value(of: attribute))
    let first = item.apply([change])
    let second = item.apply([change])
    #expect(first && !second)
  }

  @Test(
    "a query for an attribute finds the item that has it, and one for unset the others",
    arguments: changeable.filter { $0.form != .secret && $0 != .custom && $0 != .expires })
  func asking(_ attribute: Attribute) {
    let plain = Self.plain(for: attribute)
    var item = plain
    item[attribute] = Self.value(of: attribute)
    var query = ItemQuery.everything
    query[attribute] = .equals(Self.value(of: attribute))
    #expect(query.rank(of: item) != nil && query.rank(of: plain) == nil)
    query[attribute] = .unset
    #expect(query.rank(of: item) == nil && query.rank(of: plain) != nil)
    query[attribute] = .any
    #expect(query.rank(of: item) != nil && query.rank(of: plain) != nil)
  }

  @Test("no two attributes have one name anywhere")
  func unique() {
    func isUnique<Value: Hashable>(_ part: (Attribute) -> Value?) -> Bool {
      let values = Attribute.all.compactMap { part($0) }
      return Set(values).count == values.count
    }
    #expect(isUnique(\.name) && isUnique(\.json))
    #expect(isUnique(\.option) && isUnique(\.letter))
    #expect(isUnique(\.keychainCode) && isUnique(\.constant))
  }

  @Test("a class has only its own attributes")
  func classes() {
    var internet = Item(authenticationMethod: .unset)
    internet[.service] = .text("some text")
    #expect(internet.key == Item(authenticationMethod: .unset).key)
    #expect(internet[.service] == nil)
    var generic = Item(service: "some text")
    generic[.server] = .text("example.com")
    #expect(generic.key.service == "some text" && generic[.server] == nil)
    let both: [Attribute] = Attribute.all.filter {
      $0.isOf(.internetPassword) && $0.isOf(.genericPassword)
    }
    #expect(both.filter(\.isOfKey) == [.account])
  }

  @Test("seven attributes are an internet password's key, and two a generic one's")
  func key() {
    for attribute in Self.changeable {
      let plain = Self.plain(for: attribute)
      var item = plain
      item[attribute] = Self.value(of: attribute)
      #expect((item.key != plain.key) == attribute.isOfKey, "\(attribute)")
    }
    let key = Attribute.all.filter(\.isOfKey)
    #expect(key.count { $0.isOf(.internetPassword) } == 7)
    #expect(key.filter { $0.isOf(.genericPassword) } == [.service, .account])
  }
}
