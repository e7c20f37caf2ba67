import CredentialVault
import VaultModel

extension Selection {
  typealias Find = (ItemQuery) throws(VaultError) -> [Item]

  /// Returns the items that match, the best first.
  ///
  /// - Parameter find: The lookup of a vault or of a transaction.
  /// - Returns: The items without their secrets; none if none matches.
  /// - Throws: Any error of the lookup.
  func items(_ find: Find) throws(VaultError) -> [Item] {
    try match(find)?.items ?? []
  }

  /// Returns the first reading that has a match, with its items, the best first; nil if none has.
  func match(
    _ find: Find
  ) throws(VaultError) -> (reading: Reading, items: [Item])? {
    for reading in readings {
      let items = try find(reading.query).filter { item in
        reading.accepts(item) && (reading.namesID || !item.isPreference)
      }
      if !items.isEmpty { return (reading, items) }
    }
    return nil
  }

  /// Finds the one item that matches best.
  ///
  /// - Parameters:
  ///   - find: The lookup of a vault or of a transaction.
  ///   - isDefault: Whether an item is of its space's default user, which decides between items
  ///     that share the best rank, if ``prefersDefaultUser``.
  /// - Returns: The item, without its secret.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous`` with the items that
  ///   share the best rank.
  func item(
    _ find: Find,
    isDefault: (Item) throws(VaultError) -> Bool = { _ throws(VaultError) in false }
  ) throws(VaultError) -> Item {
    guard let (reading, items) = try match(find) else { throw notFound() }
    let best = reading.best(of: items)
    guard best.count > 1 else { return best[0] }
    if prefersDefaultUser, let item = try Self.only(best, isDefault) { return item }
    throw reading.ambiguous(best)
  }

  /// Returns the matches of all vaults of a list, in order.
  ///
  /// - Throws: Any error of a vault.
  func items(
    in list: VaultList
  ) throws(VaultError) -> [VaultList.Found] {
    try list.all { (vault) throws(VaultError) in
      try items { query throws(VaultError) in try vault.findAll(query) }
    }
  }

  /// Returns the one item of a vault that matches best, as ``item(_:isDefault:)`` does.
  func item(in vault: Vault) throws(VaultError) -> Item {
    try item { query throws(VaultError) in
      try vault.findAll(query)
    } isDefault: { item throws(VaultError) in
      try Self.isDefault(item, in: vault)
    }
  }

  /// Returns the one item that matches best in a transaction, as ``item(in:)`` does.
  func item(
    in transaction: borrowing Vault.Writer
  ) throws(VaultError) -> Item {
    try item { query throws(VaultError) in
      try transaction.findAll(query)
    } isDefault: { item throws(VaultError) in
      try DefaultCommand.isDefault(item) { space throws(VaultError) in
        try transaction.defaultUser(for: space)
      }
    }
  }

  /// Returns the items of a vault that match, of which there is one at least.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; any error of the vault.
  func requireItems(in vault: Vault) throws(VaultError) -> [Item] {
    let items = try items { query throws(VaultError) in try vault.findAll(query) }
    guard !items.isEmpty else { throw notFound() }
    return items
  }

  /// Returns the one item that matches best and is for passwords, with its secret.
  ///
  /// - Throws: As ``item(in:)``; ``VaultError/Code/expired`` if only expired ones match;
  ///   ``VaultError/Code/itemNotFound``, naming them, if only identities match.
  func itemWithSecret(in vault: Vault) throws(VaultError) -> Item {
    var refusal: VaultError?
    for reading in readings {
      do throws(VaultError) {
        return try itemWithSecret(of: reading, in: vault)
      } catch {
        guard error.code == .itemNotFound else { throw error }
        if refusal == nil, !error.candidates.isEmpty { refusal = error }
      }
    }
    throw refusal ?? notFound()
  }

