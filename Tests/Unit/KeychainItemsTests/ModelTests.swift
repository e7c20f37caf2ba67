import Foundation
import KeychainServices
import SecureMemory
import TestSupport
import Testing

/// SecItem's functions against a model of the data-protection keychain, a list of dictionaries:
/// both get the same random calls.
@Suite("SecItem: random calls")
struct ModelTests {
  /// An item of the model; an attribute that is unset is absent.
  struct Entry: Equatable {
    var attributes: [String: KeychainText]
    /// No secret and an empty one are different.
    var secret: String?

    /// The attributes that make items different ones.
    var key: [String: KeychainText] {
      let names =
        attributes["class"] == .text("genp")
        ? ["class", "svce", "acct", "agrp", "sync"]
        : ["class", "acct", "sdmn", "srvr", "ptcl", "atyp", "port", "path", "agrp", "sync"]
      return attributes.filter { names.contains($0.key) }
    }

    /// Returns whether each condition is met; an empty one asks for an attribute that is unset, as
    /// the flag to be synchronised is unless it is named.
    func matches(_ query: [String: KeychainText]) -> Bool {
      query.merging(["sync": .number(0)]) { named, _ in named }.allSatisfy { name, value in
        value.isEmpty ? attributes[name] == nil : attributes[name] == value
      }
    }

    mutating func apply(_ changes: [String: KeychainText]) {
      for (name, value) in changes { attributes[name] = value.isEmpty ? nil : value }
    }
  }

  /// A text or a number.
  enum KeychainText: Hashable {
    case text(String)
    case number(Int64)

    var isEmpty: Bool { self == .text("") || self == .number(0) }

    var value: KeychainValue {
      switch self {
      case .text(let text): .text(text)
      case .number(let number): .number(number)
      }
    }
  }

  /// The model of the keychain.
  struct Model {
    var entries: [Entry] = []

    mutating func add(_ entry: Entry) -> Int32 {
      guard !entries.contains(where: { $0.key == entry.key }) else { return -25299 }
      entries.append(entry)
      return 0
    }

    mutating func update(
      _ query: [String: KeychainText], _ changes: [String: KeychainText], _ secret: String?
    ) -> Int32 {
      var changed = entries
      var count = 0
      for index in changed.indices where changed[index].matches(query) {
        changed[index].apply(changes)
        if let secret { changed[index].secret = secret }
        count += 1
      }
      guard count > 0 else { return -25300 }
      guard Set(changed.map(\.key)).count == changed.count else { return -25299 }
      entries = changed
      return 0
    }

    mutating func delete(_ query: [String: KeychainText]) -> Int32 {
      let count = entries.count
      entries.removeAll { $0.matches(query) }
      return entries.count < count ? 0 : -25300
    }
  }

  private static let values: [String: [KeychainText]] = [
    "acct": [.text(""), .text("ann"), .text("bob"), .text("ANN")],
    "svce": [.text(""), .text("a"), .text("b")],
    "srvr": [
      .text(""), .text("a.example"), .text("b.example"), .text("A.example"), .text("no host"),
    ],
    "agrp": [.text(""), .text("group")],
    "sync": [.number(0), .number(1)],
    "sdmn": [.text(""), .text("realm")],
    "path": [.text(""), .text("/"), .text("/x")],
    "port": [.number(0), .number(1), .number(443)],
    "ptcl": [.text("http"), .text("htps")],
    "atyp": [.text("http"), .text("dflt")],
    "labl": [.text("x"), .text("y")],
    "icmt": [.text(""), .text("c"), .text("d")],
    "type": [.number(0), .number(5)],
  ]
  private static let names = [
    "genp": ["acct", "svce", "labl", "icmt", "type", "agrp", "sync"],
    "inet": [
      "acct", "srvr", "sdmn", "path", "port", "ptcl", "atyp", "labl", "icmt", "type", "agrp",
      "sync",
    ],
  ]

  /// Returns some of the attributes of a class, each with a probability of one in `rarity`.
  private static func some(
    of itemClass: String, rarity: Int, _ random: inout SplitMix
  ) -> [String: KeychainText] {
    var some: [String: KeychainText] = [:]
    for name in names[itemClass] ?? [] where Int.random(in: 0..<rarity, using: &random) == 0 {
      some[name] = values[name]?.randomElement(using: &random)
    }
    return some
  }

