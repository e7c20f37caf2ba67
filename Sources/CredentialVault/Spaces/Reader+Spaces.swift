import SecureMemory
import VaultStore
public import VaultModel

/// Lookups of the credentials of a protection space.
extension Vault.Reader {
  /// Returns the credentials of a space, as ``Vault/credentials(for:)`` does.
  public func credentials(for space: ProtectionSpace) throws(VaultError) -> [Credential] {
    let temporary = try session.credentials(of: space)
    let permanent = try file?.find(ItemQuery(space), withSecrets: true) ?? []
    // An item that the store found expired has no secret, even if the clock, read again here, says
    // otherwise.
    let open = permanent.valid(at: now).compactMap { $0.secret == nil ? nil : $0.credential }
    let all = Self.unique(temporary, open, by: \.user)
    if all.isEmpty { try requireNone(permanent, in: space) }
    return all
  }

  /// Returns the users that have a credential in a space, as ``Vault/users(for:)`` does.
  public func users(for space: ProtectionSpace) throws(VaultError) -> [String] {
    let temporary = try session.users(of: space)
    let permanent = try file?.find(ItemQuery(space), withSecrets: false) ?? []
    let all = Self.unique(temporary, permanent.valid(at: now).map(\.account), by: \.self)
    if all.isEmpty { try requireNone(permanent, in: space) }
    return all
  }

  /// Throws an error if a space has only credentials that have expired or need a PIN, including the
  /// file's, rather than none.
  private func requireNone(
    _ permanent: [Item], in space: ProtectionSpace, at requestPath: RequestPath? = nil
  ) throws(VaultError) {
    let all =
      try session.find(ItemQuery(space, at: requestPath), withSecrets: false) + permanent
    if let sealed = all.valid(at: now).first(where: \.needsPIN) {
      throw VaultError(
        .pinRequired, "the credential of \(space) needs a PIN", candidates: [sealed])
    }
    guard all.isEmpty else {
      throw VaultError(.expired, "only expired credentials of \(space)", candidates: all)
    }
  }

  /// Returns the first element of each user; users compare on bytes.
  private static func unique<T>(
    _ first: [T], _ rest: [T] = [], by user: (T) -> String
  ) -> [T] {
    // Joining makes a new array, which costs a good part of a lookup.
    let all = first.isEmpty ? rest : rest.isEmpty ? first : first + rest
    guard all.count > 1 else { return all }
    var users: Set<[UInt8]> = []
    return all.filter { users.insert(Array(user($0).utf8)).inserted }
  }

  /// Returns the credential to use when none is chosen, as ``Vault/defaultCredential(for:)`` does.
  public func defaultCredential(for space: ProtectionSpace) throws(VaultError) -> Credential? {
    try defaultItem(for: space, withSecrets: true)?.credential
  }

  /// Returns the item of the credential to use when none is chosen, as
  /// ``Vault/defaultItem(for:at:withSecrets:)`` does.
  public func defaultItem(
    for space: ProtectionSpace, at requestPath: RequestPath? = nil, withSecrets: Bool = false
  ) throws(VaultError) -> Item? {
    // Read before the items: a user is made the default when its item exists.
    let preferred = try session.defaultUser(for: space)
    var query = ItemQuery(space, at: requestPath)
    query.includesExpired = false
    var temporary = try session.find(query, withSecrets: withSecrets)
      .filter { !withSecrets || $0.secret != nil }
    let permanent = try file?.items(of: space, withSecrets: withSecrets)
    var known = permanent?.items ?? []
    if let requestPath { known.removeAll { requestPath.depth(of: $0.path) == nil } }
    var open = known.valid(at: now).filter { !withSecrets || $0.secret != nil }
    if let requestPath {
      let longest = (temporary + open).compactMap { requestPath.depth(of: $0.path) }.max()
      temporary.removeAll { requestPath.depth(of: $0.path) != longest }
      open.removeAll { requestPath.depth(of: $0.path) != longest }
    }
    let all = Self.unique(temporary, open, by: \.account)
    if all.isEmpty { try requireNone(known, in: space, at: requestPath) }
    // A default is a reference, and its user may have been removed since.
    if let preferred, let chosen = all.first(where: { $0.isOf(preferred) }) { return chosen }
    if let user = permanent?.defaultUser, let chosen = all.first(where: { $0.isOf(user) }) {
      return chosen
    }
    return all.count == 1 ? all.first : nil
  }

  /// Returns all credentials but those that need a PIN, as ``Vault/allCredentials()`` does.
  public func allCredentials() throws(VaultError) -> [ProtectionSpace: [Credential]] {
    var query = ItemQuery()
    query.includesExpired = false
    let temporary = try Self.grouped(session.find(query, withSecrets: true))
    let permanent = try Self.grouped(file?.find(query, withSecrets: true) ?? [])
    return temporary.merging(permanent) { $0 + $1 }.mapValues { Self.unique($0, by: \.user) }
  }

  /// Returns the credentials of one store by their spaces, in the order of ``credentials(for:)``.
  private static func grouped(_ items: [Item]) -> [ProtectionSpace: [Credential]] {
    var groups: [ProtectionSpace: [Item]] = [:]
    for item in items where !item.needsPIN {
      if let space = item.space { groups[space, default: []].append(item) }
    }
    var credentials: [ProtectionSpace: [Credential]] = [:]
    for (space, items) in groups {
      let query = ItemQuery(space)
      var sorted = items
      ItemQuery.sort(&sorted, ranks: items.map { query.rank(of: $0) ?? 0 })
      credentials[space] = sorted.map(\.credential)
    }
    return credentials
  }
}

extension [Item] {
  /// Returns the items that have not expired; `now` is evaluated only if one may.
  func valid(at now: @autoclosure () -> Timestamp) -> [Item] {
    guard contains(where: \.mayExpire) else { return self }
    let now = now()
    return filter { !$0.isExpired(at: now) }
  }
}
