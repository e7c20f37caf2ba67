import CredentialVault
import SecureMemory
import VaultModel

/// The known successes: one responder for each server or proxy, space and user.
///
/// It holds no credentials. They are looked up in the vault each time, so that none outlives a lock
/// or a removal there.
struct KnownSuccesses {
  /// A success.
  struct Entry {
    let responder: ChallengeResponder
    let user: String
    /// Whether only requests that named the user have succeeded: others do not become that user by
    /// it.
    let isNamed: Bool
    /// The credential that was accepted; nil if Basic cannot carry it.
    let credential: SecretHasher.Hash?
    /// The data that the login was bound to the server's certificate by; empty for others.
    let binding: [UInt8]
  }

  /// The limit that keeps a server with ever new realms from filling the memory.
  static let limit = 256

  /// The successes, the latest last.
  private var entries: [Entry] = []
  /// The spaces, without their methods, in which Digest was tried, with any result, and Basic had
  /// not been accepted before; the latest last.
  private var digestSpaces: [ProtectionSpace] = []
  /// Those in which Basic had been accepted before.
  private var mixedSpaces: [ProtectionSpace] = []
  /// The credentials that Digest was tried with at a server or proxy, with any result, the latest
  /// last.
  private var digestUses: [DigestUse] = []

  /// A credential that Digest was tried with, in whichever realm of a server or proxy.
  private struct DigestUse: Equatable {
    let origin: Origin
    let credential: SecretHasher.Hash
  }

  /// Returns the entry to use before a challenge: the latest of those with the most specific paths.
  func covering(_ request: RequestHead, isProxy: Bool, user: String?) -> Entry? {
    entries.reversed()
      .filter { entry in
        entry.responder.isProxy == isProxy && entry.responder.isValid
          && (user.map { $0.hasSameBytes(as: entry.user) } ?? !entry.isNamed)
          && entry.responder.applies(to: request)
      }
      .max { left, right in
        left.responder.scopeDepth(for: request) < right.responder.scopeDepth(for: request)
      }
  }

  /// Returns the user of a space's last success, without users that only requests have named.
  func user(of space: ProtectionSpace) -> String? {
    entries.last { $0.responder.space == space && !$0.isNamed }?.user
  }

  /// Returns the responder of a space and user.
  func responder(of space: ProtectionSpace, user: String) -> ChallengeResponder? {
    entries.last { $0.responder.space == space && $0.user.hasSameBytes(as: user) }?
      .responder
  }

  /// Records that Digest is tried in a space.
  ///
  /// A space in which Basic was accepted before has both schemes: what Digest would protect has
  /// been sent there already, and still is to the pages that ask for Basic.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - credential: The credential; nil if Basic cannot carry it.
  mutating func noteDigest(in space: ProtectionSpace, with credential: SecretHasher.Hash?) {
    if hasAcceptedBasic(in: space) {
      Self.append(space.withoutMethod, to: &mixedSpaces)
    } else {
      Self.append(space.withoutMethod, to: &digestSpaces)
    }
    if let credential {
      Self.append(DigestUse(origin: space.origin, credential: credential), to: &digestUses)
    }
  }

  /// Appends an element that may be there already, so that those in use are not dropped.
  private static func append<Element: Equatable>(_ new: Element, to list: inout [Element]) {
    list.removeAll { $0 == new }
    list.append(new)
    if list.count > limit { list.removeFirst() }
  }

  /// Returns whether Digest was tried in a space that had accepted Basic before.
  func hasBothSchemes(in space: ProtectionSpace) -> Bool {
    mixedSpaces.contains(space.withoutMethod)
  }

  private func hasAcceptedBasic(in space: ProtectionSpace) -> Bool {
    entries.contains {
      $0.responder.method == .basic
        && $0.responder.space.withoutMethod == space.withoutMethod
    }
  }

  /// Returns whether Digest was tried in a space that had not accepted Basic before.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    digestSpaces.contains(space.withoutMethod)
  }

  /// Returns whether Digest was used in any realm of a space's server or proxy.
  func hasUsedDigest(at space: ProtectionSpace) -> Bool {
    digestUses.contains { $0.origin == space.origin }
  }

  /// Returns whether a credential was used for Digest in any realm of a space's server or proxy.
  func hasUsedForDigest(_ credential: SecretHasher.Hash, at space: ProtectionSpace) -> Bool {
    digestUses.contains(DigestUse(origin: space.origin, credential: credential))
  }

  /// Returns whether a success is known at a space's server or proxy, on any path.
  func hasSuccess(at space: ProtectionSpace) -> Bool {
    entries.contains { $0.responder.space.origin == space.origin }
  }

  /// Records a success, in place of the previous one.
  mutating func remember(
    _ responder: ChallengeResponder, user: String, isNamed: Bool = false,
    with credential: SecretHasher.Hash? = nil, boundBy binding: [UInt8] = []
  ) {
    let before = entries.last {
      $0.responder.space == responder.space && $0.user.hasSameBytes(as: user)
    }
    forget(responder.space, user: user)
    entries.append(
      Entry(
        responder: responder, user: user, isNamed: isNamed && before?.isNamed ?? true,
        credential: credential, binding: binding))
    if entries.count > Self.limit { entries.removeFirst() }
  }

  /// Returns whether a credential was accepted in a space.
  func hasSuccess(in space: ProtectionSpace, of credential: SecretHasher.Hash) -> Bool {
    entries.contains { $0.responder.space == space && $0.credential == credential }
  }

  /// Forgets a user's success in a space.
  mutating func forget(_ space: ProtectionSpace, user: String) {
    entries.removeAll {
      $0.responder.space == space && $0.user.hasSameBytes(as: user)
    }
  }
}

