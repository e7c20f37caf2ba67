import CredentialVault
import VaultModel

extension Selection {
  /// Returns the items that match the query and the prefix of an id, the best first.
  ///
  /// - Parameter find: The lookup of a vault or of a transaction.
  /// - Returns: The items without their secrets; none if none matches.
  /// - Throws: Any error of the lookup.
  func items(
    _ find: (ItemQuery) throws(VaultError) -> [InternetPassword]
  ) throws(VaultError) -> [InternetPassword] {
    let items = try find(query)
    guard let idPrefix else { return items }
    return items.filter { $0.id.hasPrefix(idPrefix) }
  }

  /// Returns the one item that matches best.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/ambiguous`` with the items that
  ///   share the best rank.
  func item(
    _ find: (ItemQuery) throws(VaultError) -> [InternetPassword]
  ) throws(VaultError) -> InternetPassword {
    let items = try items(find)
    guard let first = items.first else { throw notFound() }
    let rank = query.rank(of: first)
    let best = items.prefix { query.rank(of: $0) == rank }
    guard best.count == 1 else { throw ambiguous(Array(best)) }
    return first
  }

  /// Returns the matches of all vaults of a list, in order.
  ///
  /// - Throws: Any error of a vault.
  func items(
    in list: VaultList
  ) throws(VaultError) -> [VaultList.Found<InternetPassword>] {
    try list.all { (vault) throws(VaultError) in
      try items { query throws(VaultError) in try vault.findAll(query) }
    }
  }

  /// Returns the one item of a vault that matches best, as ``item(_:)`` does.
  func item(in vault: Vault) throws(VaultError) -> InternetPassword {
    try item { query throws(VaultError) in try vault.findAll(query) }
  }

  /// Requires that a vault has a match.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; any error of the vault.
  func requireItems(in vault: Vault) throws(VaultError) {
    let items = try items { query throws(VaultError) in try vault.findAll(query) }
    guard !items.isEmpty else { throw notFound() }
  }

  /// Returns the one item that matches best, with its secret.
  ///
  /// - Throws: As ``item(_:)``; ``VaultError/Code/expired`` if only expired ones match.
  func itemWithSecret(in vault: Vault) throws(VaultError) -> InternetPassword {
    var query = query
    if idPrefix != nil {
      let item = try item { query throws(VaultError) in try vault.findAll(query) }
      query.id = item.id
      query.itemClass = item.key.itemClass
      query.server = .equals(item.server)
    }
    do throws(VaultError) {
      return try vault.findUnique(query, secrets: true)
    } catch {
      switch error.code {
      case .itemNotFound: throw notFound()
      case .ambiguous: throw ambiguous(error.items)
      case .expired: throw VaultError(.expired, "everything that matches \(subject) has expired")
      default: throw error
      }
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

  /// Returns the error that nothing was found; an id is not repeated, because it may be a secret
  /// that was typed by mistake.
  func notFound() -> VaultError {
    VaultError(.itemNotFound, "no item matches" + (subject == "this" ? "" : " \(subject)"))
  }

  private func ambiguous(_ items: [InternetPassword]) -> VaultError {
    VaultError(.ambiguous, "\(items.count) items match \(subject)", candidates: items)
  }
}
