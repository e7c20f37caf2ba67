import SealedTree
package import VaultModel
import VaultReports

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
        try log(.ruleAdded, rule)
        continue
      }
      guard old.encoded != body else { continue }
      try replaceRule(rule.id, with: body)
      // Another rule before it only moves it.
      if old.rule != rule { try log(.ruleChanged, rule) }
    }
    for (id, old) in gone.sorted(by: { $0.key < $1.key }) {
      try replaceRule(id, with: nil)
      try log(.ruleRemoved, old.rule)
    }
    if policy != before { note(.policyChanged) }
  }

  /// The most seconds for which a machine may remember the vault's key, 0 for never; nil for any.
  package var mostRemembered: UInt32? { editor.head.mostRemembered }

  /// Sets the most seconds for which a machine may remember the vault's key; nil for any.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for more than the head can hold.
  package func setMostRemembered(_ seconds: UInt32?) throws(VaultError) {
    guard seconds != .max else {
      throw VaultError(.invalidArgument, "a key is not remembered for that long")
    }
    editor.head.mostRemembered = seconds
    note(.policyChanged)
  }

  private func log(
    _ operation: LoggedChange.Operation, _ rule: PersistencePolicy.Rule
  ) throws(VaultError) {
    try log(operation, id: rule.id, name: rule.name)
  }

  private func replaceRule(_ id: ItemID, with body: [UInt8]?) throws(VaultError) {
    let prefix = FieldWriter.field(id)
    let wasThere = try editor.replace(at: .rule(id), with: body) {
      $0.kind == RecordKind.policyRule && $0.body.has(prefix, at: 0..<$0.body.count)
    }
    guard wasThere else { throw VaultError(.damaged, "a rule is where no lookup finds it") }
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

  /// Returns the most seconds for which a machine may remember the vault's key, 0 for never; nil
  /// for any.
  ///
  /// - Throws: ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``.
  package func mostRemembered() throws(VaultError) -> UInt32? {
    try locked { (file) throws(VaultError) in
      try file.read { (_) throws(VaultError) in try file.requireUnlocked().head.mostRemembered }
    }
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

/// The defaults of spaces, which refer to users.
extension FileTransaction {
  /// Returns the default user of a space.
  package func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    try editor.defaults(host: space.host).first { $0.space == space }?.user
  }

  /// Returns all defaults.
  package func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    try editor.defaults(host: nil).bySpace
  }

  /// Makes a user the default of a space, or clears it.
  package func setDefaultUser(_ user: String?, for space: ProtectionSpace) throws(VaultError) {
    let route = Route.space(space)
    let old = try editor.defaults(host: space.host).first { $0.space == space }
    guard var record = old else {
      guard let user else { return }
      let body = DefaultRecord(space: space, user: user).encoded
      try editor.insert(Record(kind: RecordKind.defaultUser, body: body), at: route)
      try log(.defaultSet, space, user)
      note(.defaultChanged(space))
      return
    }
    if let user, record.user.utf8.elementsEqual(user.utf8) { return }
    let (oldBody, before) = (record.encoded, record.user)
    record.user = user ?? ""
    let wasThere = try editor.replace(at: route, with: user == nil ? nil : record.encoded) {
      $0.kind == RecordKind.defaultUser && $0.body == oldBody
    }
    guard wasThere else { throw VaultError(.damaged, "a default is where no lookup finds it") }
    try log(user == nil ? .defaultCleared : .defaultSet, space, user ?? before)
    note(.defaultChanged(space))
  }
}

extension FileTransaction {
  private func log(
    _ operation: LoggedChange.Operation, _ space: ProtectionSpace, _ user: String
  ) throws(VaultError) {
    try log(operation, key: Item(space: space, account: user, secret: nil).key)
  }
}

extension [DefaultRecord] {
  var bySpace: [ProtectionSpace: String] {
    Dictionary(map { ($0.space, $0.user) }, uniquingKeysWith: { $1 })
  }
}
