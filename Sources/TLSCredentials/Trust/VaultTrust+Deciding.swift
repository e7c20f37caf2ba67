public import CredentialVault
import SecureMemory
public import VaultModel

extension VaultTrust {
  /// Accepts a server's certificate in spite of the problems that an evaluation found.
  ///
  /// The exception is for this certificate at this host and port, and for these problems: another
  /// problem needs another decision, which replaces this one.
  ///
  /// - Parameters:
  ///   - evaluation: The result of ``evaluate(_:for:_:at:)``, which somebody saw.
  ///   - space: The server.
  ///   - end: The moment from which it no longer counts; nil for never.
  ///   - persistence: The persistence with which to keep it.
  /// - Returns: The item, and what the policy granted.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the verdict is not
  ///   ``TrustVerdict/recoverable``, because there is nothing to accept or because no exception can
  ///   be made; ``VaultError/Code/conflict`` or ``VaultError/Code/duplicateItem`` if somebody else
  ///   decides at the same time; and as ``Vault/add(_:persistence:afterAcceptance:)``.
  @discardableResult
  public func accept(
    _ evaluation: TrustEvaluation, for space: ProtectionSpace, until end: Timestamp? = nil,
    persistence: Persistence = .permanent
  ) throws(VaultError) -> StoreResult {
    guard evaluation.verdict == .recoverable, let leaf = evaluation.path.first else {
      throw VaultError(.invalidArgument, "trust: no exception can be made for \(evaluation)")
    }
    let content = TrustDecision.Content.exception(
      certificate: leaf.fingerprint, problems: evaluation.problems)
    return try store(content, for: server(space), until: end, persistence)
  }

  /// Records a server's key, as SSH does at the first connection: from now on the server is trusted
  /// with this key, and refused with any other.
  ///
  /// - Parameters:
  ///   - evaluation: The result of ``evaluate(_:for:_:at:)``, which somebody saw. Its problems are
  ///     accepted for this key, and no others.
  ///   - space: The server.
  ///   - known: The key that was known and is replaced (``TrustEvaluation/knownKey``); nil if the
  ///     server was unknown.
  ///   - end: The moment from which it no longer counts; nil for never.
  ///   - persistence: The persistence with which to keep it.
  /// - Returns: The item, and what the policy granted.
  /// - Throws: ``VaultError/Code/invalidArgument`` if the chain is fatal or denied for another
  ///   reason than its key; ``VaultError/Code/conflict``, naming both keys, if another key is known
  ///   than the one that is replaced; ``VaultError/Code/duplicateItem`` if somebody else decides at
  ///   the same time; and as ``Vault/add(_:persistence:afterAcceptance:)``.
  @discardableResult
  public func recordFirstUse(
    _ evaluation: TrustEvaluation, for space: ProtectionSpace, replacing known: Fingerprint? = nil,
    until end: Timestamp? = nil, persistence: Persistence = .permanent
  ) throws(VaultError) -> StoreResult {
    let problems = evaluation.problems.subtracting([.changedKey])
    guard let leaf = evaluation.path.first,
      !problems.contains(where: { $0.isFatal || $0.isDenial })
    else { throw VaultError(.invalidArgument, "trust: no key can be recorded for \(evaluation)") }
    return try store(
      .knownKey(leaf.publicKeyHash, problems: problems), for: server(space), until: end,
      persistence
    ) { (existing) throws(VaultError) in
      guard case .knownKey(let key, _)? = existing?.content else {
        guard known == nil else {
          throw VaultError(.conflict, "trust: no key of \(space) is known")
        }
        return
      }
      guard key == known || key == leaf.publicKeyHash else {
        throw VaultError(
          .conflict,
          "trust: \(space) is known by \(key.pin), and has \(leaf.publicKeyHash.pin) now")
      }
    }
  }

  /// Pins public keys of a server, in place of those that were pinned.
  ///
  /// - Parameters:
  ///   - pins: At least one; a pinned certificate is kept as the hash of its key. Their host is
  ///     ignored: they are for that of the space, and for the names below it if they include
  ///     subdomains. After their expiry the server is evaluated as without pins.
  ///   - space: The server.
  ///   - persistence: The persistence with which to keep them.
  /// - Returns: The item, and what the policy granted.
  /// - Throws: ``VaultError/Code/invalidArgument`` if there is no pin;
  ///   ``VaultError/Code/conflict`` or ``VaultError/Code/duplicateItem`` if somebody else decides
  ///   at the same time; and as ``Vault/add(_:persistence:afterAcceptance:)``.
  @discardableResult
  public func pin(
    _ pins: PinSet, for space: ProtectionSpace, persistence: Persistence = .permanent
  ) throws(VaultError) -> StoreResult {
    guard !pins.pins.isEmpty else { throw VaultError(.invalidArgument, "trust: no pin") }
    return try store(.pins(pins), for: server(space), until: pins.expires, persistence)
  }

  /// Removes a decision, as ``Vault/remove(_:ifRevision:removal:)`` does.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed; any error of writing the file.
  public func remove(
    _ decision: TrustDecision, removal: Removal = .recoverable
  ) throws(VaultError) {
    try vault.remove(decision.item, removal: removal)
  }

  /// Stores a decision, in place of the one of the same account where it is kept; `check` gets the
  /// one that counts now, if there is one.
  private func store(
    _ content: TrustDecision.Content, for space: ProtectionSpace, until end: Timestamp?,
    _ persistence: Persistence,
    check: (TrustDecision?) throws(VaultError) -> Void = { (_) throws(VaultError) in }
  ) throws(VaultError) -> StoreResult {
    var item = Item(
      space: space, account: content.account, secret: Secret(content.text))
    item.expires = end
    let counting = try find(ItemQuery(space)).first { $0.item.account == content.account }
    try check(counting)
    do throws(VaultError) {
      // A server never accepts a decision: who made it has.
      return try vault.add(item, persistence: persistence, afterAcceptance: true)
    } catch {
      // Only what was checked is replaced, or what counts no longer.
      guard error.code == .duplicateItem, let existing = error.candidates.first,
        counting != nil || existing.isExpired(at: vault.time.now())
      else { throw error }
      let checked = counting.flatMap { $0.id == existing.id ? $0.item.revision : nil }
      return try vault.modify(
        existing, [.secret(Secret(content.text)), .expires(end)],
        ifRevision: checked ?? existing.revision, afterAcceptance: true)
    }
  }
}
