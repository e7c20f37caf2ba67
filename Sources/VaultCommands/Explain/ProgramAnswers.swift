import CredentialVault
import GSSAuthentication
import Interchange
import SecureMemory
import VaultModel

/// A program that asks for a place, and its answer.
struct ProgramAnswer {
  /// `find`, `git`, `docker`, `urlsession`, `transport`.
  let name: String
  /// The circumstance that it depends on, such as the realm that the server names.
  let condition: String?
  let item: Item?
  /// The principal whose Kerberos ticket is used, where no item is.
  let ticket: String?
  /// The reason why it gets nothing.
  let reason: String?

  private init(
    _ name: String, if condition: String? = nil, _ item: Item?, ticket: String? = nil,
    else reason: String?
  ) {
    self.name = name
    self.condition = condition
    self.item = item
    self.ticket = item == nil ? ticket : nil
    self.reason = item == nil && ticket == nil ? reason : nil
  }

  /// Returns each program's answer, by the code that gives it.
  ///
  /// - Throws: Any error of a vault but those that nothing, or nothing clear, matches.
  static func all(
    _ selection: Selection, _ query: ItemQuery, in list: VaultList
  ) throws(VaultError) -> [ProgramAnswer] {
    var programs = [try find(selection, in: list)]
    guard case .equals(let server) = query.server, query.itemClass == .internetPassword,
      case .equals(let networkProtocol) = query.protocol
    else { return programs }
    programs += try git(query, server, networkProtocol, in: list)
    if networkProtocol == .https || networkProtocol == .http {
      programs += try docker(query, server, networkProtocol, in: list)
      programs += try session(query, server, networkProtocol, in: list)
      programs += try logins(query, server, networkProtocol, in: list)
    }
    return programs
  }

  private static func find(
    _ selection: Selection, in list: VaultList
  ) throws(VaultError) -> ProgramAnswer {
    do throws(VaultError) {
      let found = try list.first { (vault) throws(VaultError) in
        try selection.itemWithSecret(in: vault)
      }
      return ProgramAnswer("find", found.item, else: nil)
    } catch {
      guard [.itemNotFound, .ambiguous, .expired].contains(error.code) else { throw error }
      return ProgramAnswer("find", nil, else: error.context)
    }
  }

