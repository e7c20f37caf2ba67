import VaultStore
public import VaultModel

/// Lookups of items, of what they were before, and of defaults.
extension Vault.Reader {
  /// Returns the items that match, best first, as ``VaultReading/findAll(_:withSecrets:)`` says.
  public func findAll(
    _ query: ItemQuery, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    let temporary = try session.find(query, withSecrets: withSecrets)
    guard let file else { return temporary }
    let permanent = try file.find(query, withSecrets: withSecrets)
    guard !temporary.isEmpty else { return permanent }
    return query.merged(temporary, permanent, at: now)
  }

  /// Returns the default user of a space, as ``Vault/defaultUser(for:)`` does.
  public func defaultUser(for space: ProtectionSpace) throws(VaultError) -> String? {
    if let user = try session.defaultUser(for: space) { return user }
    return try file?.defaultUser(for: space)
  }

  /// Returns the default users of all spaces.
  public func defaults() throws(VaultError) -> [ProtectionSpace: String] {
    let permanent = try file?.defaults() ?? [:]
    return permanent.merging(try session.defaults()) { _, temporary in temporary }
  }

  /// Returns the secrets that an item had before, as ``VaultHistory/entries(of:withSecrets:)``
  /// does.
  public func history(
    of item: Item, withSecrets: Bool = false
  ) throws(VaultError) -> [PreviousSecret] {
    try store(item.persistence).history(of: item.id, hint: item.key, withSecrets: withSecrets)
  }

  /// Opens one secret that an item had before, as ``VaultHistory/open(_:of:)`` does.
  public func previousSecret(
    _ previous: PreviousSecret, of item: Item
  ) throws(VaultError) -> PreviousSecret {
    try store(item.persistence).previousSecret(previous.id(of: item), hint: item.key)
  }

  private func store(_ persistence: Persistence) throws(VaultError) -> any StoreReader {
    guard persistence == .permanent else { return session }
    guard let file else { throw .noFile }
    return file
  }

  /// How many previous secrets each item of the file keeps.
  package var historyLimit: Int {
    get throws(VaultError) {
      try file?.historyLimit ?? PreviousSecret.defaultLimit
    }
  }

  /// Returns the removed items that match and can be brought back, as ``VaultTrash/items(_:)``
  /// does.
  public func trash(_ query: ItemQuery = ItemQuery()) throws(VaultError) -> [RemovedItem] {
    try file?.trash(query) ?? []
  }

  /// The number of days for which a removed item is kept.
  package var trashDays: Int {
    get throws(VaultError) {
      try file?.trashDays ?? 0
    }
  }

  /// Whether what programs remove and replace can be restored.
  package var keepsForPrograms: Bool {
    get throws(VaultError) {
      try file?.keepsForPrograms ?? false
    }
  }
}
