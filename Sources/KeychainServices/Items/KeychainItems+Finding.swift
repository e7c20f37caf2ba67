import CredentialVault
package import VaultModel

extension KeychainItems {
  /// Returns what a query asks for of the items that match.
  ///
  /// Secrets are opened only if data are asked for; an expired item has none, so it is then not
  /// found.
  ///
  /// - Parameter query: The items, and what to return of them.
  /// - Returns: The result of one item, or an array of results if more than one was asked for; nil
  ///   if nothing is to be returned.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/locked``,
  ///   ``VaultError/Code/damaged``; the errors of ``VaultModel/Item/requireUnattended()`` if data
  ///   are asked for, and of a wrong dictionary.
  package func copyMatching(
    _ query: [String: KeychainValue]
  ) throws(VaultError) -> KeychainValue? {
    let request = try KeychainRequest(query, for: .find)
    let limit = request.limit ?? .one
    if limit == .one, request.targets == nil { return try first(request) }
    let found =
      if let targets = request.targets {
        try resolve(targets, request, limit)
      } else {
        try find(request, limit)
      }
    guard !found.isEmpty else { throw Self.notFound }
    guard !request.returns.isEmpty else { return nil }
    if request.returns.contains(.data) {
      for (item, _) in found { try item.requireUnattended() }
    }
    let results = found.map { $0.item.keychainResult(request.returns, in: $0.vault) }
    return limit == .one ? results.first : .array(results)
  }

  /// Returns what is asked for of the best match of the first vault that has one.
  private func first(_ request: KeychainRequest) throws(VaultError) -> KeychainValue? {
    let selection = request.selection()
    let secrets = request.returns.contains(.data)
    for vault in try searched(by: request) {
      guard let item = try selection.first(in: vault, withSecrets: secrets) else { continue }
      if secrets { try item.requireUnattended() }
      return request.returns.isEmpty ? nil : item.keychainResult(request.returns, in: vault)
    }
    throw Self.notFound
  }

  typealias Found = (item: Item, vault: Vault)

  /// Returns the matches in the order of the vaults, and in each those that were added first.
  private func find(
    _ request: KeychainRequest, _ limit: KeychainRequest.Limit
  ) throws(VaultError) -> [Found] {
    let selection = request.selection()
    let secrets = request.returns.contains(.data)
    var found: [Found] = []
    for vault in try searched(by: request) {
      let left = limit.most.map { $0 - found.count }
      if let left, left <= 0 { break }
      for item in try selection.items(in: vault, .byAge, limit: left, withSecrets: secrets) {
        found.append((item, vault))
      }
    }
    return found
  }

  /// Returns those of the items named that exist and match, in the order in which they are named.
  func resolve(
    _ targets: [KeychainRequest.Target], _ request: KeychainRequest,
    _ limit: KeychainRequest.Limit
  ) throws(VaultError) -> [Found] {
    var selection = request.selection()
    selection.accepts = nil
    let conditions = request.selection().accepts ?? { _ in true }
    let secrets = request.returns.contains(.data)
    var found: [Found] = []
    for target in targets {
      if let most = limit.most, found.count >= most { break }
      for vault in try vaults(of: target, request) {
        do throws(VaultError) {
          let item = try vault.item(
            target.id, hint: target.reference?.key, withSecrets: secrets)
          guard item.key.itemClass == target.itemClass else { continue }
          guard selection.query.rank(of: item) != nil, conditions(item) else { continue }
          if secrets, item.secret == nil, item.isExpired(at: vault.now) { continue }
          found.append((item, vault))
          break
        } catch {
          guard error.code == .itemNotFound else { throw error }
        }
      }
    }
    return found
  }

  private func vaults(
    of target: KeychainRequest.Target, _ request: KeychainRequest
  ) throws(VaultError) -> [Vault] {
    guard let reference = target.reference else { return try known(to: request) }
    guard let named = request.vaults else { return [reference.vault] }
    return named.filter { $0.isSame(as: reference.vault) }
  }
}

extension KeychainRequest.Selection {
  fileprivate enum Order {
    case bestFirst
    /// The order in which programs for Apple's keychain get several items.
    case byAge
  }

