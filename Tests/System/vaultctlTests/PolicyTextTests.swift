import Testing
import VaultModel

@testable import CredentialVault
@testable import VaultCommands

@Suite("NewRule")
struct NewRuleTests {
  private func rule(_ values: [OptionName: String]) throws(VaultError) -> PersistencePolicy.Rule {
    var arguments = Arguments()
    for (name, value) in values { arguments.add(name, value) }
    return try NewRule.rule(arguments)
  }

  @Test("every option is a part of the rule")
  func parts() throws {
    let made = try rule([
      .name: "work", .note: "a remark", .host: "*.EXAMPLE.com.", .networkProtocol: "HTTPS",
      .port: "8443", .auth: "httd", .proxy: "no", .secure: "yes", .loopback: "no",
      .max: "session", .lifetime: "30d", .afterAcceptance: "",
    ])
    var expected = PersistencePolicy.Rule(id: made.id, name: "work")
    expected.note = "a remark"
    expected.host = .subdomains(of: try HostName("example.com"))
    expected.protocol = .https
    expected.port = 8443
    expected.authenticationMethod = .digest
    expected.isProxy = false
    expected.receivesCredentialSecurely = true
    expected.isLoopback = false
    expected.maximumPersistence = .session
    expected.lifetime = .seconds(30 * 86_400)
    expected.persistOnlyAfterAcceptance = true
    #expect(made == expected)
    #expect(try rule([.name: "x", .refuse: ""]).refuse)
  }

  @Test("a rule that is only named matches everything and limits nothing")
  func plain() throws {
    let made = try rule([.name: "x"])
    #expect(made == PersistencePolicy.Rule(id: made.id, name: "x"))
  }

  static let refused: [(name: OptionName, value: String, field: String)] = [
    (.name, "", "name"), (.name, String(repeating: "x", count: 65), "name"),
    (.name, "a\nb", "name"),
    (.note, String(repeating: "x", count: 4097), "note"),
    (.host, "", "host"), (.host, "a.*.com", "host"), (.host, "*a.com", "host"),
    (.host, "*.*.com", "host"), (.host, "*.10.0.0.1", "host"), (.host, "a b", "host"),
    (.networkProtocol, "", "protocol"), (.networkProtocol, "a b", "protocol"),
    (.port, "", "port"), (.port, "0", "port"), (.port, "65536", "port"), (.port, "-1", "port"),
    (.auth, "", "auth"), (.auth, "a b", "auth"),
    (.proxy, "", "proxy"), (.proxy, "maybe", "proxy"), (.secure, "true", "secure"),
    (.loopback, "YES", "loopback"),
    (.max, "", "max"), (.max, "forever", "max"),
    (.lifetime, "", "lifetime"), (.lifetime, "d", "lifetime"), (.lifetime, "30", "lifetime"),
    (.lifetime, "0d", "lifetime"), (.lifetime, "-1d", "lifetime"), (.lifetime, "++1d", "lifetime"),
    (.lifetime, "1.5d", "lifetime"), (.lifetime, "1x", "lifetime"), (.lifetime, "٣d", "lifetime"),
    (.lifetime, "99999999999999999999d", "lifetime"),
    (.lifetime, "9223372036854775807w", "lifetime"), (.lifetime, "36526d", "lifetime"),
    (.refuse, "", "refuse"),
  ]

  @Test("a bad value is a wrong use that names the field, and is not repeated", arguments: refused)
  func bad(_ row: (name: OptionName, value: String, field: String)) throws {
    // Together with `refuse` a limit is a contradiction.
    var values: [OptionName: String] = [.name: "x"]
    values[row.name] = row.value
    if row.name == .refuse { values[.max] = "none" }
    let error = try #require(throws: VaultError.self) { try rule(values) }
    #expect(error.code == .invalidArgument)
    #expect(error.context.hasPrefix("\(row.field): "))
    #expect(!error.context.dropFirst(row.field.count + 2).hasPrefix("\(row.field):"))
    #expect(row.value.utf8.count < 5 || !error.context.contains(row.value))
  }

