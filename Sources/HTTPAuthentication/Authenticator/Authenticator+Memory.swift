import CredentialVault
import SecureMemory
import VaultModel

/// What an authenticator knows from one request to the next.
extension Authenticator {
  /// The one authentication of a server or proxy and user: that of the last success, brought up to date by a new challenge.
  ///
  /// Requests that run at once so count one nonce together.
  func shared(_ authentication: Authentication, user: String) -> Authentication {
    let known = known.withLock { known in
      known.authentication(of: authentication.space, user: user)
    }
    guard let known, known.isValid, known.renew(by: authentication) else { return authentication }
    return known
  }

  /// The user of the last success in a space that no request had named.
  func lastUser(of space: ProtectionSpace) -> String? {
    known.withLock { $0.user(of: space) }
  }

  /// Takes note that Digest is tried in a space.
  func noteDigest(_ authentication: Authentication) {
    guard authentication.method == .digest else { return }
    known.withLock { $0.noteDigest(in: authentication.space) }
  }

  /// Whether Digest was tried in a space, by whichever request.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasTriedDigest(in: space) }
  }

  /// Takes note that a credential was accepted, and stores it if it is to be.
  ///
  /// What was sent before a challenge proves nothing by a success: the page may be open to all.
  ///
  /// - Parameters:
  ///   - attempt: What was sent.
  ///   - requestPath: What was requested of a server.
  ///   - isNamed: Whether the request named the user.
  /// - Returns: Why it could not be stored; nil if it was, or nothing was to be.
  func accept(
    _ attempt: Attempt, at requestPath: RequestPath, isNamed: Bool
  ) -> VaultError? {
    guard let challenge = attempt.challenge else { return nil }
    attempt.authentication.include(scopesOf: challenge)
    known.withLock { known in
      known.remember(
        attempt.authentication, user: attempt.credential.user, isNamed: isNamed)
    }
    guard let pending = attempt.pending else { return nil }
    do throws(VaultError) {
      try moves.withLock { (moves) throws(VaultError) in
        moves += 1
        try vault.keep(attempt.credential, pending, for: challenge.space, at: requestPath)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Runs `body` while no answer is on its way from one place to another.
  func settled<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    try moves.withLock { _ throws(VaultError) in try body() }
  }

  /// Takes note that a credential was rejected: what is pending is dropped; what is stored stays.
  func reject(_ attempt: Attempt) throws(VaultError) {
    forget(attempt)
    try drop(attempt.pending)
  }

  /// Forgets the success that an attempt went by.
  func forget(_ attempt: Attempt) {
    known.withLock { known in
      known.forget(attempt.authentication.space, user: attempt.credential.user)
    }
  }

  /// Drops what is pending, so that nobody else tries it.
  func drop(_ pending: PendingCredential?) throws(VaultError) {
    guard let pending else { return }
    do throws(VaultError) {
      try vault.pending.reject(pending)
    } catch {
      // Another request with the same answer was faster, or the vault was locked: then it is gone, too.
      guard error.code == .itemNotFound || error.code == .locked else { throw error }
    }
  }
}
