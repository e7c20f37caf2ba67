import SealedTree
package import VaultModel

/// The persistence policy, which is stored in the file that it applies to.
extension FileTransaction {
  /// Returns the policy in the transaction; it is read once.
  ///
  /// - Throws: ``VaultError/Code/tooNew`` if a later version wrote a rule with a field unknown to
  ///   this one; ``VaultError/Code/damaged``.
  package func policy() throws(VaultError) -> PersistencePolicy {
    if let knownPolicy { return knownPolicy }
    let policy = try editor.policy()
    knownPolicy = policy
    return policy
  }

  /// Replaces the policy; only rules that differ are written.
  ///
  /// - Throws: As ``policy()``: a policy that this version cannot read is not replaced.
  package func setPolicy(_ policy: PersistencePolicy) throws(VaultError) {
    let before = try self.policy()
    var gone = Dictionary(
      try editor.ruleRecords().map { ($0.rule.id, $0) }, uniquingKeysWith: { first, _ in first })
    knownPolicy = nil
    for (index, rule) in policy.rules.enumerated() {
      let body = PolicyRuleRecord(rule, position: UInt32(index + 1)).encoded
      guard let old = gone.removeValue(forKey: rule.id) else {
        try editor.insert(Record(kind: RecordKind.policyRule, body: body), at: .rule(rule.id))
        continue
      }
      if old.encoded != body { try replaceRule(rule.id, with: body) }
    }
    for id in gone.keys.sorted() { try replaceRule(id, with: nil) }
    if policy != before { note(.policyChanged) }
  }

  private func replaceRule(_ id: ItemID, with body: [UInt8]?) throws(VaultError) {
    let prefix = FieldWriter.field(id)
    let wasThere = try editor.replace(at: .rule(id), with: body) {
      $0.kind == RecordKind.policyRule && $0.body.has(prefix, at: 0..<$0.body.count)
    }
    guard wasThere else { throw VaultError(.damaged, "a rule lies where no lookup finds it") }
  }
}

extension FileStore {
  /// Returns the current policy, including other processes' changes; cheap while nobody commits.
  ///
  /// - Throws: As ``FileTransaction/policy()``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/busy``.
  package func policy() throws(VaultError) -> PersistencePolicy {
    try locked { (file) throws(VaultError) in try file.policy() }
  }
}

extension VaultFile {
  fileprivate func policy() throws(VaultError) -> PersistencePolicy {
    try read { (reader) throws(VaultError) in
      if let known = unlocked?.policy { return known }
      let policy = try reader.policy()
      unlocked?.policy = policy
      return policy
    }
  }
}
