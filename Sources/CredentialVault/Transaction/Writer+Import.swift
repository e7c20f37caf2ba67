import VaultStore
package import VaultModel

/// Adding what another program has kept so far.
extension Vault.Writer {
  /// The result of adding an item to a place that may be taken.
  package enum ImportResult {
    /// The item was added.
    case added(Item)
    /// Nothing was changed, because this item exists already.
    ///
    /// It has its secret, unless that has expired. Its key is the same, or differs only in that one
    /// port is unset and the other is the default.
    case taken(by: Item)
  }

  /// Adds an item with the dates that it has, unless its place is taken.
  ///
  /// - Parameters:
  ///   - item: The item, with the time until which it may be kept at most.
  ///   - isExact: Whether a port that is unset and the default one are two, as in a copy of a
  ///     vault.
  /// - Returns: The item as it was added, or the one that has its place.
  /// - Throws: ``VaultError/Code/policyRefused`` unless the policy keeps it in the file although no
  ///   server has accepted it now, and for as long as it is old; ``VaultError/Code/tooLarge`` and
  ///   ``VaultError/Code/invalidArgument`` as any store. After these the transaction can go on.
  package func addImported(
    _ item: Item, isExact: Bool = false
  ) throws(VaultError) -> ImportResult {
    let portVariant = isExact ? nil : item.key.withOtherPort
    do throws(VaultError) {
      return .added(try gate.addImported(item, besides: portVariant))
    } catch {
      guard error.code == .duplicateItem else { throw error }
      // The literal port comes first.
      for key in [item.key, portVariant].compactMap(\.self) {
        if let known = try findAll(ItemQuery(key: key), withSecrets: true).first {
          return .taken(by: known)
        }
      }
      throw error
    }
  }

  /// Moves an item that was added to the trash, as of the time at which it was removed elsewhere;
  /// if it would not be there any more, nothing of it stays.
  ///
  /// - Throws: ``VaultError/Code/damaged`` if a bucket does not open.
  package func remove(_ item: Item, at time: Timestamp) throws(VaultError) {
    try gate.file().remove(item.id, hint: item.key, removal: .recoverable, removed: time)
  }

  /// Takes over the rules of another vault, if this one has none.
  ///
  /// - Returns: Whether the vault has these rules now. What is stored already stays as it is.
  /// - Throws: ``VaultError/Code/invalidData`` if the rules do not go together.
  package func setImported(_ rules: [PersistencePolicy.Rule]) throws(VaultError) -> Bool {
    let file = try gate.file()
    let known = try file.policy().rules
    guard known.isEmpty else { return known == rules }
    try file.setPolicy(try PersistencePolicy(rules: rules))
    return true
  }

  /// Gives an item that was added the secrets that it had elsewhere, as far as the policy would
  /// have kept them until now.
  ///
  /// - Parameters:
  ///   - previous: The secrets, of which the oldest are left out if the vault keeps fewer.
  ///   - item: The item, as it was added.
  /// - Throws: ``VaultError/Code/damaged`` if a bucket does not open.
  package func addHistory(
    _ previous: [PreviousSecret], to item: Item
  ) throws(VaultError) {
    guard !previous.isEmpty else { return }
    try gate.addHistory(previous, to: item)
  }
}

extension PolicyGate {
  fileprivate func addHistory(
    _ previous: [PreviousSecret], to item: Item
  ) throws(VaultError) {
    var kept: [PreviousSecret] = []
    for previous in previous {
      let decision = try decide(item.key, requested: .permanent, since: previous.set)
      guard decision.granted == .permanent else { continue }
      let secret = PreviousSecret(
        id: previous.id, kind: previous.kind, set: previous.set, expires: previous.expires,
        keptUntil: decision.expires, certificates: previous.certificates, secret: previous.secret)
      if !secret.isExpired(at: now) { kept.append(secret) }
    }
    try file().addHistory(kept, to: item)
  }

  fileprivate func addImported(
    _ item: Item, besides portVariant: Item.Key?
  ) throws(VaultError) -> Item {
    let decision = try decide(
      item.key, requested: .permanent, since: item.secretChanged, needsPIN: item.needsPIN)
    // Only for an error: most items are added.
    var rule: String { "rule \"\(decision.rule?.name ?? "")\"" }
    guard decision.granted == .permanent else {
      throw VaultError(.policyRefused, "\(rule) keeps no credential in the file here")
    }
    guard !decision.onlyAfterAcceptance else {
      throw VaultError(
        .policyRefused, "\(rule) keeps only what a server has accepted, which nobody can say here")
    }
    if let end = decision.expires, end <= now {
      throw VaultError(.policyRefused, "\(rule) would have kept it until \(end.rfc3339)")
    }
    var new = item
    new.applyDefaultLabel()
    if let end = Timestamp.earliest(item.keptUntil, decision.expires) { new.keptUntil = end }
    let file = try file()
    try file.addDated(&new, besides: portVariant)
    // The event is made only for an observer.
    file.note(.added(VaultEvent.Subject(new)))
    new.withholdSecrets()
    return new
  }
}
