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
  }

  /// The limit that keeps a server with ever new realms from filling the memory.
  static let limit = 256

  /// The successes, the latest last.
  private var entries: [Entry] = []
  /// The spaces in which Digest was tried, in clear or not, with any result.
  private var digestSpaces: [ProtectionSpace] = []

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
  mutating func noteDigest(in space: ProtectionSpace) {
    guard !hasTriedDigest(in: space) else { return }
    digestSpaces.append(space.withoutMethod)
    if digestSpaces.count > Self.limit { digestSpaces.removeFirst() }
  }

  /// Returns whether Digest was tried in a space.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    digestSpaces.contains(space.withoutMethod)
  }

  /// Returns whether a success is known at a space's server or proxy, on any path.
  func hasSuccess(at space: ProtectionSpace) -> Bool {
    entries.contains { entry in
      let known = entry.authentication.space
      return known.host == space.host && known.port == space.port
        && known.protocol == space.protocol
    }
  }

  /// Records a success, in place of the previous one.
  mutating func remember(_ authentication: Authentication, user: String, isNamed: Bool = false) {
    let before = entries.last {
      $0.authentication.space == authentication.space && $0.user.hasSameBytes(as: user)
    }
    forget(authentication.space, user: user)
    entries.append(
      Entry(
        authentication: authentication, user: user, isNamed: isNamed && before?.isNamed ?? true))
    if entries.count > Self.limit { entries.removeFirst() }
  }

  /// Forgets a user's success in a space.
  mutating func forget(_ space: ProtectionSpace, user: String) {
    entries.removeAll {
      $0.authentication.space == space && $0.user.hasSameBytes(as: user)
    }
  }
}