  @Test("conditions that exclude each other are named")
  func contradiction() throws {
    let error = try #require(throws: VaultError.self) {
      try rule([.name: "x", .networkProtocol: "socks", .proxy: "no"])
    }
    #expect(error.code == .invalidArgument && error.context.hasPrefix("proxy: "))
  }

  @Test("a rule without a name is none")
  func unnamed() throws {
    let error = try #require(throws: VaultError.self) { try rule([.max: "none"]) }
    #expect(error.code == .invalidArgument && error.context.hasPrefix("name: "))
  }

  @Test(
    "a lifetime is a number and a unit",
    arguments: [
      ("1s", 1), ("2m", 120), ("3h", 10_800), ("4d", 345_600), ("5w", 3_024_000),
      ("+1y", 31_536_000),
    ])
  func lifetimes(_ text: String, _ seconds: Int) throws {
    #expect(try Values.lifetime(text) == .seconds(seconds))
  }
}

@Suite("Rules by name or id")
struct RuleReferenceTests {
  private static let ids = ["0123456789abcdefghjkmnpqrs", "0123457789abcdefghjkmnpqrs"]

  private func rules() throws -> [PersistencePolicy.Rule] {
    [
      PersistencePolicy.Rule(id: try ItemID(text: Self.ids[0]), name: "work"),
      PersistencePolicy.Rule(id: try ItemID(text: Self.ids[1]), name: "work at night"),
      PersistencePolicy.Rule(name: "0123456"),
    ]
  }

  @Test("a name is meant exactly, an id by six characters or more")
  func found() throws {
    #expect(try rules().index(of: "work") == 0)
    #expect(try rules().index(of: "work at night") == 1)
    #expect(try rules().index(of: Self.ids[0]) == 0)
    #expect(try rules().index(of: "0123457") == 1)
    #expect(try rules().index(of: "O123457") == 1)
  }

  @Test(
    "what no rule is called is not found, and not repeated",
    arguments: ["Work", "wor", "01234", "", "hunter2"])
  func missing(_ reference: String) throws {
    let error = try #require(throws: VaultError.self) { try rules().index(of: reference) }
    #expect(error.code == .itemNotFound)
    // A suggestion names a rule, and may have its letters in common.
    let names = try rules().map(\.name)
    let context = names.reduce(error.context) { $0.replacing($1, with: "") }
    #expect(reference.isEmpty || !context.contains(reference))
  }

  @Test("what two rules are called, by name or id, is ambiguous", arguments: ["012345", "0123456"])
  func ambiguous(_ reference: String) throws {
    let error = try #require(throws: VaultError.self) { try rules().index(of: reference) }
    #expect(error.code == .ambiguous)
  }

  @Test("a position is counted from 1 and at most one behind the last")
  func positions() throws {
    for (position, expected) in [(1, 0), (3, 2), (4, 3), (nil, 3)] as [(Int?, Int)] {
      var rules = try rules()
      let rule = PersistencePolicy.Rule(name: "new")
      try rules.insert(rule, position: position)
      #expect(rules.firstIndex(of: rule) == expected)
    }
    var rules = try rules()
    let error = try #require(throws: VaultError.self) {
      try rules.insert(PersistencePolicy.Rule(name: "new"), position: 5)
    }
    #expect(error.code == .invalidArgument && error.context == "position: not in 1 to 4")
  }
}