  /// Returns the items of a vault that match.
  fileprivate func items(
    in vault: Vault, _ order: Order, limit: Int?, withSecrets: Bool
  ) throws(VaultError) -> [Item] {
    var query = completeQuery
    query.includesExpired = !withSecrets
    let opensAll = withSecrets && accepts == nil && limit == nil
    var matches = try vault.findAll(query, withSecrets: opensAll)
    if let accepts { matches.removeAll { !accepts($0) } }
    if order == .byAge { matches = matches.sortedByAge() }
    if let limit { matches.removeSubrange(min(limit, matches.count)...) }
    guard withSecrets, !opensAll else { return matches }
    // Only those that are returned are opened.
    var items: [Item] = []
    for match in matches {
      do throws(VaultError) {
        items.append(
          try vault.item(match.id, hint: match.key, withSecrets: true))
      } catch {
        // It was deleted since the lookup.
        guard error.code == .itemNotFound else { throw error }
      }
    }
    return items
  }

  /// Returns the best match; an expired one only without its secret, and if no other matches.
  fileprivate func first(
    in vault: Vault, withSecrets: Bool
  ) throws(VaultError) -> Item? {
    guard accepts == nil else {
      return try items(in: vault, .bestFirst, limit: 1, withSecrets: withSecrets).first
    }
    do throws(VaultError) {
      let found = try vault.find(query, withSecrets: withSecrets)
      // Of items that differ in more than a vault's key, the oldest is meant.
      guard found.isVariant else { return found }
      return try items(in: vault, .byAge, limit: 1, withSecrets: withSecrets).first
    } catch {
      switch error.code {
      case .itemNotFound: return nil
      case .expired where withSecrets: return nil
      case .expired:
        return error.candidates.first { !excludes($0) }
      default: throw error
      }
    }
  }
}

extension [Item] {
  /// Returns the items in the order in which they were added.
  ///
  /// Of the same millisecond, the one of an earlier commit is first, and of one commit that which
  /// differs from a vault's keys by less. Items are large, so their places are sorted.
  fileprivate func sortedByAge() -> [Item] {
    let places = indices.sorted { left, right in
      let (left, right) = (self[left], self[right])
      guard left.created == right.created else { return left.created < right.created }
      guard left.revision == right.revision else { return left.revision < right.revision }
      let (mine, others) = (left.key.variant.utf8.count, right.key.variant.utf8.count)
      return mine == others ? left.key < right.key : mine < others
    }
    return places.map { self[$0] }
  }
}

extension Item {
  /// Returns what was asked for: the one value, or a dictionary of more than one.
  func keychainResult(_ returns: KeychainReturn, in vault: Vault) -> KeychainValue {
    var reference: KeychainItemReference { KeychainItemReference(self, in: vault) }
    switch returns {
    // An item without a secret has an empty one.
    case .data: return secret.map { .secret($0) } ?? .data([])
    case .reference: return .item(reference)
    case .persistentReference: return .data(reference.persistent.bytes)
    default: break
    }
    var dictionary: [String: KeychainValue] = [:]
    if returns.contains(.attributes) { dictionary = keychainAttributes }
    // A vault keeps no secret as an empty one.
    if returns.contains(.data), let secret,
      secret.count > 0 || custom[KeychainKey.noSecretMark] == nil
    {
      dictionary["v_Data"] = .secret(secret)
    }
    if returns.contains(.reference) { dictionary["v_Ref"] = .item(reference) }
    if returns.contains(.persistentReference) {
      dictionary["v_PersistentRef"] = .data(reference.persistent.bytes)
    }
    return .dictionary(dictionary)
  }

  /// The class and the attributes that are set.
  private var keychainAttributes: [String: KeychainValue] {
    var attributes: [String: KeychainValue] = ["class": .text(key.itemClass.keychainCode)]
    let custom = custom
    let hasMarks = !custom.isEmpty
    for entry in KeychainKey.all {
      switch entry.role {
      case .attribute(let attribute) where attribute.isOf(key.itemClass):
        attributes[entry.key] = keychainValue(attribute)
        if hasMarks, case .text(let text) = attributes[entry.key],
          custom[KeychainKey.dataMark(entry.key)] != nil
        {
          attributes[entry.key] = .data(Array(text.utf8))
        }
      case .kept(let attribute): attributes[entry.key] = attribute.keychainValue(of: self)
      default: continue
      }
    }
    return attributes
  }
}
