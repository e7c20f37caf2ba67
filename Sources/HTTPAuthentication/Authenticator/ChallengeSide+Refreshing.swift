import CredentialVault
import HTTPChallenge
import SecureMemory
import VaultModel

/// What the requests that wait for one token share.
enum Refreshed: Sendable {
  /// Another request's token is in the vault now.
  case found
  /// A token, stored as far as the policy allows; the error if it could not be.
  case new(Credential, PendingCredential?, storageError: VaultError?)
  /// There is no token to be had.
  case none
}

/// The key by which requests want the same token: the space, the scope and what may be stored.
struct RefreshKey: Hashable, Sendable {
  let space: ProtectionSpace
  let scope: [UInt8]
  let account: [UInt8]?
  let granted: [Persistence]
}

/// Getting tokens that no vault has.
extension ChallengeSide {
  /// The limit on tokens fetched for one request, whatever its server says of them.
  private static let mostRefreshes = 2

  /// Whether another token can be fetched for the request.
  var canRefresh: Bool {
    authenticator.refreshToken != nil && refreshes < Self.mostRefreshes
  }

  /// Has a token fetched for the first challenge of Bearer.
  ///
  /// - Returns: The result; nil if nothing is to be had.
  /// - Throws: The error of the function that fetches tokens, or of waiting for it.
  mutating func refresh(_ usable: [Authentication]) async throws(VaultError) -> Asking? {
    guard canRefresh, let function = authenticator.refreshToken,
      let authentication = usable.first(where: \.requiresToken),
      let challenge = authentication.bearer
    else { return nil }
    refreshes += 1
    let side = self
    let key = RefreshKey(
      space: authentication.space, scope: Array((challenge.scope ?? "").utf8),
      account: meantUser.map { Array($0.utf8) },
      granted: [switches.granted(.permanent), switches.granted(.session)])
    let refreshed = try await authenticator.refreshes.result(of: key) {
      () async throws(VaultError) -> Refreshed in
      try await side.fetch(for: authentication, challenge, by: function)
    }
    switch refreshed {
    case .none: return nil
    case .found: return .again
    case .new(let credential, let pending, let storageError):
      // A token that was rejected just now would be rejected again.
      guard !wasRejected(credential, by: authentication.space),
        try take(credential, pending, for: authentication)
      else { return nil }
      attempt?.storageError = storageError
      return .attempt
    }
  }

  /// Fetches and stores a token, once for all who want it.
  private func fetch(
    for authentication: Authentication, _ challenge: BearerChallenge, by function: TokenRefresh
  ) async throws(VaultError) -> Refreshed {
    let side = self
    let vault = authenticator.vault
    // Another request's token may have come since this one looked.
    let question = try await vault.waiting { () throws(VaultError) -> TokenQuestion? in
      try side.choices(for: authentication).chosen == nil
        ? side.question(about: authentication, challenge) : nil
    }
    guard let question else { return .found }
    guard let new = try await function(question) else { return .none }
    guard !Task.isCancelled else {
      throw VaultError(.interrupted, "nobody waits for the token")
    }
    return try await vault.waiting { () throws(VaultError) in
      side.stored(new, question)
    }
  }

  /// Describes the token that is wanted, and the item that it replaces: the best one for the
  /// request, expired or not.
  private func question(
    about authentication: Authentication, _ challenge: BearerChallenge
  ) throws(VaultError) -> TokenQuestion {
    let (item, token) = try replaced(authentication.space) ?? (nil, nil)
    let hasExpired = item?.isExpired(at: authenticator.vault.time.now()) ?? false
    return TokenQuestion(
      cause: hasExpired
        ? .expired
        : lacksScope ? .insufficientScope : failures > 0 ? .rejected : .missing,
      space: authentication.space, url: request.url.withoutUserInfo, challenge: challenge,
      account: account, item: item?.withoutSecrets, refreshToken: token)
  }

  private func replaced(
    _ space: ProtectionSpace
  ) throws(VaultError) -> (InternetPassword?, Secret?)? {
    for vault in authenticator.vaults.vaults {
      for space in try space.andWithoutRealm {
        let items = try vault.findAll(ItemQuery(space, at: requestPath)).filter {
          meantUser.means($0.account) && switches.allows($0) && $0.isSent
        }
        if let item = items.first { return (item, try vault.refreshToken(of: item)) }
      }
    }
    return nil
  }

  /// Stores a token in the default vault, in place of the item's if that has it.
  ///
  /// One that could not be stored is used all the same.
  private func stored(_ new: NewToken, _ question: TokenQuestion) -> Refreshed {
    let old = question.item.flatMap { authenticator.vault.keeps($0) ? $0 : nil }
    var credential = Credential(
      token: new.token, user: question.item?.account ?? new.user,
      persistence: old?.persistence ?? new.persistence)
    credential.persistence = switches.granted(credential.persistence)
    guard credential.persistence > .none else {
      return .new(credential, nil, storageError: nil)
    }
    do throws(VaultError) {
      let pending = try authenticator.vault.store(
        new, credential, in: question.space, replacing: old,
        refreshToken: new.refreshToken ?? question.refreshToken)
      return .new(credential, pending, storageError: nil)
    } catch {
      return .new(credential, nil, storageError: error.code == .policyRefused ? nil : error)
    }
  }
}

extension Vault {
  /// Returns whether an item is one of this vault's.
  fileprivate func keeps(_ item: InternetPassword) -> Bool {
    var query = ItemQuery(key: item.key)
    query.id = item.id
    do throws(VaultError) {
      return try !findAll(query).isEmpty
    } catch {
      // Storing the token says why.
      return false
    }
  }

  /// Stores a token with what its issuer said of it.
  ///
  /// - Returns: The pending credential; nil if it is stored, or must not be.
  fileprivate func store(
    _ new: NewToken, _ credential: Credential, in space: ProtectionSpace,
    replacing old: InternetPassword?, refreshToken: Secret?
  ) throws(VaultError) -> PendingCredential? {
    guard let old, credential.persistence == old.persistence else {
      var item = InternetPassword(space: space, account: credential.user, secret: new.token)
      item.secretKind = .token
      item.path = new.path
      item.expires = new.expires
      item.refreshToken = refreshToken
      return try upsert(item, persistence: credential.persistence).pending
    }
    return try modify(
      old,
      [
        .secret(new.token), .secretKind(.token), .expires(new.expires),
        .refreshToken(refreshToken),
      ]
    ).pending
  }
}
