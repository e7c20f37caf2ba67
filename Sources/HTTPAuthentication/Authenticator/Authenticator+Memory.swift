import CredentialVault
import SecureMemory
import VaultModel

/// The state that an authenticator keeps between requests.
extension Authenticator {
  /// Returns the shared authentication of a server or proxy and user, updated with the new
  /// challenge.
  ///
  /// It is that of the last success, if there is one. Concurrent requests thus count one nonce
  /// together.
  func shared(_ authentication: Authentication, user: String) -> Authentication {
    let known = known.withLock { known in
      known.authentication(of: authentication.space, user: user)
    }
    guard let known, known.isValid, known.renew(by: authentication) else { return authentication }
    return known
  }

  /// Returns the user of a space's last success, without users that only requests have named.
  func lastUser(of space: ProtectionSpace) -> String? {
    known.withLock { $0.user(of: space) }
  }

  /// Records that Digest is tried in a space.
  func noteDigest(_ authentication: Authentication) {
    guard authentication.method == .digest else { return }
    known.withLock { $0.noteDigest(in: authentication.space) }
  }

  /// Returns whether any request has tried Digest in a space.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasTriedDigest(in: space) }
  }

  /// Records that a credential was accepted, and stores it if required.
  ///
  /// A success without a challenge proves nothing about a credential: the page may be public.
  ///
  /// - Parameters:
  ///   - attempt: The accepted attempt.
  ///   - requestPath: The path requested from a server.
  ///   - isNamed: Whether the request named the user.
  /// - Returns: The error if the credential could not be stored; nil if it was, or did not have to
  ///   be.
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

  /// Runs `body` while no accepted answer is being moved to storage.
  func settled<R>(_ body: () throws(VaultError) -> R) throws(VaultError) -> R {
    try moves.withLock { _ throws(VaultError) in try body() }
  }

  /// Records that a credential was rejected: drops it if it is pending; keeps it if it is stored.
  func reject(_ attempt: Attempt) throws(VaultError) {
    forget(attempt)
    try drop(attempt.pending)
  }

  /// Forgets the success that an attempt relied on.
  func forget(_ attempt: Attempt) {
    known.withLock { known in
      known.forget(attempt.authentication.space, user: attempt.credential.user)
    }
  }

  /// Drops a pending credential, so that no other request tries it.
  func drop(_ pending: PendingCredential?) throws(VaultError) {
    guard let pending else { return }
    do throws(VaultError) {
      try vault.pending.reject(pending)
    } catch {
      // Another request with the same answer was faster, or the vault was locked: it is gone in
      // both cases.
      guard error.code == .itemNotFound || error.code == .locked else { throw error }
    }
  }
}
