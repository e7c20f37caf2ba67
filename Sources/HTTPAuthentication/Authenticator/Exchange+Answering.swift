import CredentialVault
import SecureMemory
import VaultModel

/// Choosing the credential that answers a challenge.
extension Exchange {
  /// Chooses the next attempt for the challenging side; returns a reason if there is none.
  mutating func answer(
    _ response: ResponseHead, _ index: Int
  ) async throws(VaultError) -> Outcome.Reason? {
    // A stale field is sent again, with the new nonce.
    guard sides[index].attempt == nil, sides[index].waiting == nil else { return nil }
    let offer = try Authentication.offered(by: response, to: request)
    skipped = offer.skipped
    guard let first = offer.authentications.first else {
      return .unsupported(offer.unanswered.map(\.method))
    }
    let expected = offer.authentications.filter { authenticator.expects($0.space) }
    for authentication in offer.authentications where !authenticator.expects(authentication.space) {
      if !unexpected.contains(authentication.space) { unexpected.append(authentication.space) }
    }
    guard !expected.isEmpty else { return .unexpected(first.space) }
    while true {
      let usable = expected.filter { isAllowed($0, index) }
      guard let strongest = usable.first else {
        let isBarred = expected.contains { !sides[index].declined.contains($0.method) }
        return sides[index].failures > 0 ? .rejected : isBarred ? .downgraded : .noCredential
      }
      if try takeOwn(usable, index) { return nil }
      do throws(VaultError) {
        // If the lookup finds the vault locked, it is unlocked and the lookup repeated.
        if try await unlocked({ (exchange) throws(VaultError) in
          try exchange.takeStored(usable, index)
        }) {
          return nil
        }
        // The last attempt may have shown that the scheme is not available.
        guard isAllowed(strongest, index) else { continue }
        switch try await ask(strongest, index) {
        case .attempt: return nil
        case .again: continue
        case .end(let reason): return reason
        }
      } catch {
        guard let reason = reason(for: error) else { throw error }
        return reason
      }
    }
  }

  /// Returns whether an offer may be used.
  ///
  /// Basic is never sent in clear after Digest was tried: an attacker on the network would only
  /// have to spoil one response to read the password in the next request. In a later exchange of
  /// the space, the prompt may decline Digest.
  private func isAllowed(_ authentication: Authentication, _ index: Int) -> Bool {
    let side = sides[index]
    guard !side.declined.contains(authentication.method) else { return false }
    guard !authentication.receivesCredentialSecurely else { return true }
    guard !side.hasTriedDigest else { return false }
    return side.declined.contains(.digest)
      || !authenticator.hasTriedDigest(in: authentication.space)
  }

  /// Tries the caller's credentials for this request.
  ///
  /// Each offer is checked again before use: a hash that libcrypto has just refused bars Basic in
  /// clear.
  private mutating func takeOwn(
    _ usable: [Authentication], _ index: Int
  ) throws(VaultError) -> Bool {
    for authentication in usable where isAllowed(authentication, index) {
      for credential in sides[index].own
      where !sides[index].wasRejected(credential, by: authentication.space) {
        if try take(credential, nil, for: authentication, index) { return true }
      }
    }
    return false
  }

  /// Tries the stored credentials of the strongest scheme that has any.
  private mutating func takeStored(
    _ usable: [Authentication], _ index: Int
  ) throws(VaultError) -> Bool {
    for authentication in usable where isAllowed(authentication, index) {
      while let candidate = try choices(for: authentication, index).chosen {
        if try take(candidate.credential, candidate.pending, for: authentication, index) {
          return true
        }
      }
    }
    return false
  }

  /// Makes an attempt with a credential; if the scheme cannot carry it, the credential is skipped
  /// from now on.
  ///
  /// The same holds if libcrypto refuses the hash: nobody is prompted for such a scheme, and Digest
  /// counts as tried.
  mutating func take(
    _ credential: Credential, _ pending: PendingCredential?, for authentication: Authentication,
    _ index: Int
  ) throws(VaultError) -> Bool {
    let shared = authenticator.shared(authentication, user: credential.user)
    do throws(VaultError) {
      sides[index].attempt = try Attempt(
        shared, answering: authentication, credential, pending: pending, for: request)
      authenticator.noteDigest(authentication)
      return true
    } catch {
      guard error.code == .invalidArgument || error.code == .unsupported else { throw error }
      if error.code == .unsupported {
        sides[index].hasTriedDigest = true
        sides[index].declined.insert(authentication.method)
      }
      sides[index].skip(credential, for: authentication)
      return false
    }
  }

  /// Returns the path requested from a side, which selects items that name a path; a proxy has no
  /// paths.
  func requestPath(_ side: ChallengeSide) -> RequestPath {
    side.isProxy ? .root : RequestPath(target: request.url.target)
  }

  /// Returns the stored candidates for a space, without rejected ones.
  func choices(for authentication: Authentication, _ index: Int) throws(VaultError) -> Choices {
    let side = sides[index]
    var preferred = try authenticator.vault.defaultUsers(of: authentication.space)
    if let user = authenticator.lastUser(of: authentication.space) { preferred.append(user) }
    var choices = Choices(meant: side.meantUser, preferred: preferred)
    for space in try authentication.space.andWithoutRealm where choices.chosen == nil {
      choices.add(
        try authenticator.vault.candidates(ItemQuery(space, at: requestPath(side))).filter {
          !side.wasRejected($0.credential, by: authentication.space)
        })
    }
    return choices
  }
}
