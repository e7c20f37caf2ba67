import CredentialVault
import SecureMemory
import VaultModel

/// The known successes: one authentication for each server or proxy, space and user.
///
/// It holds no credentials. They are looked up in the vault each time, so that none outlives a lock
/// or a removal there.
struct KnownAuthentications {
  /// A success.
  struct Entry {
    let authentication: Authentication
    let user: String
    /// Whether only requests that named the user have succeeded: others do not become that user by
    /// it.
    let isNamed: Bool
    /// The credential that was accepted; nil if it was typed for the space.
    let credential: KnownCredential?
  }

  /// The limit that keeps a server with ever new realms from filling the memory.
  static let limit = 256

  /// The successes, the latest last.
  private var entries: [Entry] = []
  /// The spaces, without their methods, in which Digest was tried, with any result, the latest last.
  private var digestSpaces: [ProtectionSpace] = []
  /// The uses of credentials for Digest, in clear or not, with any result, the latest last.
  private var digestUses: [DigestUse] = []

  /// One use of Digest.
  struct DigestUse: Equatable {
    /// The space, without its method.
    let space: ProtectionSpace
    let credential: KnownCredential
  }

  /// A credential that may answer several realms of a server, named without its secret.
  enum KnownCredential: Equatable {
    case onRequest(user: [UInt8])
    case stored(InternetPassword.ID)

    /// Returns nil for a credential that was typed for one space.
    init?(_ source: Attempt.Source, user: String) {
      switch source {
      case .request: self = .onRequest(user: Array(user.utf8))
      case .item(let id): self = .stored(id)
      case .prompt: return nil
      }
    }
  }

  /// Returns the entry to use before a challenge: the latest of those with the most specific paths.
  func covering(_ request: RequestHead, isProxy: Bool, account: String?) -> Entry? {
    entries.reversed()
      .filter { entry in
        entry.authentication.isProxy == isProxy && entry.authentication.isValid
          && (account.map { $0.hasSameBytes(as: entry.user) } ?? !entry.isNamed)
          && entry.authentication.applies(to: request)
      }
      .max { left, right in
        left.authentication.scopeDepth(for: request) < right.authentication.scopeDepth(for: request)
      }
  }

  /// Returns the user of a space's last success, without users that only requests have named.
  func user(of space: ProtectionSpace) -> String? {
    entries.last { $0.authentication.space == space && !$0.isNamed }?.user
  }

  /// Returns the authentication of a space and user.
  func authentication(of space: ProtectionSpace, user: String) -> Authentication? {
    entries.last { $0.authentication.space == space && $0.user.hasSameBytes(as: user) }?
      .authentication
  }

  /// Records that Digest is tried in a space.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - credential: The credential; nil if it was typed for the space.
  mutating func noteDigest(in space: ProtectionSpace, with credential: KnownCredential? = nil) {
    let space = space.withoutMethod
    Self.append(space, to: &digestSpaces)
    if let credential {
      Self.append(DigestUse(space: space, credential: credential), to: &digestUses)
    }
  }

  /// Appends an element that may be there already, so that those in use are not dropped.
  private static func append<Element: Equatable>(_ new: Element, to list: inout [Element]) {
    list.removeAll { $0 == new }
    list.append(new)
    if list.count > limit { list.removeFirst() }
  }

