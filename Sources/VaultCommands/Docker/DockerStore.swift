import CredentialVault
import Interchange
import SecureMemory
import VaultModel

/// Docker's credentials in the vaults: one for each server, and of no other origin.
enum DockerStore {
  /// Returns the credential of a server from the first vault that has one.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if no vault has one that can be sent.
  static func get(
    _ server: DockerServer, in list: VaultList
  ) throws(VaultError) -> Item {
    guard let found = try given(server, list) else { throw DockerRequest.notFound }
    return found.item
  }

  /// Returns the user of each server that ``get(_:in:)`` answers, in the order of the servers.
  ///
  /// Docker gets every one of them for a build, and fails if one cannot be got.
  static func list(in list: VaultList) throws(VaultError) -> [(server: String, user: String)] {
    var query = ItemQuery()
    query.origin = .equals(DockerServer.origin)
    let found = try list.all { (vault) throws(VaultError) in
      try answers(query, in: vault).sorted { isEarlier($1, $0) }
    }
    // The first item of a server answers. Texts are compared as bytes.
    var seen: Set<[UInt8]> = []
    var users: [(server: String, user: String)] = []
    for item in found.map(\.item) {
      guard let server = DockerServer(of: item)?.text, seen.insert(Array(server.utf8)).inserted
      else { continue }
      users.append((server, item.account))
    }
    return users.sorted { $0.server.utf8.lexicographicallyPrecedes($1.server.utf8) }
  }

  /// Stores a credential in place of the server's other ones, which go to the trash.
  ///
  /// An identical credential changes nothing, so nothing is written; neither is anything if another
  /// vault of the list gives it already.
  ///
  /// - Returns: The result; nil if nothing had to be stored.
  /// - Throws: ``VaultError/Code/policyRefused`` if the policy does not allow permanent storage or
  ///   the item is negative; ``VaultError/Code/readOnly`` if no vault of the list may be written.
  static func store(
    _ request: DockerRequest, in list: VaultList
  ) throws(VaultError) -> StoreResult? {
    if list.namesVaults, let found = try given(request.server, list), !list.isDefault(found.vault),
      isSame(found.item, request)
    {
      return nil
    }
    let vault = try list.defaultVault
    let temporary = try vault.findAll(request.server.query)
      .filter { $0.persistence == .session && request.server.owns($0) }
    return try vault.writing { transaction throws(VaultError) -> StoreResult? in
      let items = try transaction.findAll(request.server.query, withSecrets: true)
        .filter(request.server.owns)
      guard !items.contains(where: \.isNegative) else {
        throw VaultError(.policyRefused, "a negative item says that this secret is not stored")
      }
      let old = items.filter { $0.account.utf8.elementsEqual(request.user.utf8) }
        .max(by: isEarlier)
      try transaction.remove(listed: temporary)
      for item in items where item.id != old?.id { try transaction.remove(item) }
      guard let old else {
        let item = try request.server.item(user: request.user, request.secret) {
          key throws(VaultError) in try transaction.count(ItemQuery(key: key)) > 0
        }
        return try transaction.add(item, afterAcceptance: true).kept(in: vault)
      }
      let changes = changes(of: old, request)
      guard !changes.isEmpty else { return nil }
      return try transaction.modify(old, changes, afterAcceptance: true)
        .kept(in: vault, at: transaction.now)
    }
  }

  /// Removes the credentials of a server from the first vault that has any; a logout leaves nothing
  /// of them.
  ///
  /// - Throws: ``VaultError/Code/itemNotFound`` if none has; ``VaultError/Code/readOnly``, naming
  ///   the vault, if that one is only read.
  static func erase(_ server: DockerServer, in list: VaultList) throws(VaultError) {
    let found = try list.all { (vault) throws(VaultError) in
      try vault.findAll(server.query, withSecrets: false).filter(server.owns)
    }
    guard let vault = found.first?.vault else { throw DockerRequest.notFound }
    let temporary = found.filter { $0.vault === vault && $0.item.persistence == .session }
    try vault.writing { transaction throws(VaultError) in
      let items = try transaction.findAll(server.query, withSecrets: false).filter(server.owns)
      try transaction.remove(listed: temporary.map(\.item))
      for item in items { try transaction.remove(item, removal: .ofProgram) }
    }
  }

  /// Returns whether ``get(_:in:)`` answers with this credential.
  static func gives(_ request: DockerRequest, in list: VaultList) throws(VaultError) -> Bool {
    try given(request.server, list).map { isSame($0.item, request) } ?? false
  }

  private static func given(
    _ server: DockerServer, _ list: VaultList
  ) throws(VaultError) -> VaultList.Found? {
    try list.all { (vault) throws(VaultError) -> [Item] in
      let items = try answers(server.query, in: vault).filter(server.owns)
      return items.max(by: isEarlier).map { [$0] } ?? []
    }.first
  }

  /// Returns the items of a query that the protocol can carry: they have a secret that is text.
  private static func answers(
    _ query: ItemQuery, in vault: Vault
  ) throws(VaultError) -> [Item] {
    var query = query
    query.includesExpired = false
    return try vault.findAll(query, withSecrets: true).filter { item in
      !item.isNegative && item.hasPassword && !item.account.isEmpty
        && item.secret.map(SecretText.isUTF8) ?? false
    }
  }

  private static func isSame(_ item: Item, _ request: DockerRequest) -> Bool {
    item.account.utf8.elementsEqual(request.user.utf8)
      && item.secret.map { $0.isEqual(to: request.secret) } ?? false
  }

  private static func changes(of old: Item, _ request: DockerRequest) -> [ItemChange] {
    var changes: [ItemChange] = []
    if !isSame(old, request) {
      changes.append(.secret(request.secret))
      // They belonged to the secret before.
      if old.expires != nil { changes.append(.expires(nil)) }
      if old.refreshToken != nil || old.secret == nil { changes.append(.refreshToken(nil)) }
    }
    let kind = DockerServer.kind(of: request.user)
    if old.secretKind.withoutPIN != kind { changes.append(.secretKind(kind)) }
    return changes
  }

  private static func isEarlier(_ left: Item, _ right: Item) -> Bool {
    (left.modified, left.revision) < (right.modified, right.revision)
  }
}
