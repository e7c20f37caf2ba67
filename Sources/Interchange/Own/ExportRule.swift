import VaultModel

/// A rule of the policy in an export, under the names of `vaultctl policy list --json`.
enum ExportRule {
  enum Value {
    case text(String)
    case number(Int64)
    case flag(Bool)
  }

  private typealias Rule = PersistencePolicy.Rule

  private static let persistences: [(word: String, persistence: Persistence)] = [
    ("none", .none), ("session", .session), ("permanent", .permanent),
  ]

  /// Returns what a rule says, without what it leaves open.
  static func members(of rule: PersistencePolicy.Rule) -> [(name: String, value: Value)] {
    let members: [(String, Value?)] = [
      ("id", .text(rule.id.text)), ("name", .text(rule.name)),
      ("note", rule.note.isEmpty ? nil : .text(rule.note)),
      ("service", rule.service.map { .text($0) }),
      ("host", rule.host.map { .text($0.description) }),
      ("protocol", rule.protocol.map { .text($0.rawValue) }),
      ("port", rule.port.map { .number(Int64($0)) }),
      ("auth", rule.authenticationMethod.map { .text($0.rawValue) }),
      ("proxy", rule.isProxy.map { .flag($0) }),
      ("secure", rule.receivesCredentialSecurely.map { .flag($0) }),
      ("loopback", rule.isLoopback.map { .flag($0) }),
      (
        "max",
        persistences.first { $0.persistence == rule.maximumPersistence }.map { .text($0.word) }
      ),
      ("lifetime_ms", rule.lifetime.map { .number($0.wholeMilliseconds) }),
      ("after_acceptance", .flag(rule.persistOnlyAfterAcceptance)),
      ("require_pin", .flag(rule.requiresPIN)), ("refuse", .flag(rule.refuse)),
      ("ntlm", rule.allowsNTLM.map { .flag($0) }),
      ("negotiate_in_clear", rule.allowsNegotiateInClear ? .flag(true) : nil),
    ]
    return members.compactMap { name, value in value.map { (name, $0) } }
  }

  /// Reads the list of rules: an entry with them, or one that is rejected because a part of a rule
  /// is wrong or not known.
  ///
  /// A rule that is half read would grant what it forbids.
  static func read(_ json: JSONReader) throws(VaultError) -> Entry {
    let place = Place.line(json.line)
    var rules: [PersistencePolicy.Rule] = []
    var problem: VaultError?
    try json.beginArray()
    while try json.nextElement() {
      guard try json.kind() == .object else {
        problem = VaultError(.invalidData, "policy: not an object")
        try json.skip()
        continue
      }
      var members: [String: Value] = [:]
      try json.beginObject()
      while let name = try json.nextName() { members[name] = try value(json) ?? .text("") }
      do throws(VaultError) {
        rules.append(try rule(members))
      } catch {
        problem = problem ?? error
      }
    }
    if let problem { return Entry(place, .rejected("policy: \(problem.text)"), title: "policy") }
    return Entry(place, .policy(rules), title: "policy")
  }

  private static func value(_ json: JSONReader) throws(VaultError) -> Value? {
    switch try json.kind() {
    case .string: return .text(try json.string())
    case .number: return try json.numberIfAny().map { .number($0) }
    case .boolean: return .flag(try json.boolean())
    default:
      try json.skip()
      return nil
    }
  }

  private static func rule(_ members: [String: Value]) throws(VaultError) -> Rule {
    guard case .text(let id)? = members["id"], case .text(let name)? = members["name"] else {
      throw VaultError(.invalidData, "a rule has no id or name")
    }
    var rule = Rule(id: try ItemID(text: id), name: name)
    for (name, value) in members where !["id", "name"].contains(name) {
      try set(name, value, of: &rule)
    }
    return rule
  }

  private static func set(
    _ name: String, _ value: Value, of rule: inout Rule
  ) throws(VaultError) {
    switch (name, value) {
    case ("note", .text(let text)): rule.note = text
    case ("service", .text(let text)): rule.service = text
    case ("host", .text(let text)): rule.host = try HostPattern(text)
    case ("protocol", .text(let text)): rule.protocol = try NetworkProtocol(text)
    case ("port", .number(let number)):
      guard let port = UInt16(exactly: number) else { throw wrong(name) }
      rule.port = port
    case ("auth", .text(let text)): rule.authenticationMethod = try AuthenticationMethod(text)
    case ("proxy", .flag(let flag)): rule.isProxy = flag
    case ("secure", .flag(let flag)): rule.receivesCredentialSecurely = flag
    case ("loopback", .flag(let flag)): rule.isLoopback = flag
    case ("max", .text(let text)):
      guard let known = persistences.first(where: { $0.word == text }) else { throw wrong(name) }
      rule.maximumPersistence = known.persistence
    case ("lifetime_ms", .number(let number)): rule.lifetime = .milliseconds(number)
    case ("after_acceptance", .flag(let flag)): rule.persistOnlyAfterAcceptance = flag
    case ("require_pin", .flag(let flag)): rule.requiresPIN = flag
    case ("refuse", .flag(let flag)): rule.refuse = flag
    case ("ntlm", .flag(let flag)): rule.allowsNTLM = flag
    case ("negotiate_in_clear", .flag(let flag)): rule.allowsNegotiateInClear = flag
    default: throw wrong(name)
    }
  }

  private static func wrong(_ name: String) -> VaultError {
    VaultError(.invalidData, "\(name): not a part of a rule")
  }
}