  private func itemWithSecret(
    of reading: Reading, in vault: Vault
  ) throws(VaultError) -> Item {
    if reading.idPrefix != nil { return try password(of: reading, in: vault) }
    do throws(VaultError) {
      let item = try vault.findUnique(reading.query, withSecrets: true)
      return item.answersPassword ? item : try password(of: reading, in: vault)
    } catch {
      switch error.code {
      case .ambiguous:
        guard error.candidates.allSatisfy(\.answersPassword) else {
          return try password(of: reading, in: vault)
        }
        guard prefersDefaultUser,
          let item = try Self.only(
            error.candidates, { item throws(VaultError) in try Self.isDefault(item, in: vault) })
        else { throw reading.ambiguous(error.candidates) }
        return try Self.open(item, in: vault)
      case .expired:
        throw VaultError(.expired, "everything that matches \(reading.subject) has expired")
      default: throw error
      }
    }
  }

  /// Returns the best item without those that are not passwords.
  private func password(
    of reading: Reading, in vault: Vault
  ) throws(VaultError) -> Item {
    let matches = try vault.findAll(reading.query).filter { item in
      reading.accepts(item) && !item.isPreference
    }
    guard !matches.isEmpty else { throw notFound() }
    let passwords = matches.filter(\.hasPassword)
    guard !passwords.isEmpty else {
      throw VaultError(
        .itemNotFound, "what matches \(reading.subject) is no password", candidates: matches)
    }
    let valid = passwords.filter { !ItemText.isExpired($0) }
    let best = reading.best(of: valid.isEmpty ? passwords : valid)
    if best.count == 1 { return try Self.open(best[0], in: vault) }
    guard prefersDefaultUser,
      let item = try Self.only(
        best, { item throws(VaultError) in try Self.isDefault(item, in: vault) })
    else { throw reading.ambiguous(best) }
    return try Self.open(item, in: vault)
  }

  /// Opens an item that was found, by its id.
  static func open(
    _ item: Item, in vault: Vault
  ) throws(VaultError) -> Item {
    var query = ItemQuery.everything
    query.id = item.id
    query.itemClass = item.key.itemClass
    query.server = .equals(item.server)
    do throws(VaultError) {
      return try vault.findUnique(query, withSecrets: true)
    } catch {
      guard error.code == .expired else { throw error }
      throw VaultError(.expired, "everything that matches this has expired")
    }
  }

  private static func only(
    _ items: [Item], _ isDefault: (Item) throws(VaultError) -> Bool
  ) throws(VaultError) -> Item? {
    var chosen: [Item] = []
    for item in items where try isDefault(item) { chosen.append(item) }
    return chosen.count == 1 ? chosen.first : nil
  }

  private static func isDefault(
    _ item: Item, in vault: Vault
  ) throws(VaultError) -> Bool {
    try DefaultCommand.isDefault(item) { space throws(VaultError) in
      try vault.defaultUser(for: space)
    }
  }

  /// Requires that something was named.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if every item would match.
  func requireNamed() throws(VaultError) {
    guard !isEmpty else {
      throw VaultError(.invalidArgument, "name the item by its id, its URL or its attributes")
    }
  }

  /// Returns the error that nothing was found; text that may be a secret typed by mistake is not
  /// repeated.
  func notFound() -> VaultError {
    VaultError(.itemNotFound, "no item matches" + (subject == "this" ? "" : " \(subject)"))
  }
}

extension Item {
  /// Whether it says which identity is preferred, which is not a credential.
  fileprivate var isPreference: Bool { authenticationMethod == .identityPreference }

  var answersPassword: Bool { hasPassword && !isPreference }
}

extension Reading {
  /// Returns those that share the best rank, of items that match in order.
  fileprivate func best(of items: [Item]) -> [Item] {
    guard let first = items.first else { return [] }
    let rank = query.rank(of: first)
    return Array(items.prefix { query.rank(of: $0) == rank })
  }

  /// Returns the error for several items that match equally well; the subject is of the vault,
  /// since they match it.
  fileprivate func ambiguous(_ items: [Item]) -> VaultError {
    VaultError(.ambiguous, "\(items.count) items match \(subject)", candidates: items)
  }
}
