import CredentialVault
import SecureMemory
import VaultModel

/// A program that asks for a place, and what it gets.
struct Taker {
  /// `find`, `git`, `urlsession`.
  let name: String
  /// The circumstance that it depends on, such as the realm that the server names.
  let condition: String?
  let item: InternetPassword?
  /// Why it gets nothing.
  let reason: String?

  private init(
    _ name: String, if condition: String? = nil, _ item: InternetPassword?, else reason: String?
  ) {
    self.name = name
    self.condition = condition
    self.item = item
    self.reason = item == nil ? reason : nil
  }

  /// Returns what each program gets, by the code that answers it.
  ///
  /// - Throws: Any error of a vault but those that nothing, or nothing clear, matches.
  static func all(
    _ selection: Selection, _ query: ItemQuery, in list: VaultList
  ) throws(VaultError) -> [Taker] {
    var takers = [try find(selection, in: list)]
    guard case .equals(let server) = query.server, query.itemClass == .internetPassword,
      case .equals(let networkProtocol) = query.protocol
    else { return takers }
    if let git = try git(query, server, networkProtocol, in: list) { takers.append(git) }
    if networkProtocol == .https || networkProtocol == .http {
      takers += try session(query, server, networkProtocol, in: list)
    }
    return takers
  }

  private static func find(
    _ selection: Selection, in list: VaultList
  ) throws(VaultError) -> Taker {
    do throws(VaultError) {
      let found = try list.first { (vault) throws(VaultError) in
        try selection.itemWithSecret(in: vault)
      }
      return Taker("find", found.item, else: nil)
    } catch {
      guard [.itemNotFound, .ambiguous, .expired].contains(error.code) else { throw error }
      return Taker("find", nil, else: error.context)
    }
  }

  /// Git's request: it leaves out the path for HTTP, unless it is told otherwise.
  private static func git(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> Taker? {
    var request = GitRequest()
    request.networkProtocol = networkProtocol.rawValue
    let name = server.name.contains(":") ? "[\(server.name)]" : server.name
    let port = query.port.value(unset: 0) ?? 0
    request.host = port == 0 ? name : "\(name):\(port)"
    request.username = query.account.value(unset: "")
    guard var pattern = GitPattern(request) else { return nil }
    pattern.excludesExpired()
    let item = try GitStore.answer(to: pattern, in: list)?.item
    guard let item, !item.isNegative else {
      return Taker("git", nil, else: "no password answers, or items of several paths do")
    }
    return Taker("git", item, else: nil)
  }

  /// What URLSession and HTTP clients send to a server that asks for a password with Basic, for
  /// each realm that an item has.
  private static func session(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> [Taker] {
    guard let vault = list.vaults.first else { return [] }
    var realms: Set<String> = []
    if let realm = query.realm.value(unset: "") {
      realms = [realm]
    } else {
      var any = query
      any.account = .any
      realms = Set(try vault.findAll(any).map(\.realm))
      if realms.isEmpty { realms = [""] }
    }
    return try realms.sorted().map { (realm) throws(VaultError) in
      let space = try ProtectionSpace(
        host: server, port: query.port.value(unset: 0) ?? 0, protocol: networkProtocol,
        realm: realm, authenticationMethod: .basic)
      var choices = Choices(
        meant: query.account.value(unset: ""), preferred: try vault.defaultUsers(of: space))
      for space in try space.andWithoutRealm where choices.chosen == nil {
        choices.add(try vault.candidates(ItemQuery(space, at: query.requestPath)))
      }
      return Taker(
        "urlsession",
        if: realm.isEmpty ? nil : "realm \(ItemText.quoted(realm))", choices.chosen?.item,
        else: choices.users.count > 1
          ? "several users, and none is the default" : "no password answers")
    }
  }
}
