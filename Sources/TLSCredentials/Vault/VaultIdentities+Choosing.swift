import CredentialVault
public import VaultModel

/// The choice of the identity for a connection.
extension VaultIdentities {
  /// Chooses the identity to send to a server that asks for a certificate; no key is opened.
  ///
  /// The identities of the URL's host come into question, of every realm, with those whose path
  /// covers the URL's. The default of the space is chosen, else the one that is preferred for the
  /// URL, else the only one that the server accepts. A default or preferred one that the server
  /// does not accept is passed over; one that has expired is an error, because another would act
  /// for somebody else.
  ///
  /// - Parameters:
  ///   - url: The URL of the request.
  ///   - request: The certificates that the server accepts.
  ///   - time: The time at which the identity has to be valid; nil for now.
  ///   - suffixes: The public suffixes, for preferences by domain.
  /// - Returns: The identity, which ``open(_:pin:)`` takes.
  /// - Throws: ``VaultError/Code/itemNotFound`` if none fits; ``VaultError/Code/expired`` and
  ///   ``VaultError/Code/ambiguous`` with the candidates; ``VaultError/Code/invalidArgument`` if
  ///   the URL is none; else as ``findAll(for:)``.
  public func choose(
    for url: String, _ request: IdentityRequest = IdentityRequest(), at time: Timestamp? = nil,
    suffixes: PublicSuffixes = .system
  ) throws(VaultError) -> StoredIdentity {
    let time = time ?? vault.now
    let space = try ProtectionSpace(url: url, authenticationMethod: .clientCertificate)
    var query = ItemQuery(space, at: try URLReference(url).requestPath)
    query.realm = .any
    var all = try findAll(query)
    for preferred in try defaults(among: all, in: space) + preferred(for: url, suffixes) {
      let obstacles = request.obstacles(to: preferred.summary, at: time)
      if obstacles.isEmpty { return preferred }
      guard obstacles != [.expired] else {
        throw VaultError(
          .expired, "identity: the preferred one has expired", candidates: [preferred.item])
      }
    }
    // The same certificate under two names makes no difference to the server.
    var seen: Set<Fingerprint> = []
    all.removeAll { !seen.insert($0.summary.fingerprint).inserted }
    return try request.choose(among: all, at: time)
  }

  /// Returns the identities that are the default of the space, or of one of the realms there, the
  /// space's own first.
  private func defaults(
    among identities: [StoredIdentity], in space: ProtectionSpace
  ) throws(VaultError) -> [StoredIdentity] {
    var chosen: [StoredIdentity] = []
    var realms = [""]
    for realm in identities.map(\.item.realm)
    where !realms.contains(where: { $0.hasSameBytes(as: realm) }) {
      realms.append(realm)
    }
    for realm in realms {
      let ofRealm = try ProtectionSpace(
        host: space.host, port: space.port, protocol: space.protocol, realm: realm,
        authenticationMethod: .clientCertificate)
      guard let user = try vault.defaultUser(for: ofRealm) else { continue }
      let named = identities.first {
        $0.item.realm.hasSameBytes(as: realm) && $0.item.account.hasSameBytes(as: user)
      }
      if let named { chosen.append(named) }
    }
    return chosen
  }
}

extension IdentityRequest {
  /// Chooses the one identity that fits.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if none fits; ``VaultError/Code/expired`` with
  ///   those that would fit but have expired; ``VaultError/Code/ambiguous`` with those that fit.
  func choose(
    among identities: [StoredIdentity], at time: Timestamp
  ) throws(VaultError) -> StoredIdentity {
    func only(_ kept: Set<Obstacle>) -> [StoredIdentity] {
      identities.filter { obstacles(to: $0.summary, at: time) == kept }
    }
    let fitting = only([])
    guard let chosen = fitting.first else {
      let expired = only([.expired])
      guard expired.isEmpty else {
        throw VaultError(
          .expired, "identity: those that the server accepts have expired",
          candidates: expired.map(\.item))
      }
      throw VaultError(
        .itemNotFound, "identity: the server accepts none of \(identities.count)")
    }
    guard fitting.count == 1 else {
      throw VaultError(
        .ambiguous, "identity: the server accepts \(fitting.count) of them",
        candidates: fitting.map(\.item))
    }
    return chosen
  }
}
