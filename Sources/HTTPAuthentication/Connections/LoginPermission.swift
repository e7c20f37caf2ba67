import CredentialVault
import VaultModel

/// The word of the vault's policy and items on logins on connections.
struct LoginPermission: Sendable {
  /// Whether any password may answer NTLM; nil leaves it to items that are stored for it.
  var allowsNTLM: Bool?
  /// Whether an item is stored for NTLM at this server.
  var hasNTLMItem = false
  /// Whether Negotiate is answered over `http` to another machine.
  var allowsNegotiateInClear = false
}

extension ChallengeSide {
  /// Reads the permission for an offer, if it has a login on a connection.
  ///
  /// A locked vault is unlocked for it only where nothing else can be answered: until then, nothing
  /// is permitted.
  mutating func readPermission(
    for offer: ChallengeResponder.Offer
  ) async throws(VaultError) {
    guard permission == nil,
      offer.responders.contains(where: {
        $0.method.isBoundToConnection && switches.allows($0.method)
      })
    else { return }
    let needsIt = offer.responders.allSatisfy { $0.method == .ntlm }
    do throws(VaultError) {
      permission = try await authenticator.vault.waiting(changing: &self) {
        (side) throws(VaultError) in
        try side.readPermission()
      }
    } catch {
      guard error.code == .locked else { throw error }
      guard needsIt else { return }
      permission = try await unlocked { (side) throws(VaultError) in try side.readPermission() }
    }
  }

  /// Reads the permission, on a thread that may wait for the vault.
  func readPermission() throws(VaultError) -> LoginPermission {
    let origin = request.url.origin
    func space(_ method: AuthenticationMethod) throws(VaultError) -> ProtectionSpace {
      try ProtectionSpace(
        host: origin.host, port: origin.port, protocol: origin.protocol, realm: "",
        authenticationMethod: method)
    }
    let policy = try authenticator.vault.policy.current()
    let now = authenticator.vault.time.now()
    func rule(_ method: AuthenticationMethod) throws(VaultError) -> PersistencePolicy.Rule? {
      policy.decide(try space(method), requested: .none, now: now).rule
    }
    var permission = LoginPermission()
    permission.allowsNTLM = try rule(.ntlm)?.allowsNTLM
    permission.allowsNegotiateInClear = try rule(.negotiate)?.allowsNegotiateInClear ?? false
    permission.hasNTLMItem = try authenticator.vaults.findAll(
      ItemQuery(space(.ntlm), at: requestPath)
    ).contains { $0.item.authenticationMethod == .ntlm }
    return permission
  }

  /// Returns whether the policy lets a scheme be answered at all: NTLM is off unless a rule, or an
  /// item that is stored for it, says otherwise.
  func isPermitted(_ responder: ChallengeResponder) -> Bool {
    guard responder.method == .ntlm else { return true }
    return permission.map { $0.allowsNTLM ?? $0.hasNTLMItem } ?? false
  }

  /// Whether Negotiate may be answered: over TLS, to this machine, or where the policy allows more;
  /// never over a connection that a proxy shares.
  var mayNegotiate: Bool {
    guard request.proxy == nil || request.isTunnelled else { return false }
    return isTrustworthy || permission?.allowsNegotiateInClear ?? false
  }

  /// Returns whether a stored credential may answer NTLM.
  func mayAnswerNTLM(_ candidate: Candidate) -> Bool {
    let isStoredForIt =
      permission?.allowsNTLM == nil && candidate.item.authenticationMethod == .ntlm
    return (permission?.allowsNTLM == true || isStoredForIt)
      && hasDomain(candidate.credential)
  }

  /// Returns whether a credential that is not stored may answer NTLM.
  func mayAnswerNTLM(_ credential: Credential) -> Bool {
    permission?.allowsNTLM == true && hasDomain(credential)
  }

  /// Returns whether the domain is known, which people are otherwise asked for.
  private func hasDomain(_ credential: Credential) -> Bool {
    guard request.proxy == nil || request.isTunnelled else { return false }
    return !credential.accountDomain.isEmpty
      || credential.user.utf8.contains { "@\\".utf8.contains($0) }
  }
}
