package import CredentialVault
package import VaultModel

/// Requirements on the policy's decision in a program whose own session ends with the command: less
/// than permanent stores something only in a session that is shared with other processes.
extension StoreResult {
  /// Returns the result, if the item is in the file or in a session that outlives the command.
  ///
  /// - Parameter vault: The vault, whose session may be shared; nil if only the file counts.
  /// - Returns: The result itself.
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule, if it is not; in a transaction
  ///   nothing is stored then.
  package func kept(in vault: Vault?) throws(VaultError) -> StoreResult {
    guard pending == nil else {
      throw decision.refusal("keeps only what a server has accepted, which nobody can say here")
    }
    try decision.requireKept(in: vault)
    return self
  }

  /// Returns the result of a change, if the item is kept and can be used.
  ///
  /// The time that a policy grants counts from the last change of the secret, and storing the same
  /// secret again is not a change.
  ///
  /// - Throws: As ``kept(in:)``, also if the time has ended.
  func kept(in vault: Vault, at now: Timestamp) throws(VaultError) -> StoreResult {
    if let end = try kept(in: vault).item.keptUntil, end <= now {
      throw VaultError(
        .policyRefused,
        "the policy kept this secret until \(end.rfc3339), and it has not changed")
    }
    return self
  }
}

extension PersistencePolicy.Decision {
  /// Requires a decision that outlives the command.
  ///
  /// - Throws: ``VaultError/Code/policyRefused``, naming the rule, if nothing was granted, or only
  ///   the session, and the vault's session is not shared.
  func requireKept(in vault: Vault?) throws(VaultError) {
    switch granted {
    case .permanent: return
    case .session:
      if vault?.isSessionShared == true { return }
      throw refusal("keeps it for the session only, and that of vaultctl ends with the command")
    case .none: throw refusal("keeps nothing here")
    }
  }

  fileprivate func refusal(_ reason: String) -> VaultError {
    let subject = rule.map { "rule \(ItemText.quoted($0.name))" } ?? "the policy"
    return VaultError(.policyRefused, "\(subject) \(reason)")
  }
}

extension Invocation {
  /// Warns of a second item for the same place, which programs and people could confuse with the
  /// one that was stored.
  func warn(ofPortVariant stored: StoreResult) throws(VaultError) {
    guard let portVariant = stored.portVariant else { return }
    let (port, other) = stored.item.port == 0 ? ("no", "its own") : ("its own", "no")
    try warn(
      "two items are for the same place: this one has \(port) port, another \(other) port:"
        + " \(ItemText.line(portVariant))")
    guard !isQuiet else { return }
    try hint("programs use the one with its port; vaultctl rm ID removes the other")
  }

  /// Reports what was stored and by which rule.
  ///
  /// A line names the rule only if it shortens the item's retention. If a vault is given, it is
  /// named too.
  func confirm(
    _ verb: String, _ stored: StoreResult, in vault: String? = nil
  ) throws(VaultError) {
    let item = stored.item
    try warn(ofPortVariant: stored)
    if isJSON {
      return try output.document(items: [(item.withoutSecrets, vault)], rule: stored.decision.rule)
    }
    guard !isQuiet else { return }
    var line = "\(verb) \(ItemText.line(item, in: vault))"
    if let end = item.keptUntil, item.expires.map({ end < $0 }) ?? true,
      let rule = stored.decision.rule
    {
      line += "  (kept until \(end.rfc3339) by rule \(ItemText.quoted(rule.name)))"
    }
    try output.line(line)
    if item.isExpired(at: Clock.now()) { try hint("it has expired, and answers nobody") }
  }
}