  /// Returns whether Digest was tried in a space.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    digestSpaces.contains(space.withoutMethod)
  }

  /// Returns whether a credential was used for Digest in any realm of a space's server or proxy.
  func hasUsedForDigest(_ credential: KnownCredential, at space: ProtectionSpace) -> Bool {
    digestUses.contains { $0.credential == credential && $0.space.isAtSameServer(as: space) }
  }

  /// Returns whether a success is known at a space's server or proxy, on any path.
  func hasSuccess(at space: ProtectionSpace) -> Bool {
    entries.contains { $0.authentication.space.isAtSameServer(as: space) }
  }

  /// Records a success, in place of the previous one.
  mutating func remember(
    _ authentication: Authentication, user: String, isNamed: Bool = false,
    with credential: KnownCredential? = nil
  ) {
    let before = entries.last {
      $0.authentication.space == authentication.space && $0.user.hasSameBytes(as: user)
    }
    forget(authentication.space, user: user)
    entries.append(
      Entry(
        authentication: authentication, user: user, isNamed: isNamed && before?.isNamed ?? true,
        credential: credential))
    if entries.count > Self.limit { entries.removeFirst() }
  }

  /// Returns whether a credential was accepted in a space.
  func hasSuccess(in space: ProtectionSpace, of credential: KnownCredential) -> Bool {
    entries.contains { $0.authentication.space == space && $0.credential == credential }
  }

  /// Forgets a user's success in a space.
  mutating func forget(_ space: ProtectionSpace, user: String) {
    entries.removeAll {
      $0.authentication.space == space && $0.user.hasSameBytes(as: user)
    }
  }
}

extension ProtectionSpace {
  /// Returns whether both are of one server or proxy.
  fileprivate func isAtSameServer(as other: ProtectionSpace) -> Bool {
    host == other.host && port == other.port && `protocol` == other.protocol
  }
}

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

  /// Records an attempt with Digest.
  func noteDigest(_ attempt: Attempt) {
    guard attempt.authentication.method == .digest else { return }
    known.withLock { $0.noteDigest(in: attempt.authentication.space, with: attempt.named) }
  }

  /// Records the items that have a credential which has answered Digest: it may have been stored in
  /// one that serves several realms.
  private func noteDigest(
    ofItemsWith attempt: Attempt, in space: ProtectionSpace, at requestPath: RequestPath
  ) throws(VaultError) {
    guard attempt.authentication.method == .digest else { return }
    for space in try space.andWithoutRealm {
      for candidate in try vault.candidates(ItemQuery(space, at: requestPath))
      where candidate.item.account.hasSameBytes(as: attempt.credential.user)
        && candidate.credential.secret.isEqual(to: attempt.credential.secret)
      {
        known.withLock {
          $0.noteDigest(in: attempt.authentication.space, with: .stored(candidate.item.id))
        }
      }
    }
  }

  /// Returns whether any request has used a credential for Digest at a space's server or proxy.
  ///
  /// A request's own credential may be the item's: its user decides.
  func hasUsedForDigest(
    _ credential: Credential, from source: Attempt.Source, at space: ProtectionSpace
  ) -> Bool {
    typealias Name = KnownAuthentications.KnownCredential
    guard let name = Name(source, user: credential.user) else { return false }
    return known.withLock { known in
      known.hasUsedForDigest(name, at: space)
        || known.hasUsedForDigest(.onRequest(user: Array(credential.user.utf8)), at: space)
    }
  }

  /// Returns whether a credential was accepted in a space.
  func hasSuccess(
    in space: ProtectionSpace, of credential: Credential, from source: Attempt.Source
  ) -> Bool {
    guard let name = KnownAuthentications.KnownCredential(source, user: credential.user) else {
      return false
    }
    return known.withLock { $0.hasSuccess(in: space, of: name) }
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
  ///   - isRemembered: Whether later requests may use the success.
  /// - Returns: The error if the credential could not be stored; nil if it was, or did not have to
  ///   be.
  func accept(
    _ attempt: Attempt, at requestPath: RequestPath, isNamed: Bool, isRemembered: Bool = true
  ) -> VaultError? {
    guard let challenge = attempt.challenge else { return nil }
    if isRemembered {
      attempt.authentication.include(scopesOf: challenge)
      known.withLock { known in
        known.remember(
          attempt.authentication, user: attempt.credential.user, isNamed: isNamed,
          with: attempt.named)
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
        try noteDigest(ofItemsWith: attempt, in: challenge.space, at: requestPath)
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

extension Attempt {
  /// The credential, named without its secret; nil if it was typed for the space.
  fileprivate var named: KnownAuthentications.KnownCredential? {
    KnownAuthentications.KnownCredential(source, user: credential.user)
  }
}