@Suite("PolicyText")
struct PolicyTextTests {
  @Test("a line has position, id, name, conditions and effects in the words of the options")
  func line() throws {
    var rule = PersistencePolicy.Rule(
      id: try ItemID(text: "0123456789abcdefghjkmnpqrs"), name: #"the "big" one"#)
    #expect(
      PolicyText.line(rule, position: 1).hasSuffix(#""the \"big\" one"  everything  as asked"#))
    rule.host = .subdomains(of: try HostName("example.com"))
    rule.protocol = .https
    rule.port = 8443
    rule.authenticationMethod = .basic
    rule.isProxy = false
    rule.receivesCredentialSecurely = true
    rule.isLoopback = false
    rule.maximumPersistence = .session
    rule.lifetime = .seconds(90)
    rule.persistOnlyAfterAcceptance = true
    #expect(
      PolicyText.line(rule, position: 2)
        == #"2  0123456789  "the \"big\" one"  host *.example.com, protocol https, port 8443, "#
        + "auth basic, proxy no, secure yes, loopback no  "
        + "max session, lifetime 90s, after-acceptance")
    var refusing = PersistencePolicy.Rule(name: "x")
    refusing.refuse = true
    #expect(PolicyText.line(refusing, position: 3).hasSuffix("everything  refuse"))
  }

  @Test(
    "a span is told in the largest unit that it is whole in",
    arguments: [
      (86_400_000, "1d"), (1_209_600_000, "14d"), (90_000_000, "25h"), (90_000, "90s"),
      (120_000, "2m"), (1500, "1500ms"),
    ])
  func spans(_ milliseconds: Int, _ text: String) {
    #expect(PolicyText.span(.milliseconds(milliseconds)) == text)
  }

  @Test("what a space has is told in the words of the rule")
  func found() throws {
    let space = try ProtectionSpace(
      host: "localhost", port: 8443, protocol: .http, authenticationMethod: .basic)
    let found = PersistencePolicy.Rule.Field.allCases.map {
      PolicyText.found($0, in: .space(space))
    }
    #expect(found == ["none", "localhost", "http", "8443", "basic", "no", "no", "yes"])
    let bare = try ProtectionSpace(host: "h", protocol: .unset, authenticationMethod: .unset)
    #expect(PolicyText.found(.protocol, in: .space(bare)) == "none")
    #expect(PolicyText.found(.port, in: .space(bare)) == "none")
    #expect(PolicyText.found(.authenticationMethod, in: .space(bare)) == "none")
  }

  @Test("a service has no value but its own")
  func foundService() {
    let found = PersistencePolicy.Rule.Field.allCases.map {
      PolicyText.found($0, in: .service("npm"))
    }
    #expect(found == ["\"npm\""] + [String](repeating: "none", count: 7))
  }

  static let remedies: [(remedy: PolicyExcess.Remedy, isDone: Bool, text: String)] = [
    (.remove, false, #"would remove item 0123456789  https://h  -  ann  (rule "x")"#),
    (.remove, true, #"removed item 0123456789  https://h  -  ann  (rule "x")"#),
    (
      .moveToSession, false,
      #"would move item 0123456789  https://h  -  ann  (rule "x": to the session)"#
    ),
    (
      .moveToSession, true, #"moved item 0123456789  https://h  -  ann  (rule "x": to the session)"#
    ),
    (
      .shorten(Timestamp(seconds: 0)), false,
      #"would shorten item 0123456789  https://h  -  ann  (rule "x": until 1970-01-01T00:00:00Z)"#
    ),
    (
      .shorten(Timestamp(seconds: 0)), true,
      #"shortened item 0123456789  https://h  -  ann  (rule "x": until 1970-01-01T00:00:00Z)"#
    ),
  ]

  @Test("what exceeds the policy is told with its remedy and rule", arguments: remedies)
  func excess(_ row: (remedy: PolicyExcess.Remedy, isDone: Bool, text: String)) throws {
    let key = Item(server: try HostName("h"), account: "ann", protocol: .https).key
    let excess = PolicyExcess(
      kind: .item, id: try ItemID(text: "0123456789abcdefghjkmnpqrs"), key: key,
      persistence: .permanent, rule: PersistencePolicy.Rule(name: "x"), remedy: row.remedy)
    #expect(PolicyText.line(excess, isDone: row.isDone) == row.text)
  }

  @Test("what is not an item itself is told as what it is")
  func kinds() throws {
    let key = Item(server: try HostName("h"), account: "ann", protocol: .https).key
    let lines = [PolicyExcess.Kind.previousSecret, .removedItem, .defaultUser].map { kind in
      PolicyText.line(
        PolicyExcess(
          kind: kind, id: nil, key: key, persistence: .permanent,
          rule: PersistencePolicy.Rule(name: "x"), remedy: .remove), isDone: true)
    }
    #expect(
      lines == [
        #"removed previous secret of https://h  -  ann  (rule "x")"#,
        #"removed copy of removed item https://h  -  ann  (rule "x")"#,
        #"removed default user https://h  -  ann  (rule "x")"#,
      ])
  }
}
