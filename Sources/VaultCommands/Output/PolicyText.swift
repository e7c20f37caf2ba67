import CredentialVault
import VaultModel

/// The policy as text for people, with the names of the options.
enum PolicyText {
  /// Returns the line of a rule: `2  7k3q2m9d0v  "work"  host *.example.com, secure no  max
  /// session, lifetime 30d`.
  static func line(_ rule: PersistencePolicy.Rule, position: Int) -> String {
    let conditions = conditions(rule).joined(separator: ", ")
    let effects = effects(rule).joined(separator: ", ")
    return [
      String(position), ItemText.id(rule.id), ItemText.quoted(rule.name),
      conditions.isEmpty ? "everything" : conditions, effects.isEmpty ? "as asked" : effects,
    ].joined(separator: "  ")
  }

  private static func conditions(_ rule: PersistencePolicy.Rule) -> [String] {
    PersistencePolicy.Rule.Field.allCases.compactMap { field in
      wanted(field, by: rule).map { "\(field.rawValue) \($0)" }
    }
  }

  private static func effects(_ rule: PersistencePolicy.Rule) -> [String] {
    var effects: [String] = []
    if rule.maximumPersistence < .permanent {
      effects.append("max \(rule.maximumPersistence.word)")
    }
    if let lifetime = rule.lifetime { effects.append("lifetime \(span(lifetime))") }
    if rule.persistOnlyAfterAcceptance { effects.append("after-acceptance") }
    if rule.requiresPIN { effects.append("require-pin") }
    if rule.refuse { effects.append("refuse") }
    if let allows = rule.allowsNTLM { effects.append("ntlm \(yesOrNo(allows))") }
    if rule.allowsNegotiateInClear { effects.append("negotiate-in-clear") }
    return effects
  }

  /// Returns a rule's condition on a field; nil for none.
  static func wanted(
    _ field: PersistencePolicy.Rule.Field, by rule: PersistencePolicy.Rule
  ) -> String? {
    switch field {
    case .service: rule.service.map(ItemText.quoted)
    case .host: rule.host?.description
    case .protocol: rule.protocol?.rawValue
    case .port: rule.port.map { String($0) }
    case .authenticationMethod: rule.authenticationMethod?.rawValue
    case .proxy: rule.isProxy.map(yesOrNo)
    case .secure: rule.receivesCredentialSecurely.map(yesOrNo)
    case .loopback: rule.isLoopback.map(yesOrNo)
    }
  }

  /// Returns a subject's value of a field; a service has no value but its own.
  static func found(_ field: PersistencePolicy.Rule.Field, in subject: PolicySubject) -> String {
    guard case .space(let space) = subject else {
      return if field == .service, case .service(let name) = subject {
        ItemText.quoted(name)
      } else {
        "none"
      }
    }
    return switch field {
    case .service: "none"
    case .host: space.host.name
    case .protocol: space.protocol == .unset ? "none" : space.protocol.rawValue
    case .port: space.port == 0 ? "none" : String(space.port)
    case .authenticationMethod:
      space.authenticationMethod == .unset ? "none" : space.authenticationMethod.rawValue
    case .proxy: yesOrNo(space.isProxy)
    case .secure: yesOrNo(space.receivesCredentialSecurely)
    case .loopback: yesOrNo(space.host.isLoopback)
    }
  }

  /// Returns a span of time in the largest unit in which it is a whole number; weeks are shown as
  /// days.
  static func span(_ duration: Duration) -> String {
    let milliseconds = duration.wholeMilliseconds
    let units: [(name: String, length: Int64)] = [
      ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000),
    ]
    for unit in units where milliseconds.isMultiple(of: unit.length) {
      return "\(milliseconds / unit.length)\(unit.name)"
    }
    return "\(milliseconds)ms"
  }

  /// Returns the line of an excess, with what is to be done about it, or was done.
  static func line(_ excess: PolicyExcess, isDone: Bool) -> String {
    let subject = "\(noun(excess.kind)) \(ItemText.line(excess.id, excess.key))"
    let rule = "rule \(ItemText.quoted(excess.rule.name))"
    switch excess.remedy {
    case .remove:
      return "\(isDone ? "removed" : "would remove") \(subject)  (\(rule))"
    case .moveToSession:
      return "\(isDone ? "moved" : "would move") \(subject)  (\(rule): to the session)"
    case .shorten(let until):
      return
        "\(isDone ? "shortened" : "would shorten") \(subject)  (\(rule): until \(until.rfc3339))"
    }
  }

  private static func noun(_ kind: PolicyExcess.Kind) -> String {
    switch kind {
    case .item: "item"
    case .previousSecret: "previous secret of"
    case .removedItem: "copy of removed item"
    case .defaultUser: "default user"
    }
  }

  private static func yesOrNo(_ flag: Bool) -> String { flag ? "yes" : "no" }
}

extension Persistence {
  /// The word for it in options and JSON.
  var word: String {
    switch self {
    case .none: "none"
    case .session: "session"
    case .permanent: "permanent"
    }
  }
}
