import CredentialVault
import SecureMemory
import VaultModel

/// Which credential answers a challenge.
extension Exchange {
  /// Chooses what is sent next to the side that has challenged; a reason if there is nothing.
  mutating func answer(
    _ response: HTTPResponse, _ index: Int
  ) async throws(VaultError) -> Outcome.Reason? {
    // What was called stale is sent again, with the new nonce.
    guard legs[index].attempt == nil else { return nil }
    let offer = try Authentication.offered(by: response, to: request)
    guard let first = offer.authentications.first else {
      return .unsupported(offer.unanswered.map(\.method))
    }
    let expected = offer.authentications.filter { authenticator.expects($0.space) }
    guard !expected.isEmpty else { return .unexpected(first.space) }
    while true {
      let usable = expected.filter { legs[index].allows($0) }
      guard let strongest = usable.first else {
        return legs[index].failures > 0 ? .rejected : .noCredential
      }
      if takeOwn(usable, index) { return nil }
      // A lookup that finds the vault locked has it unlocked, and looks again.
      if try await unlocked({ (exchange) throws(VaultError) in
        try exchange.takeStored(usable, index)
      }) {
        return nil
      }
      switch try await ask(strongest, index) {
      case .attempt: return nil
      case .again: continue
      case .end(let reason): return reason
      }
    }
  }

  /// Tries what the caller gave for this request.
  private mutating func takeOwn(_ usable: [Authentication], _ index: Int) -> Bool {
    for authentication in usable {
      for credential in legs[index].own
      where !legs[index].wasRefused(credential, by: authentication.space) {
        if take(credential, nil, for: authentication, index) { return true }
      }
    }
    return false
  }

  /// Tries what is stored for the strongest scheme that there is anything for.
  private mutating func takeStored(
    _ usable: [Authentication], _ index: Int
  ) throws(VaultError) -> Bool {
    for authentication in usable {
      while let candidate = try choices(for: authentication, index).chosen {
        if take(candidate.credential, candidate.pending, for: authentication, index) {
          return true
        }
      }
    }
    return false
  }

  /// Makes an attempt of a credential, unless the scheme cannot carry it: then it is passed over from here on.
  mutating func take(
    _ credential: Credential, _ pending: PendingCredential?, for authentication: Authentication,
    _ index: Int
  ) -> Bool {
    let authentication = authenticator.shared(authentication, user: credential.user)
    do throws(VaultError) {
      legs[index].attempt = try Attempt(
        authentication, credential, pending: pending, for: request)
      return true
    } catch {
      legs[index].skip(credential, for: authentication)
      return false
    }
  }

  /// What is stored for a space, without what was refused.
  func choices(for authentication: Authentication, _ index: Int) throws(VaultError) -> Choices {
    let leg = legs[index]
    let lastUser = authenticator.known.withLock { $0.user(of: authentication.space) }
    var choices = Choices(meant: leg.meantUser, lastUser: lastUser)
    for space in try authentication.space.andWithoutRealm where choices.chosen == nil {
      choices.add(
        try authenticator.candidates(for: space).filter {
          !leg.wasRefused($0.credential, by: authentication.space)
        },
        default: try authenticator.vault.defaultUser(for: space))
    }
    return choices
  }
}