  /// Returns Git's requests: for HTTP without the path, and with it if Git is told to send it and
  /// the answer is another one then.
  private static func git(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> [ProgramAnswer] {
    var request = GitRequest()
    request.networkProtocol = networkProtocol.rawValue
    request.host = authority(server, query.port.value(unset: 0) ?? 0)
    request.username = query.account.value(unset: "")
    guard var pattern = GitPattern(request) else { return [] }
    pattern.excludesExpired()
    var whole = pattern
    if let path = query.requestPath { whole.sends(path) }
    guard networkProtocol == .https || networkProtocol == .http else {
      return [try git(whole, in: list)]
    }
    let usual = try git(pattern, in: list)
    let told = try git(whole, if: "credential.useHttpPath", in: list)
    return told.item?.id == usual.item?.id ? [usual] : [usual, told]
  }

  private static func git(
    _ pattern: GitPattern, if condition: String? = nil, in list: VaultList
  ) throws(VaultError) -> ProgramAnswer {
    let item = try GitStore.answer(to: pattern, in: list)?.item
    if let item, item.isNegative {
      return ProgramAnswer(
        "git", if: condition, nil, else: "the item that answers says that no password is kept")
    }
    let matches = try list.all { (vault) throws(VaultError) in
      pattern.matches(try vault.findAll(pattern.query))
    }
    return ProgramAnswer(
      "git", if: condition, item,
      else: matches.isEmpty
        ? "no password answers" : "items of several paths answer, and Git does not say which")
  }

  /// Returns Docker's requests: for the registry of this name, and for each server of the same host
  /// and port whose text an item of Docker has.
  private static func docker(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> [ProgramAnswer] {
    // A registry is named without the usual port.
    func named(_ port: UInt16) -> UInt16 { port == networkProtocol.defaultPort ? 0 : port }
    let port = named(query.port.value(unset: 0) ?? 0)
    let registry = authority(server, port)
    var texts: Set<String> = [registry]
    let found = try list.all { (vault) throws(VaultError) in
      try vault.findAll(DockerServer(registry).query)
    }
    for item in found.map(\.item) where named(item.port) == port {
      if let text = DockerServer(of: item)?.text { texts.insert(text) }
    }
    return try texts.sorted().map { (text) throws(VaultError) in
      let item: Item?
      do throws(VaultError) {
        item = try DockerStore.get(DockerServer(text), in: list)
      } catch {
        guard error.code == .itemNotFound else { throw error }
        item = nil
      }
      return ProgramAnswer(
        "docker", if: "server \(ItemText.quoted(text))", item,
        else: "no item of the origin docker answers")
    }
  }

  /// Returns the transport's logins on connections: those with items that are stored for them, for
  /// NTLM with any password where the policy allows it, and for Negotiate with the user's ticket.
  private static func logins(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> [ProgramAnswer] {
    guard let vault = list.vaults.first else { return [] }
    let user = query.account.value(unset: "")
    let isSafe = networkProtocol.isEncrypted || server.isLoopback
    var programs: [ProgramAnswer?] = []
    for method in [AuthenticationMethod.negotiate, .ntlm] {
      let space = try ProtectionSpace(
        host: server, port: query.port.value(unset: 0) ?? 0, protocol: networkProtocol, realm: "",
        authenticationMethod: method)
      var choices = Choices(meant: user, preferred: try vault.defaultUsers(of: space))
      choices.add(try vault.candidates(ItemQuery(space, at: query.requestPath)))
      let item = choices.chosen?.item
      let rule = try vault.policy.explain(space, requested: .none).decision.rule
      programs.append(
        method == .ntlm
          ? ntlm(item, rule?.allowsNTLM)
          : negotiate(
            item, ticket: user == nil ? LoginCredential.ticketPrincipal : nil,
            isAllowed: isSafe || rule?.allowsNegotiateInClear ?? false))
    }
    return programs.compactMap(\.self)
  }

  /// An item of any method comes before the ticket.
  private static func negotiate(_ item: Item?, ticket: String?, isAllowed: Bool) -> ProgramAnswer? {
    guard item?.authenticationMethod == .negotiate || ticket != nil else { return nil }
    return ProgramAnswer(
      "transport", if: AuthenticationMethod.negotiate.scheme, isAllowed ? item : nil,
      ticket: isAllowed ? ticket : nil, else: "no rule of the policy allows Negotiate over http")
  }

  private static func ntlm(_ item: Item?, _ isAllowed: Bool?) -> ProgramAnswer? {
    guard let item, isAllowed == true || item.authenticationMethod == .ntlm else { return nil }
    return ProgramAnswer(
      "transport", if: AuthenticationMethod.ntlm.scheme, isAllowed == false ? nil : item,
      else: "a rule of the policy forbids NTLM")
  }

  private static func authority(_ server: HostName, _ port: UInt16) -> String {
    let name = server.name.contains(":") ? "[\(server.name)]" : server.name
    return port == 0 ? name : "\(name):\(port)"
  }

  /// Returns the requests of URLSession and HTTP clients, for each realm that an item has: for
  /// Basic, and for Bearer if a token answers it.
  private static func session(
    _ query: ItemQuery, _ server: HostName, _ networkProtocol: NetworkProtocol, in list: VaultList
  ) throws(VaultError) -> [ProgramAnswer] {
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
    var programs: [ProgramAnswer] = []
    for realm in realms.sorted() {
      let condition = realm.isEmpty ? [] : ["realm \(ItemText.quoted(realm))"]
      let answers = { (method: AuthenticationMethod) throws(VaultError) in
        let space = try ProtectionSpace(
          host: server, port: query.port.value(unset: 0) ?? 0, protocol: networkProtocol,
          realm: realm, authenticationMethod: method)
        var choices = Choices(
          meant: query.account.value(unset: ""), preferred: try vault.defaultUsers(of: space))
        for space in try space.andWithoutRealm where choices.chosen == nil {
          choices.add(try vault.candidates(ItemQuery(space, at: query.requestPath)))
        }
        return choices
      }
      let passwords = try answers(.basic)
      programs.append(
        ProgramAnswer(
          "urlsession", if: condition.first, passwords.chosen?.item,
          else: passwords.users.count > 1
            ? "several users, and none is the default" : "no password answers"))
      if let token = try answers(.bearer).chosen?.item {
        let bearer = (condition + ["Bearer"]).joined(separator: ", ")
        programs.append(ProgramAnswer("urlsession", if: bearer, token, else: nil))
      }
    }
    return programs
  }
}
