public import CredentialVault
public import VaultModel

extension Vault {
  /// The decisions about servers.
  public var trust: VaultTrust { VaultTrust(vault: self) }
}

/// The decisions about servers that a vault keeps: `vault.trust`.
///
/// A decision is for the host, port and protocol of a space; its realm and method do not matter. A
/// decision of the session hides the file's. One that has expired counts no longer.
public struct VaultTrust: Sendable {
  let vault: Vault

  /// Evaluates a chain by a policy and by the decisions about the server.
  ///
  /// - Pins of the server, or of a domain above it that has them for its subdomains, are required
  ///   in addition to the policy's.
  /// - A key that was recorded at the first use is required: another one is
  ///   ``TrustProblem/changedKey``, and denied.
  /// - A chain that is ``TrustVerdict/recoverable`` is accepted with ``TrustVerdict/proceed`` if
  ///   one decision about the leaf, or its key, covers all of its problems.
  ///
  /// - Parameters:
  ///   - chain: The certificates that the server sent: its own, and any others in any order.
  ///   - space: The server.
  ///   - policy: The policy; the default one is that of a browser.
  ///   - time: The time to evaluate certificates for; nil for the vault's. The expiry of decisions
  ///     is always compared with the vault's.
  /// - Returns: The verdict, with the decision that made it or the key that was known.
  /// - Throws: ``VaultError/Code/invalidArgument`` for a space without a port;
  ///   ``VaultError/Code/invalidData`` for a decision that cannot be understood;
  ///   ``VaultError/Code/locked``, ``VaultError/Code/damaged``, ``VaultError/Code/busy``; and as
  ///   ``TrustPolicy/evaluate(_:host:at:)``.
  public func evaluate(
    _ chain: [Certificate], for space: ProtectionSpace, _ policy: TrustPolicy = TrustPolicy(),
    at time: Timestamp? = nil
  ) throws(VaultError) -> TrustEvaluation {
    try knowledge(of: space).evaluate(chain, policy, at: time ?? vault.time.now())
  }

  /// Returns all that the vault knows about a server, so that its chain can be evaluated where
  /// nothing may wait for a vault.
  ///
  /// - Throws: As ``evaluate(_:for:_:at:)``.
  package func knowledge(of space: ProtectionSpace) throws(VaultError) -> ServerKnowledge {
    let space = try server(space)
    let decisions = try find(ItemQuery(space))
    return ServerKnowledge(
      host: space.host, decisions: decisions, required: try pins(among: decisions, of: space))
  }

  /// Returns what is known about a server's key.
  ///
  /// - Parameters:
  ///   - leaf: The certificate that the server sent first.
  ///   - space: The server.
  /// - Returns: Whether its key is unknown, known or another one than before.
  /// - Throws: As ``evaluate(_:for:_:at:)``.
  public func firstUse(
    of leaf: Certificate, for space: ProtectionSpace
  ) throws(VaultError) -> FirstUse {
    for decision in try find(ItemQuery(server(space))) {
      guard case .knownKey(let key, _) = decision.content else { continue }
      return key == leaf.publicKeyHash ? .known : .changed(from: key)
    }
    return .unknown
  }

  /// Returns the pins of a server, or of the nearest domain above it that has them for its
  /// subdomains.
  ///
  /// - Returns: The pins, with their host and expiry; nil if there are none.
  /// - Throws: As ``evaluate(_:for:_:at:)``.
  public func pins(for space: ProtectionSpace) throws(VaultError) -> PinSet? {
    let space = try server(space)
    return try pins(among: find(ItemQuery(space)), of: space)
  }

  /// Returns the decisions about a server, or all of them.
  ///
  /// - Parameter space: The server; nil for every one.
  /// - Returns: Those that have not expired, by the order of their items.
  /// - Throws: As ``evaluate(_:for:_:at:)``.
  public func findAll(for space: ProtectionSpace? = nil) throws(VaultError) -> [TrustDecision] {
    guard let space else {
      var query = ItemQuery()
      query.authenticationMethod = .equals(.serverTrust)
      return try find(query)
    }
    return try find(ItemQuery(server(space)))
  }

  /// Returns the decision of an item.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if there is no such item, or if it is not a
  ///   decision or has expired; else as ``evaluate(_:for:_:at:)``.
  public func decision(_ id: ItemID) throws(VaultError) -> TrustDecision {
    guard let decision = try TrustDecision(vault.item(id, withSecrets: true)) else {
      throw VaultError(.itemNotFound, "the item is no decision about a server")
    }
    return decision
  }

  /// Returns what a decision was before it was changed, the newest first.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if it was removed; else as
  ///   ``evaluate(_:for:_:at:)``.
  public func history(of decision: TrustDecision) throws(VaultError) -> [TrustDecision.Content] {
    var contents: [TrustDecision.Content] = []
    for previous in try vault.history.entries(of: decision.item, withSecrets: true) {
      guard let secret = previous.secret else { continue }
      contents.append(
        try TrustDecision.Content(
          secret, account: decision.item.account, host: decision.space.host,
          expires: previous.expires))
    }
    return contents
  }

  /// Returns the space that decisions about a server are for.
  func server(_ space: ProtectionSpace) throws(VaultError) -> ProtectionSpace {
    guard space.port != 0 else {
      throw VaultError(.invalidArgument, "trust: \(space) has no port")
    }
    return try ProtectionSpace(
      host: space.host, port: space.port, protocol: space.protocol, realm: "",
      authenticationMethod: .serverTrust)
  }

  func find(_ query: ItemQuery) throws(VaultError) -> [TrustDecision] {
    var query = query
    query.includesExpired = false
    var decisions: [TrustDecision] = []
    for item in try vault.findAll(query, withSecrets: true) {
      if let decision = try TrustDecision(item) { decisions.append(decision) }
    }
    return decisions
  }

  private func pins(
    among decisions: [TrustDecision], of space: ProtectionSpace
  ) throws(VaultError) -> PinSet? {
    for decision in decisions {
      if case .pins(let pins) = decision.content { return pins }
    }
    var query = ItemQuery(space)
    query.account = .equals(TrustDecision.Content.pins)
    let domains = space.host.domains
    for (index, domain) in domains.enumerated() {
      query.server = .equals(domain)
      for decision in try find(query) {
        guard case .pins(let pins) = decision.content, pins.includesSubdomains else { continue }
        // Asked last, because the first question reads the list. Strangers have names below one.
        return domains[...index].contains(where: PublicSuffixes.system.contains) ? nil : pins
      }
    }
    return nil
  }
}

extension HostName {
  /// The domains above a name, the nearest first.
  fileprivate var domains: [HostName] {
    guard !isIPAddress else { return [] }
    var domains: [HostName] = []
    var rest = name[...]
    while let dot = rest.firstIndex(of: ".") {
      rest = rest[rest.index(after: dot)...]
      domains.append(HostName(canonical: String(rest)))
    }
    return domains
  }
}
