/// The rules for whether, how strongly and how long credentials are kept: in order, the first that
/// matches decides.
///
/// A value without I/O. If no rule matches, the request is granted.
public struct PersistencePolicy: Sendable, Hashable {
  /// The maximum number of rules of a policy.
  package static let mostRules = 1000
  /// The policy without rules: every request is granted.
  public static let empty = PersistencePolicy()

  /// The rules in the order in which they are tried.
  public let rules: [Rule]
  private let fingerprints: [Fingerprint]
  /// The conditions that any of the rules has.
  private let asked: Fingerprint.Mask

  private init() {
    rules = []
    fingerprints = []
    asked = []
  }

  /// Creates a policy from rules.
  ///
  /// - Parameter rules: In the order in which they are tried; no two with one id or one name.
  /// - Throws: ``VaultError/Code/invalidArgument`` or ``VaultError/Code/tooLarge``, beginning with
  ///   the field, for a rule that is invalid or cannot match, for a name or id that two have, and
  ///   for more than 1000 rules.
  public init(rules: [Rule]) throws(VaultError) {
    for (index, rule) in rules.enumerated() {
      do throws(VaultError) {
        try rule.validate()
      } catch {
        throw VaultError(error.code, "\(error.context) (rule \(index + 1))")
      }
    }
    try self.init(stored: rules)
  }

  /// Creates a policy from rules that were valid when they were stored, as
  /// ``Rule/validateFields()`` says.
  package init(stored rules: [Rule]) throws(VaultError) {
    guard rules.count <= Self.mostRules else {
      throw VaultError(.tooLarge, "rules: more than \(Self.mostRules)")
    }
    var names: Set<ByteText> = []
    var ids: Set<ItemID> = []
    for (index, rule) in rules.enumerated() {
      try rule.validateFields()
      guard names.insert(ByteText(text: rule.name)).inserted else {
        throw VaultError(.invalidArgument, "name: another rule has it already (rule \(index + 1))")
      }
      guard ids.insert(rule.id).inserted else {
        throw VaultError(.invalidArgument, "id: another rule has it already (rule \(index + 1))")
      }
    }
    self.rules = rules
    fingerprints = rules.map(Fingerprint.init)
    asked = fingerprints.reduce(into: []) { $0.formUnion($1.asked) }
  }

  /// Returns the decision on a credential of a space.
  ///
  /// - Parameters:
  ///   - space: The space in which the credential is used.
  ///   - requested: The persistence that is requested.
  ///   - now: When its secret was last changed: now for a new one.
  /// - Returns: The granted persistence, the end of retention, and the rule that decided.
  public func decide(
    _ space: ProtectionSpace, requested: Persistence, now: Timestamp
  ) -> Decision {
    decide(Subject(space), requested: requested, now: now)
  }

  /// Returns the decision on a request to keep a generic password of a service, as
  /// ``decide(_:requested:now:)`` does for a space.
  package func decide(
    service: String, requested: Persistence, now: Timestamp
  ) -> Decision {
    decide(Subject(service: service), requested: requested, now: now)
  }

  /// Returns the decision on an item with a key, which need not name a server.
  ///
  /// `needsPIN` says whether its secret needs a PIN; true also where that does not matter.
  package func decide(
    _ key: Item.Key, requested: Persistence, now: Timestamp, needsPIN: Bool = true
  ) -> Decision {
    decide(Subject(key), requested: requested, now: now, needsPIN: needsPIN)
  }

  private func decide(
    _ subject: @autoclosure () -> Subject, requested: Persistence, now: Timestamp,
    needsPIN: Bool = true
  ) -> Decision {
    guard !rules.isEmpty else { return Decision(requested: requested) }
    let subject = subject()
    let traits = Fingerprint.Traits(of: subject, asked: asked)
    for index in rules.indices
    where fingerprints[index].admits(traits) && rules[index].mismatch(with: subject) == nil {
      return Decision(requested: requested, rule: rules[index], now: now, needsPIN: needsPIN)
    }
    return Decision(requested: requested)
  }

  /// Returns the rules up to the one that decides about a space, each with the condition that it
  /// failed.
  ///
  /// - Returns: In order; only the last one may have no mismatch, and that is the one that decides.
  ///   If no rule matches, all have one.
  package func explain(_ space: ProtectionSpace) -> [(rule: Rule, mismatch: Rule.Field?)] {
    explain(Subject(space))
  }

  /// Returns the rules up to the one that decides about a service's generic passwords, as
  /// ``explain(_:)`` does about a space.
  package func explain(service: String) -> [(rule: Rule, mismatch: Rule.Field?)] {
    explain(Subject(service: service))
  }

  private func explain(_ subject: Subject) -> [(rule: Rule, mismatch: Rule.Field?)] {
    var tried: [(rule: Rule, mismatch: Rule.Field?)] = []
    for rule in rules {
      let mismatch = rule.mismatch(with: subject)
      tried.append((rule, mismatch))
      if mismatch == nil { break }
    }
    return tried
  }
}

/// The persistence of a credential: how long it is kept.
///
/// Ordered by duration, so that a policy can cap it. Written without `Optional`: a `Persistence?`
/// would read `.none` as nil.
public enum Persistence: UInt8, Comparable, Sendable, CaseIterable {
  /// For this one use; nothing is stored.
  case none = 0
  /// In memory, gone with the process; in a session that is shared, until that ends.
  case session = 1
  /// Sealed in the vault's file.
  case permanent = 2

  /// Returns whether the first is kept for a shorter time.
  public static func < (left: Persistence, right: Persistence) -> Bool {
    left.rawValue < right.rawValue
  }
}
