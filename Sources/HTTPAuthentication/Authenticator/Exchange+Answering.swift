import CredentialVault
import SecureMemory
import VaultModel

/// Which credential answers a challenge.
extension Exchange {
  /// Chooses what is sent next to the side that has challenged; a reason if there is nothing.
  mutating func answer(
    _ response: ResponseHead, _ index: Int
  ) async throws(VaultError) -> Outcome.Reason? {
    // What was called stale is sent again, with the new nonce.
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
        // A lookup that finds the vault locked has it unlocked, and looks again.
        if try await unlocked({ (exchange) throws(VaultError) in
          try exchange.takeStored(usable, index)
        }) {
          return nil
        }
        // What was just tried may have shown that the scheme cannot be had.
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

  /// Whether an offer may be taken up.
  ///
  /// Never Basic in clear where Digest was tried: whoever can change what is on the wire would only have to spoil one
  /// response to read the password in the next request. In a later exchange of the space the prompt may decline Digest.
  private func isAllowed(_ authentication: Authentication, _ index: Int) -> Bool {
    let side = sides[index]
    guard !side.declined.contains(authentication.method) else { return false }
    guard !authentication.receivesCredentialSecurely else { return true }
    guard !side.hasTriedDigest else { return false }
    return side.declined.contains(.digest)
      || !authenticator.hasTriedDigest(in: authentication.space)
  }

  /// Tries what the caller gave for this request.
  ///
  /// What is allowed is asked each time: a hash that libcrypto has just refused bars Basic in clear.
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

  /// Tries what is stored for the strongest scheme that there is anything for.
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

  /// Makes an attempt of a credential, unless the scheme cannot carry it: then it is passed over from here on.
  ///
  /// A hash that libcrypto refuses is such a scheme, too: nobody is asked for it, and it counts as Digest that was tried.
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

  /// What is requested of a side, by which items that name a path are chosen; a proxy has no paths.
  func requestPath(_ side: ChallengeSide) -> RequestPath {
    side.isProxy ? .root : RequestPath(target: request.url.target)
  }

  /// What is stored for a space, without what was rejected.
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