  /// `make test-long` makes a hundred thousand calls.
  private static let isLong = ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil

  private static let seeds: [UInt64] = isLong ? [20_26, 45, 1_000_003] : [20_26]

  @Test(
    "agree with a model's, in status, items and secrets", arguments: Store.allCases, seeds)
  func random(_ store: Store, seed: UInt64) throws {
    let items = try Fixture.make(store).items
    var random = SplitMix(seed: seed)
    var model = Model()
    let count = Self.isLong ? 100_000 : store == .memory ? 3000 : 400
    for call in 0..<count {
      let itemClass = Bool.random(using: &random) ? "genp" : "inet"
      var query = Self.some(of: itemClass, rarity: 4, &random)
      query["class"] = .text(itemClass)
      let dictionary = query.mapValues(\.value)
      let what = Int.random(in: 0..<100, using: &random)
      switch what {
      case 0..<40:
        var attributes = Self.some(of: itemClass, rarity: 2, &random).filter { !$0.value.isEmpty }
        attributes["class"] = .text(itemClass)
        let secrets: [String?] = ["secret \(call)", "secret \(call)", "", nil]
        let secret = secrets.randomElement(using: &random) ?? nil
        var given = attributes.mapValues(\.value)
        if let secret { given["v_Data"] = .secret(secret) }
        // The label is the place's name unless it is given.
        var place = attributes[itemClass == "genp" ? "svce" : "srvr"] ?? attributes["acct"]
        if attributes["srvr"] == .text("A.example") { place = .text("a.example") }
        attributes["labl"] = attributes["labl"] ?? place
        let expected = model.add(Entry(attributes: attributes, secret: secret))
        #expect(items.adding(given).status == expected, "call \(call): add \(given)")
      case 40..<55:
        var changes = Self.some(of: itemClass, rarity: 4, &random)
        let secret =
          changes.isEmpty || Bool.random(using: &random)
          ? ["changed \(call)", ""].randomElement(using: &random) : nil
        if changes["labl"]?.isEmpty == true { changes["labl"] = nil }
        var given = changes.mapValues(\.value)
        if let secret { given["v_Data"] = .secret(secret) }
        let expected = model.update(query, changes, secret)
        #expect(
          items.updating(dictionary, given) == expected, "call \(call): \(query) \(changes)")
      case 55..<65:
        let expected = model.delete(query)
        #expect(items.deleting(dictionary) == expected, "call \(call): delete \(query)")
      default:
        try check(items, dictionary, model.entries.filter { $0.matches(query) }, call)
      }
    }
    for itemClass in ["genp", "inet"] {
      let all = model.entries.filter { $0.attributes["class"] == .text(itemClass) }
      try check(items, ["class": .text(itemClass), "sync": "syna"], all, count)
    }
  }

  /// Compares what a query finds with the model's entries.
  private func check(
    _ items: KeychainItems, _ query: Dictionary, _ expected: [Entry], _ call: Int
  ) throws {
    var query = query
    query["r_Data"] = true
    let one = items.copying(query)
    #expect(one.status == (expected.isEmpty ? -25300 : 0), "call \(call): \(query)")
    if let secret = one.result?.secretText {
      #expect(expected.contains { $0.secret ?? "" == secret }, "call \(call)")
    }
    (query["m_Limit"], query["r_Attributes"]) = ("m_LimitAll", true)
    let all = items.copying(query)
    #expect(all.status == (expected.isEmpty ? -25300 : 0), "call \(call)")
    let found = try (all.result?.elements ?? []).map { element in
      let dictionary = try #require(element.dictionary)
      return (
        dictionary["v_Data"]?.secretText ?? "none", dictionary["acct"]?.text ?? "",
        dictionary["labl"]?.text ?? "", dictionary["port"]?.number ?? 0
      )
    }
    let wanted = expected.map { entry in
      func text(_ name: String) -> String {
        if case .text(let text)? = entry.attributes[name] { text } else { "" }
      }
      var port: Int64 = 0
      if case .number(let number)? = entry.attributes["port"] { port = number }
      return (entry.secret ?? "none", text("acct"), text("labl"), port)
    }
    #expect(
      found.sorted { $0 < $1 }.elementsEqual(wanted.sorted { $0 < $1 }, by: ==), "call \(call)")
  }
}
