import VaultModel

/// What has had a success: one authentication for each server or proxy, space and user.
///
/// It holds no credential: that is looked up in the vault each time, so that nothing outlives a lock or a removal there.
struct KnownAuthentications {
  /// A success.
  struct Entry {
    let authentication: Authentication
    let user: String
    /// Whether only requests that named the user have had it: others do not become that user's by it.
    let isNamed: Bool
  }

  /// Whoever answers with ever new realms must not fill the memory.
  static let limit = 256

  /// The latest last.
  private var entries: [Entry] = []
  /// Where Digest was tried, in clear or not, whatever came of it.
  private var digestSpaces: [ProtectionSpace] = []

  /// The one to use before a challenge: the latest of those whose paths are the most precise.
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

  /// The user of the last success in a space that no request had named.
  func user(of space: ProtectionSpace) -> String? {
    entries.last { $0.authentication.space == space && !$0.isNamed }?.user
  }

  /// The authentication of a space and user.
  func authentication(of space: ProtectionSpace, user: String) -> Authentication? {
    entries.last { $0.authentication.space == space && $0.user.hasSameBytes(as: user) }?
      .authentication
  }

  /// Takes note that Digest is tried in a space.
  mutating func noteDigest(in space: ProtectionSpace) {
    guard !hasTriedDigest(in: space) else { return }
    digestSpaces.append(space.withoutMethod)
    if digestSpaces.count > Self.limit { digestSpaces.removeFirst() }
  }

  /// Whether Digest was tried in a space.
  func hasTriedDigest(in space: ProtectionSpace) -> Bool {
    digestSpaces.contains(space.withoutMethod)
  }

  /// Whether there was a success at a server or proxy that a request goes to, whatever its paths.
  func hasSuccess(at space: ProtectionSpace) -> Bool {
    entries.contains { entry in
      let known = entry.authentication.space
      return known.host == space.host && known.port == space.port
        && known.protocol == space.protocol
    }
  }

  /// Takes note of a success, in the place of the one before.
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
