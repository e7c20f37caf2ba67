package import CredentialVault
import SecureMemory
package import VaultModel

/// SecItem's four functions over neutral values: the Swift module and the C library convert their
/// own dictionaries to them.
///
/// Items are found in the vaults in order, and the first vault that has a match wins. New items go
/// to the default vault. An update or a delete applies to all matches of the first vault that has
/// any, in one transaction.
package struct KeychainItems: Sendable {
  /// Returns the vaults in which items are found, in order.
  private let vaults: @Sendable () throws(VaultError) -> [Vault]
  /// Returns the vault to which new items go; nil for the first of ``vaults``.
  private let defaultVault: (@Sendable () throws(VaultError) -> Vault)?

  /// Creates the functions over vaults that are looked up at each call.
  ///
  /// - Parameters:
  ///   - vaults: Returns the vaults in which items are found, in order.
  ///   - defaultVault: Returns the vault to which new items go; nil for the first one.
  package init(
    vaults: @escaping @Sendable () throws(VaultError) -> [Vault],
    defaultVault: (@Sendable () throws(VaultError) -> Vault)? = nil
  ) {
    self.vaults = vaults
    self.defaultVault = defaultVault
  }

  // MARK: Adding

  /// Adds an item.
  ///
  /// - Parameter attributes: Its class, attributes and secret, and what to return of it.
  /// - Returns: The result that is asked for; nil if none is.
  /// - Throws: ``VaultError/Code/duplicateItem``; ``VaultError/Code/policyRefused`` if no rule lets
  ///   the item be kept; the errors of a wrong dictionary.
  package func add(
    _ attributes: [String: KeychainValue]
  ) throws(VaultError) -> KeychainValue? {
    let request = try KeychainRequest(attributes, for: .add)
    let item = try request.item()
    let vault = try changed(by: request)
    let added = try vault.add(
      item, persistence: vault.path == nil ? .session : .permanent, afterAcceptance: true)
    try added.requireKept()
    guard !request.returns.isEmpty else { return nil }
    var new = added.item
    new.secret = item.secret
    return new.keychainResult(request.returns, in: vault)
  }

  // MARK: Changing

  /// Changes all items that match, or none if one change fails; a replaced secret is gone, with
  /// those before it.
  ///
  /// - Parameters:
  ///   - query: The items.
  ///   - attributes: The attributes to change, and the new secret; others are kept.
  /// - Throws: ``VaultError/Code/itemNotFound``; ``VaultError/Code/duplicateItem`` if another item
  ///   has the new key; the errors of a wrong dictionary.
  package func update(
    _ query: [String: KeychainValue], _ attributes: [String: KeychainValue]
  ) throws(VaultError) {
    let request = try KeychainRequest(query, for: .update)
    let changes = try KeychainRequest(attributes, for: .changes)
    try request.requireClass(of: changes)
    for vault in try searched(by: request) {
      let selection = try request.limitedSelection(in: vault)
      let count = try vault.renewAll(
        selection.query, changes.changes, afterAcceptance: true, removal: .ofProgram,
        where: selection.accepts)
      if count > 0 { return }
    }
    throw Self.notFound
  }

  /// Removes all items that match, with their previous secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; the errors of a wrong dictionary.
  package func delete(_ query: [String: KeychainValue]) throws(VaultError) {
    let request = try KeychainRequest(query, for: .delete)
    for vault in try searched(by: request) {
      let selection = try request.limitedSelection(in: vault)
      let count = try vault.removeAll(
        selection.query, removal: .ofProgram, where: selection.accepts)
      if count > 0 { return }
    }
    throw Self.notFound
  }

  /// Returns the vaults of a request, in order.
  func searched(by request: KeychainRequest) throws(VaultError) -> [Vault] {
    if let named = request.vaults { return named }
    let vaults = try vaults()
    guard !vaults.isEmpty else { throw Self.noVault }
    return vaults
  }

  /// Returns the vault to which a request adds an item.
  private func changed(by request: KeychainRequest) throws(VaultError) -> Vault {
    if request.vaults == nil, let defaultVault { return try defaultVault() }
    guard let vault = try searched(by: request).first else { throw Self.noVault }
    return vault
  }

  static var noVault: VaultError { VaultError(.noDefaultVault, "there is no default vault") }
  static var notFound: VaultError { VaultError(.itemNotFound, "no item matches") }
}

extension KeychainRequest {
  /// Checks that the changes are of the class of the items.
  fileprivate func requireClass(of changes: KeychainRequest) throws(VaultError) {
    guard let itemClass else { return }
    if let named = changes.itemClass, named != itemClass {
      throw VaultError(.noSuchAttribute, "the class of an item cannot be changed")
    }
    for (attribute, _) in changes.attributes where !attribute.isOf(itemClass) {
      throw VaultError(.noSuchAttribute, "\(attribute.name): not of this class of items")
    }
  }

  /// Returns the conditions with the request's limit, which for a change is no limit by default.
  fileprivate func limitedSelection(in vault: Vault) throws(VaultError) -> Selection {
    var selection = selection()
    selection.query = selection.completeQuery
    selection.query.limit = (limit ?? .all).most
    guard let targets, targets.count == 1, let reference = targets[0].reference,
      case .any = selection.query.server
    else { return selection }
    do throws(VaultError) {
      // Named by its server or service, one item is not looked for in the whole vault.
      let item = try vault.item(reference.id, hint: reference.key)
      selection.query.server = .equals(item.key.server)
    } catch {
      guard error.code == .itemNotFound else { throw error }
    }
    return selection
  }
}

extension KeychainRequest.Limit {
  /// The maximum number of items; nil for any.
  var most: Int? {
    switch self {
    case .one: 1
    case .all: nil
    case .count(let count): count
    }
  }
}

extension StoreResult {
  /// Checks that the policy kept the item, at least for the session: success means that it can be
  /// found.
  ///
  /// Items stored in this way count as accepted by a server, because programs written for the
  /// keychain save a password after it has worked, and have no call to report that later.
  ///
  /// - Throws: ``VaultError/Code/policyRefused``.
  package func requireKept() throws(VaultError) {
    guard item.persistence > .none else {
      throw VaultError(
        .policyRefused, "rule \"\(decision.rule?.name ?? "")\" lets no credential be kept here")
    }
  }
}
