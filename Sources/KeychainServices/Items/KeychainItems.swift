package import CredentialVault
import SecureMemory
package import VaultModel

/// SecItem's four functions over neutral values: the Swift module and the C library convert their
/// own dictionaries to them.
///
/// Items are found in the vaults in order, and the first vault that has a match wins. New items go
/// to the default vault. An update or a delete applies to all matches of the first vault that has
/// any, in one transaction; of items that are named by references, to all that are found, in one
/// transaction for each of their vaults.
package struct KeychainItems: Sendable {
  /// Returns the vaults in which items are found, in order.
  private let vaults: @Sendable () throws(VaultError) -> [Vault]
  /// Returns the other vaults that the process has open, where persistent references lead, too.
  private let others: @Sendable () -> [Vault]
  /// Returns the vault to which new items go; nil for the first of ``vaults``.
  private let defaultVault: (@Sendable () throws(VaultError) -> Vault)?

  /// Creates the functions over vaults that are looked up at each call.
  ///
  /// - Parameters:
  ///   - vaults: Returns the vaults in which items are found, in order.
  ///   - defaultVault: Returns the vault to which new items go; nil for the first one.
  ///   - others: Returns further vaults for persistent references.
  package init(
    vaults: @escaping @Sendable () throws(VaultError) -> [Vault],
    defaultVault: (@Sendable () throws(VaultError) -> Vault)? = nil,
    others: @escaping @Sendable () -> [Vault] = { [] }
  ) {
    self.vaults = vaults
    self.defaultVault = defaultVault
    self.others = others
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
    let vault = try destination(of: request)
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
    var count = 0
    for (vault, selection) in try changed(by: request) where count == 0 || request.targets != nil {
      count += try vault.renewAll(
        selection.query, changes.changes, afterAcceptance: true, removal: .ofProgram,
        where: selection.accepts)
    }
    guard count > 0 else { throw Self.notFound }
  }

  /// Removes all items that match, with their previous secrets.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound``; the errors of a wrong dictionary.
  package func delete(_ query: [String: KeychainValue]) throws(VaultError) {
    let request = try KeychainRequest(query, for: .delete)
    var count = 0
    for (vault, selection) in try changed(by: request) where count == 0 || request.targets != nil {
      count += try vault.removeAll(
        selection.query, removal: .ofProgram, where: selection.accepts)
    }
    guard count > 0 else { throw Self.notFound }
  }

  /// Returns where a request changes items, and which: what a query with the same conditions finds.
  private func changed(
    by request: KeychainRequest
  ) throws(VaultError) -> [(vault: Vault, selection: KeychainRequest.Selection)] {
    let limit = request.limit ?? .all
    guard let targets = request.targets else {
      return try searched(by: request).map { ($0, request.limitedSelection()) }
    }
    let found = try resolve(targets, request, limit)
    var places: [(vault: Vault, selection: KeychainRequest.Selection)] = []
    for vault in found.map(\.vault) where !places.contains(where: { $0.vault === vault }) {
      let items = found.filter { $0.vault === vault }.map(\.item)
      places.append((vault, request.selection(of: items)))
    }
    return places
  }

  /// Returns the vaults of a request, in order.
  func searched(by request: KeychainRequest) throws(VaultError) -> [Vault] {
    if let named = request.vaults { return named }
    let vaults = try vaults()
    guard !vaults.isEmpty else { throw Self.noVault }
    return vaults
  }

  /// Returns the vaults in which a persistent reference is looked up.
  func known(to request: KeychainRequest) throws(VaultError) -> [Vault] {
    let searched = try searched(by: request)
    guard request.vaults == nil else { return searched }
    return searched + others().filter { other in !searched.contains { $0.isSame(as: other) } }
  }

  /// Returns the vault to which a request adds an item.
  private func destination(of request: KeychainRequest) throws(VaultError) -> Vault {
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
  fileprivate func limitedSelection() -> Selection {
    var selection = selection()
    selection.query = selection.completeQuery
    selection.query.limit = (limit ?? .all).most
    return selection
  }

  /// Returns the conditions for items that were found.
  fileprivate func selection(of items: [Item]) -> Selection {
    var selection = Selection()
    let ids = Set(items.map(\.id))
    selection.accepts = { ids.contains($0.id) }
    selection.query.itemClass = itemClass
    // Named by its server or service, one item is not looked for in the whole vault.
    if items.count == 1 { selection.query.server = .equals(items[0].key.server) }
    return selection
  }
}

extension Vault {
  /// Returns whether both are of one file, or the same vault without one.
  func isSame(as other: Vault) -> Bool { self === other || (path != nil && path == other.path) }
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
