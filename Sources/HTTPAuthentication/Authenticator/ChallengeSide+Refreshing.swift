import CredentialVault
import HTTPChallenge
import SecureMemory
import VaultModel

/// The key that requests for the same token share.
enum Refreshed: Sendable {
  /// Another request's token is in the vault now.
  case found
  /// A token and its path, stored as far as the policy allows; the error if it could not be.
  case new(Credential, PendingCredential?, path: String, storageError: VaultError?)
  /// There is no token to be had.
  case none
  /// The function that fetches tokens threw an error of its own.
  case failed(any Error)
}

/// The key by which requests want the same token: the space, the replaced item, the scope and what
/// may be stored.
struct RefreshKey: Hashable, Sendable {
  let space: ProtectionSpace
  let item: ItemID?
  let scope: [UInt8]
  let user: [UInt8]?
  let granted: [Persistence]
  /// The request's own target, if the token that others got does not cover it.
  var target: [UInt8]?
}

/// Getting tokens that no vault has.
extension ChallengeSide {
  /// The limit on tokens fetched for one request, whatever its server says of them.
  private static let mostRefreshes = 2

  /// Whether another token can be fetched for the request.
  var canRefresh: Bool {
    authenticator.settings.refreshToken != nil && refreshes < Self.mostRefreshes
  }

  /// Finds the item whose token a new one would replace.
  mutating func findReplaced(_ usable: [ChallengeResponder]) throws(VaultError) {
    replacedItem = nil
    guard canRefresh, let space = usable.first(where: \.requiresToken)?.space else { return }
    replacedItem = try replaced(space)?.item.id
  }

  /// Fetches a token for the first challenge of Bearer.
  ///
  /// - Returns: The result; nil if nothing is to be had.
  /// - Throws: The error of waiting for the function that fetches tokens, or of looking up.
  mutating func refresh(_ usable: [ChallengeResponder]) async throws(VaultError) -> Asking? {
    guard canRefresh, let function = authenticator.settings.refreshToken,
      let responder = usable.first(where: \.requiresToken),
      let challenge = responder.bearer
    else { return nil }
    refreshes += 1
    let side = self
    let fetch = { @Sendable () async throws(VaultError) -> Refreshed in
      try await side.fetch(for: responder, challenge, by: function)
    }
    var key = RefreshKey(
      space: responder.space, item: replacedItem, scope: Array((challenge.scope ?? "").utf8),
      user: meantUser.map { Array($0.utf8) },
      granted: [switches.granted(.permanent), switches.granted(.session)])
    var refreshed = try await authenticator.refreshes.result(of: key, fetch)
    if case .new(_, _, let path, _) = refreshed, requestPath.depth(of: path) == nil {
      key.target = Array(request.url.target.utf8)
      refreshed = try await authenticator.refreshes.result(of: key, fetch)
    }
    switch refreshed {
    case .none: return nil
    case .found: return .again
    case .failed(let error): return .failed(error)
    case .new(let credential, let pending, let path, let storageError):
      // A token that was rejected just now would be rejected again.
      guard requestPath.depth(of: path) != nil, !wasRejected(credential, by: responder.space),
        try take(credential, pending, for: responder)
      else { return nil }
      attempt?.storageError = storageError
      return .attempt
    }
  }

  /// Fetches and stores a token, once for all who want it.
  private func fetch(
    for responder: ChallengeResponder, _ challenge: BearerChallenge, by function: TokenRefresh
  ) async throws(VaultError) -> Refreshed {
    let side = self
    let vault = authenticator.vault
    let lookUp = { @Sendable () throws(VaultError) -> TokenQuestion? in
      try side.choices(for: responder).chosen == nil
        ? side.question(about: responder, challenge) : nil
    }
    // Another request's token may have come since this one looked.
    guard let question = try await vault.waiting(lookUp) else { return .found }
    let new: NewToken?
    do {
      new = try await function(question)
    } catch {
      // Another program may have used the refresh token first, and stored what it got.
      guard try await vault.waiting(lookUp) != nil else { return .found }
      return .failed(error)
    }
    guard let new else { return .none }
    // No token is replaced by one that cannot be sent.
    do throws(VaultError) {
      _ = try BearerResponse.value(new.token)
    } catch {
      throw VaultError(.invalidData, error.context)
    }
    var result = Refreshed.none
    // Even if nobody waits any more: the issuer may have ended the old refresh token.
    try await vault.finishing(changing: &result) { (result) throws(VaultError) in
      result = side.stored(new, question)
    }
    return result
  }