extension ProtectionSpace {
  /// The server or proxy.
  fileprivate var origin: Origin { Origin(protocol: `protocol`, host: host, port: port) }
}

/// The state that an authenticator keeps between requests.
extension Authenticator {
  /// Returns the shared responder of a server or proxy and user, updated with the new
  /// challenge.
  ///
  /// It is that of the last success, if there is one. Concurrent requests thus count one nonce
  /// together.
  func shared(_ responder: ChallengeResponder, user: String) -> ChallengeResponder {
    let known = known.withLock { known in
      known.responder(of: responder.space, user: user)
    }
    guard let known, known.isValid, known.renew(by: responder) else { return responder }
    return known
  }

  /// Returns the user of a space's last success, without users that only requests have named.
  func lastUser(of space: ProtectionSpace) -> String? {
    known.withLock { $0.user(of: space) }
  }

  /// Returns the hash of a credential as Basic sends it; nil if Basic cannot carry it.
  ///
  /// It tells whether two are the same user and password, wherever they come from.
  func hash(of credential: Credential) -> SecretHasher.Hash? {
    do throws(VaultError) {
      return hasher.hash(of: try BasicResponse.value(credential))
    } catch {
      return nil
    }
  }

  /// Returns the hash of an attempt's credential; a field of Basic already has what is hashed.
  private func hash(of attempt: Attempt) -> SecretHasher.Hash? {
    attempt.responder.method == .basic
      ? hasher.hash(of: attempt.field.value) : hash(of: attempt.credential)
  }

  /// Records an attempt with Digest.
  func noteDigest(_ attempt: Attempt) {
    guard attempt.responder.hidesSecret else { return }
    let credential = hash(of: attempt)
    known.withLock { $0.noteDigest(in: attempt.responder.space, with: credential) }
  }

  /// Returns whether any request has used Digest at a space's server or proxy.
  func hasUsedDigest(at space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasUsedDigest(at: space) }
  }

  /// Returns whether any request has used a credential for Digest at a space's server or proxy.
  func hasUsedForDigest(_ credential: SecretHasher.Hash, at space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasUsedForDigest(credential, at: space) }
  }

  /// Returns whether a credential was accepted in a space.
  func hasSuccess(in space: ProtectionSpace, of credential: SecretHasher.Hash) -> Bool {
    known.withLock { $0.hasSuccess(in: space, of: credential) }
  }

  /// Returns whether any request has tried Digest in a space that had not accepted Basic before.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasTriedDigest(in: space) }
  }

  /// Returns whether any request has tried Digest in a space that had accepted Basic before.
  func hasBothSchemes(in space: ProtectionSpace) -> Bool {
    known.withLock { $0.hasBothSchemes(in: space) }
  }

  /// Records that a credential was accepted, and stores it if required.
  ///
  /// A success without a challenge proves nothing about a credential: the page may be public.
  ///
  /// - Parameters:
  ///   - attempt: The accepted attempt.
  ///   - requestPath: The path requested from a server.
  ///   - isNamed: Whether the request named the user.
  ///   - isRemembered: Whether later requests may use the success.
  /// - Returns: The error if the credential could not be stored; nil if it was, or did not have to
  ///   be.
  func accept(
    _ attempt: Attempt, at requestPath: RequestPath, isNamed: Bool, isRemembered: Bool = true
  ) -> VaultError? {
    guard let challenge = attempt.challenge else { return nil }
    if isRemembered {
      attempt.responder.include(scopesOf: challenge)
      let credential = hash(of: attempt)
      known.withLock { known in
        known.remember(
          attempt.responder, user: attempt.credential.user, isNamed: isNamed, with: credential,
          boundBy: attempt.rounds?.binding ?? [])
      }
    }
    guard attempt.pending != nil || attempt.kept > .none else { return nil }
    do throws(VaultError) {
      try moves.withLock { (moves) throws(VaultError) in
        moves += 1
        if let pending = attempt.pending {
          try vault.keep(attempt.credential, pending, for: challenge.space, at: requestPath)
        } else {
          var credential = attempt.credential
          credential.persistence = attempt.kept
          try vault.keep(accepted: credential, for: challenge.space, at: requestPath)
        }
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

  /// Forgets the success that an attempt relied on.
  func forget(_ attempt: Attempt) {
    known.withLock { known in
      known.forget(attempt.responder.space, user: attempt.credential.user)
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
