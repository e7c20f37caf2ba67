import VaultCrypto
package import VaultModel

/// A rule of the persistence policy, with its position.
///
/// Source: `Documentation/format.md` §6.3.
package struct PolicyRuleRecord {
  /// The position from 1, in the order in which rules are tried.
  package let position: UInt32
  package let rule: PersistencePolicy.Rule
  /// The tag of an unknown field, which makes the meaning of the rule unknown.
  package private(set) var unknownTag: UInt32?

  package init(_ rule: PersistencePolicy.Rule, position: UInt32) {
    self.rule = rule
    self.position = position
  }

  package init(decoding bytes: [UInt8], _ body: Range<Int>) throws(VaultError) {
    var reader = FieldReader(bytes, body)
    guard let first = try reader.next(), first.tag == FieldTag.id.rawValue,
      let id = ItemID(bytes, first.range), id != ItemID(high: 0, low: 0)
    else { throw FieldReader.damaged("a policy rule has no id") }
    var rule = PersistencePolicy.Rule(id: id, name: "")
    var position: UInt32 = 0
    while let field = try reader.next() {
      switch FieldTag(rawValue: field.tag) {
      case .rulePosition: position = try reader.number(field)
      case .ruleName: rule.name = try reader.text(field)
      case .ruleNote: rule.note = try reader.text(field)
      case .ruleHost: rule.host = try Self.host(reader.text(field))
      case .ruleProtocol: rule.protocol = try Self.protocol(reader.text(field))
      case .rulePort: rule.port = try reader.number(field)
      case .ruleMethod: rule.authenticationMethod = try Self.method(reader.text(field))
      case .ruleProxy: rule.isProxy = try Self.choice(field, reader) == 2
      case .ruleSecure: rule.receivesCredentialSecurely = try Self.choice(field, reader) == 1
      case .ruleLoopback: rule.isLoopback = try Self.choice(field, reader) == 1
      case .rulePersistence: rule.maximumPersistence = try Self.persistence(field, reader)
      case .ruleLifetime: rule.lifetime = .milliseconds(try Self.milliseconds(field, reader))
      case .ruleAcceptance: rule.persistOnlyAfterAcceptance = try Self.flag(field, reader)
      case .ruleRefuse: rule.refuse = try Self.flag(field, reader)
      case .rulePIN: rule.requiresPIN = try Self.flag(field, reader)
      case .ruleNTLM: rule.allowsNTLM = try Self.choice(field, reader) == 1
      case .ruleNegotiateInClear: rule.allowsNegotiateInClear = try Self.flag(field, reader)
      case .ruleService: rule.service = try reader.text(field)
      default: unknownTag = unknownTag ?? field.tag
      }
    }
    guard position > 0 else { throw FieldReader.damaged("a policy rule has no position") }
    do throws(VaultError) {
      // Only a version that knows all fields can say whether they are compatible.
      if unknownTag == nil { try rule.validateFields() }
    } catch {
      throw FieldReader.damaged("a policy rule: \(error.context)")
    }
    self.rule = rule
    self.position = position
  }

  package var encoded: [UInt8] {
    var writer = FieldWriter(capacity: 128 + rule.note.utf8.count)
    writer.put(FieldTag.id, rule.id.bytes)
    writer.put(FieldTag.rulePosition, position)
    writer.put(FieldTag.ruleName, rule.name)
    writer.put(FieldTag.ruleNote, rule.note)
    writer.put(FieldTag.ruleHost, rule.host?.description ?? "")
    writer.put(FieldTag.ruleProtocol, rule.protocol?.rawValue ?? "")
    writer.put(FieldTag.rulePort, rule.port ?? 0)
    writer.put(FieldTag.ruleMethod, rule.authenticationMethod?.rawValue ?? "")
    writer.put(FieldTag.ruleProxy, Self.choice(rule.isProxy, yes: 2))
    writer.put(FieldTag.ruleSecure, Self.choice(rule.receivesCredentialSecurely, yes: 1))
    writer.put(FieldTag.ruleLoopback, Self.choice(rule.isLoopback, yes: 1))
    if rule.maximumPersistence < .permanent {
      writer.put(FieldTag.rulePersistence, rule.maximumPersistence.rawValue + 1)
    }
    writer.put(FieldTag.ruleLifetime, UInt64(rule.lifetime?.wholeMilliseconds ?? 0))
    writer.put(FieldTag.ruleAcceptance, UInt8(rule.persistOnlyAfterAcceptance ? 1 : 0))
    writer.put(FieldTag.ruleRefuse, UInt8(rule.refuse ? 1 : 0))
    writer.put(FieldTag.ruleService, rule.service ?? "")
    writer.put(FieldTag.rulePIN, UInt8(rule.requiresPIN ? 1 : 0))
    writer.put(FieldTag.ruleNTLM, Self.choice(rule.allowsNTLM, yes: 1))
    writer.put(FieldTag.ruleNegotiateInClear, UInt8(rule.allowsNegotiateInClear ? 1 : 0))
    return writer.finish()
  }

  // MARK: Values

  private static func outOfRange(_ field: String) -> VaultError {
    FieldReader.damaged("a policy rule: \(field): out of range")
  }

  /// Reads a condition that is 1 or 2, either of which may mean yes.
  private static func choice(
    _ field: FieldReader.Field, _ reader: FieldReader
  ) throws(VaultError) -> UInt8 {
    let number: UInt8 = try reader.number(field)
    guard number <= 2 else { throw outOfRange("field \(field.tag)") }
    return number
  }

  private static func choice(_ condition: Bool?, yes: UInt8) -> UInt8 {
    condition.map { $0 ? yes : 3 - yes } ?? 0
  }

  private static func flag(
    _ field: FieldReader.Field, _ reader: FieldReader
  ) throws(VaultError) -> Bool {
    let number: UInt8 = try reader.number(field)
    guard number == 1 else { throw outOfRange("field \(field.tag)") }
    return true
  }

  private static func persistence(
    _ field: FieldReader.Field, _ reader: FieldReader
  ) throws(VaultError) -> Persistence {
    // 1 is `none`, since no number is zero; without a limit there is no field.
    let number: UInt8 = try reader.number(field)
    guard let persistence = Persistence(rawValue: number - 1), persistence < .permanent else {
      throw outOfRange("highest persistence")
    }
    return persistence
  }

  private static func milliseconds(
    _ field: FieldReader.Field, _ reader: FieldReader
  ) throws(VaultError) -> Int64 {
    let number: UInt64 = try reader.number(field)
    guard let milliseconds = Int64(exactly: number) else { throw outOfRange("lifetime") }
    return milliseconds
  }

  // A spelling that is not canonical would match nothing, and disable the rule.

  private static func host(_ text: String) throws(VaultError) -> HostPattern {
    try canonical("host", text) { (text) throws(VaultError) in
      let pattern = try HostPattern(text)
      return (pattern, pattern.description)
    }
  }

  private static func `protocol`(_ text: String) throws(VaultError) -> NetworkProtocol {
    try canonical("protocol", text) { (text) throws(VaultError) in
      let name = try NetworkProtocol(text)
      return (name, name.rawValue)
    }
  }

  private static func method(_ text: String) throws(VaultError) -> AuthenticationMethod {
    try canonical("method", text) { (text) throws(VaultError) in
      let name = try AuthenticationMethod(text)
      return (name, name.rawValue)
    }
  }

  private static func canonical<Value>(
    _ field: String, _ text: String,
    _ read: (String) throws(VaultError) -> (Value, canonical: String)
  ) throws(VaultError) -> Value {
    do throws(VaultError) {
      let (value, canonical) = try read(text)
      if canonical.utf8.elementsEqual(text.utf8) { return value }
    } catch {
      throw outOfRange(field)
    }
    throw outOfRange(field)
  }
}
