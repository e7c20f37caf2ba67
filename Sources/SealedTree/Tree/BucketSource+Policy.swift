package import VaultModel

/// Finding the persistence policy among records.
extension BucketSource {
  /// Returns the records of the policy's rules, in the order in which they are tried.
  package func ruleRecords() throws(VaultError) -> [PolicyRuleRecord] {
    var found: [PolicyRuleRecord] = []
    var known = PartialRoute()
    known.host = Route.rulesHost
    known.account = []
    try visit(known, kind: RecordKind.policyRule) { (_, bytes, body) throws(VaultError) in
      found.append(try PolicyRuleRecord(decoding: bytes, body))
    }
    // No writer gives two rules one position, but a salvaged vault may contain duplicates.
    found.sort { ($0.position, $0.rule.id) < ($1.position, $1.rule.id) }
    return found
  }

  /// Returns the policy of the rules.
  ///
  /// - Throws: ``VaultError/Code/tooNew`` for a rule with an unknown field: it may forbid what the
  ///   rest of the rule grants; ``VaultError/Code/damaged``.
  package func policy() throws(VaultError) -> PersistencePolicy {
    let records = try ruleRecords()
    guard !records.isEmpty else { return .empty }
    for record in records {
      guard let tag = record.unknownTag else { continue }
      throw VaultError(
        .tooNew,
        "rule \"\(record.rule.name)\" has field \(tag), which this version does not know")
    }
    do throws(VaultError) {
      return try PersistencePolicy(stored: records.map(\.rule))
    } catch {
      throw VaultError(.damaged, "the policy's rules do not go together: \(error.context)")
    }
  }
}