  /// Describes the token that is wanted, and the item that it replaces: the best one for the
  /// request, expired or not.
  private func question(
    about responder: ChallengeResponder, _ challenge: BearerChallenge
  ) throws(VaultError) -> TokenQuestion {
    let found = try replaced(responder.space)
    let item = found?.item
    let hasExpired = item?.isExpired(at: authenticator.vault.time.now()) ?? false
    return TokenQuestion(
      cause: hasExpired
        ? .expired
        : lacksScope ? .insufficientScope : failures > 0 ? .rejected : .missing,
      space: responder.space, url: request.url.withoutUserInfo, challenge: challenge,
      user: user, item: item?.withoutSecrets,
      refreshToken: try found.flatMap { (found) throws(VaultError) in
        try found.vault.refreshToken(of: found.item)
      })
  }

  private func replaced(
    _ space: ProtectionSpace
  ) throws(VaultError) -> (vault: Vault, item: Item)? {
    for vault in authenticator.vaults.vaults {
      for space in try space.andWithoutRealm {
        let items = try vault.findAll(ItemQuery(space, at: requestPath)).filter {
          meantUser.means($0.account) && switches.allows($0) && $0.isSent
        }
        if let item = items.first { return (vault, item) }
      }
    }
    return nil
  }

  /// Stores a token in the default vault, in place of the item's if that has it, or else in an item
  /// like it, so that it covers no more paths and can be refreshed; one that replaces no item is an
  /// item of its own.
  ///
  /// One that could not be stored is used all the same.
  private func stored(_ new: NewToken, _ question: TokenQuestion) -> Refreshed {
    let renewed = new.replacesItem ? question.item : nil
    let old = renewed.flatMap { authenticator.vault.keeps($0) ? $0 : nil }
    let path = old?.path ?? (new.path.isEmpty ? question.item?.path ?? "" : new.path)
    var credential = Credential(
      token: new.token, user: question.item?.account ?? new.user,
      persistence: old?.persistence ?? new.persistence)
    credential.persistence = switches.granted(credential.persistence)
    guard credential.persistence > .none else {
      return .new(credential, nil, path: path, storageError: nil)
    }
    do throws(VaultError) {
      var item = Item(
        space: question.space, account: credential.user, secret: new.token)
      item.secretKind = .token
      item.path = path
      item.expires = new.expires
      item.refreshToken = new.refreshToken ?? (renewed == nil ? nil : question.refreshToken)
      item.custom = renewed?.custom ?? [:]
      let pending = try authenticator.vault.store(
        new.token, as: item, credential.persistence, replacing: old)
      return .new(credential, pending, path: path, storageError: nil)
    } catch {
      return .new(
        credential, nil, path: path, storageError: error.code == .policyRefused ? nil : error)
    }
  }
}

extension Vault {
  /// Returns whether an item is one of this vault's.
  fileprivate func keeps(_ item: Item) -> Bool {
    var query = ItemQuery(key: item.key)
    query.id = item.id
    do throws(VaultError) {
      return try !findAll(query).isEmpty
    } catch {
      // Storing the token says why.
      return false
    }
  }

  /// Stores a token as an item, or in place of an old one's.
  ///
  /// - Returns: The pending credential; nil if it is stored, or must not be.
  fileprivate func store(
    _ token: Secret, as item: Item, _ persistence: Persistence,
    replacing old: Item?
  ) throws(VaultError) -> PendingCredential? {
    guard let old, persistence == old.persistence else {
      return try upsert(item, persistence: persistence).pending
    }
    let changes: [ItemChange] = [
      .secret(token), .secretKind(.token), .expires(item.expires),
      .refreshToken(item.refreshToken),
    ]
    return try modify(old, changes).pending
  }
}
