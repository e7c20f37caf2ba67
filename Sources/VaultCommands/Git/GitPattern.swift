import CredentialVault
import HTTPChallenge
import Interchange
import VaultModel

/// The items that a request of Git selects, and the choice of the one that answers.
///
/// Every attribute in the request must equal the item's; other attributes may have any value. The
/// port is a part of the host, so a request without one means the protocol's default. A request's
/// path matches the paths of items that cover it, as in networking code. Git omits the path for
/// HTTP unless `credential.useHttpPath` is set, and then it is unknown.
///
/// A request that brings a password is about passwords, and one that brings a bearer token about
/// those. One without a secret is about passwords, and also about tokens if Git can send them and
/// the server accepts them. Items that Docker stored are never Git's.
struct GitPattern {
  private(set) var query = ItemQuery()
  /// The request's parts as an item has them; unset if the request has none.
  let networkProtocol: NetworkProtocol
  let server: HostName
  /// The port; 0 if the request names none or the default.
  let port: UInt16
  private let namesHost: Bool
  /// The literal path, empty if the request has none; a file's path is without the slashes at its
  /// ends, as in a URL.
  let path: String
  /// Whether it names a file of this machine: a protocol without a host, and a path.
  private let isFile: Bool
  /// Whether the request identifies a place: a protocol with a host, or with Git's `cert` the path
  /// of a file.
  ///
  /// Anything less would mean many places at once.
  let namesPlace: Bool
  /// The realms of the challenges that a password answers; empty if the server named none, which
  /// means any.
  let realms: [String]
  /// The realms of the challenges that a bearer token answers; empty if the server named none.
  let tokenRealms: [String]
  /// The methods of those challenges.
  private let methods: [AuthenticationMethod]
  private let includesPasswords: Bool
  private let includesTokens: Bool
  /// The item that this helper gave to Git, if Git says which.
  private let given: ItemID?

  /// Reads a request; nil if no item can match it, because a part is invalid.
  init?(_ request: GitRequest) {
    guard !request.isUnrepresentable else { return nil }
    do throws(VaultError) {
      networkProtocol = try NetworkProtocol(request.networkProtocol ?? "")
      let (host, number) = try Self.hostAndPort(request.host ?? "")
      server = host
      port = number == networkProtocol.defaultPort ? 0 : number
    } catch {
      return nil
    }
    namesHost = request.host != nil
    isFile = server.isUnset && request.path != nil
    path = isFile ? Self.withoutSlashes(request.path ?? "") : request.path ?? ""
    let isCertificate = networkProtocol.rawValue == "cert" && !path.isEmpty
    namesPlace = networkProtocol != .unset && (!server.isUnset || isCertificate)
    let challenges = ChallengeList(request.challenges).challenges
    let ofTokens = challenges.filter { $0.method.isToken }
    includesPasswords = !request.isForToken
    includesTokens =
      request.isForToken
      || (request.secret == nil && request.takesTokens && (challenges.isEmpty || !ofTokens.isEmpty))
    // Git logs in on connections by itself, and asks nobody for it.
    let ofPasswords = challenges.filter {
      $0.method.isPassword && $0.method.strength > 0 && !$0.method.isBoundToConnection
    }
    realms = includesPasswords ? ofPasswords.map(\.realm) : []
    tokenRealms = includesTokens ? ofTokens.map(\.realm) : []
    methods = ofPasswords.map(\.method) + (includesTokens ? ofTokens.map(\.method) : [])
    given = request.givenItem
    if request.networkProtocol != nil { query.protocol = .equals(networkProtocol) }
    if namesHost { query.server = .equals(server) }
    // A file of this machine is that path alone, and none above it.
    if !server.isUnset {
      query.requestPath = request.path.map { RequestPath(decoded: $0) } ?? .unknown
    }
    if let username = request.username { query.account = .equals(username) }
  }

  /// Excludes expired items: Git before 2.40 does not know of expiry.
  mutating func excludesExpired() {
    query.includesExpired = false
  }

  /// Gives the request a path, as Git does that is told to send it.
  mutating func sends(_ path: RequestPath) {
    query.requestPath = path
  }

  /// Returns the items that match the request, those in a realm that the server named first.
  ///
  /// - Parameter items: The results of the query.
  /// - Returns: The results that can answer.
  func matches(_ items: [Item]) -> [Item] {
    let usable = items.filter { item in
      hasKind(item) && hasPort(of: item) && (!isFile || hasPath(item))
    }
    guard namesRealms else { return usable }
    let named = usable.filter { item in
      realms(for: item).contains { $0.utf8.elementsEqual(item.realm.utf8) }
    }
    let others = usable.filter { item in
      let realms = realms(for: item)
      return realms.isEmpty || (item.realm.isEmpty && !realms.contains(""))
    }
    return named + others
  }

  private var namesRealms: Bool { !realms.isEmpty || !tokenRealms.isEmpty }

  private func realms(for item: Item) -> [String] {
    item.isBearerToken ? tokenRealms : realms
  }

  private func hasKind(_ item: Item) -> Bool {
    // Git cannot ask for a PIN.
    guard item.hasPassword, !item.needsPIN, item.origin != DockerServer.origin else {
      return false
    }
    return item.isBearerToken
      ? includesTokens : includesPasswords && item.authenticationMethod.isPassword
  }

  /// Returns the matches whose path is exactly that of the request, or unset if the request has
  /// none.
  func literal(_ matches: [Item]) -> [Item] {
    matches.filter(hasPath)
  }

  private func hasPath(_ item: Item) -> Bool {
    (isFile ? Self.withoutSlashes(item.path) : item.path).utf8.elementsEqual(path.utf8)
  }

  private static func withoutSlashes(_ path: String) -> String {
    var rest = path.utf8.drop { $0 == UInt8(ascii: "/") }
    while rest.last == UInt8(ascii: "/") { rest.removeLast() }
    return String(Substring(rest))
  }

  /// Returns the matches in the best realm: one that the server named, else none.
  func inBestRealm(_ matches: [Item]) -> [Item] {
    guard namesRealms, matches.contains(where: { !$0.realm.isEmpty }) else { return matches }
    return matches.filter { !$0.realm.isEmpty }
  }

  /// Returns the match that this helper gave to Git, if Git says which.
  func given(in matches: [Item]) -> Item? {
    given.flatMap { id in matches.first { $0.id == id } }
  }

  /// Returns the item that answers: the one that Git says it was given, if that is a match.
  ///
  /// Otherwise one is chosen.
  /// The candidates are the items in the best realm, only tokens if the server named Bearer and
  /// nothing for passwords, and among those the ones with the longest path. The default user's
  /// item is preferred, then the one that was stored last. Among several items of that user, the
  /// literal one is preferred: one without a realm if the server named none, then one for Basic or
  /// any method, or for a method that the server named, then one whose port is literal.
  ///
  /// If the path is unknown and the candidates have several paths, none answers: the wrong one
  /// would be refused, and then erased.
  ///
  /// - Parameters:
  ///   - matches: The result of ``matches(_:)``.
  ///   - isDefault: Whether the item is of its space's default user; called only if it matters.
  /// - Returns: One of them, nil if there is none.
  /// - Throws: Any error of `isDefault`.
  func answer(
    _ matches: [Item],
    isDefault: (Item) throws(VaultError) -> Bool
  ) throws(VaultError) -> Item? {
    if let given = given(in: matches) { return given }
    var inRealm = inBestRealm(matches)
    // The server named nothing that a password answers.
    if realms.isEmpty, !tokenRealms.isEmpty {
      inRealm = Self.preferring(inRealm, where: \.isBearerToken)
    }
    let depths = inRealm.map { query.requestPath?.depth(of: $0.path) ?? 0 }
    let best = zip(depths, inRealm).filter { $0.0 == depths.max() }.map(\.1)
    guard let first = best.first else { return nil }
    guard isFile || best.allSatisfy({ $0.path.utf8.elementsEqual(first.path.utf8) }) else {
      return nil
    }
    guard best.count > 1 else { return first }
    var defaults: [Item] = []
    for item in best where try isDefault(item) { defaults.append(item) }
    guard let latest = (defaults.isEmpty ? best : defaults).max(by: Self.isEarlier) else {
      return nil
    }
    var rest = best.filter { $0.account.utf8.elementsEqual(latest.account.utf8) }
    if !namesRealms { rest = Self.preferring(rest, where: \.realm.isEmpty) }
    rest = Self.preferring(rest) { isLiteral($0.authenticationMethod) }
    rest = Self.preferring(rest) { $0.port == literalPort }
    return rest.max(by: Self.isEarlier)
  }

  /// Returns the preferred items, or all if none is preferred.
  private static func preferring(
    _ items: [Item], where isPreferred: (Item) -> Bool
  ) -> [Item] {
    let preferred = items.filter(isPreferred)
    return preferred.isEmpty ? items : preferred
  }

  /// Returns whether an item's method stands for any password, for the method that every Git server
  /// accepts, or for one that this server named.
  private func isLiteral(_ method: AuthenticationMethod) -> Bool {
    method == .default || (methods.isEmpty ? method == .basic : methods.contains(method))
  }

  private static func isEarlier(_ left: Item, _ right: Item) -> Bool {
    (left.modified, left.revision) < (right.modified, right.revision)
  }

  /// The port of the request as a space has it, which networking code prefers.
  private var literalPort: UInt16 { port == 0 ? networkProtocol.defaultPort ?? 0 : port }

  private func hasPort(of item: Item) -> Bool {
    guard namesHost else { return true }
    return item.port == port || (port == 0 && item.port == item.protocol.defaultPort)
  }

  /// Reads `host`, `host:port`, `[address]` or `[address]:port`.
  private static func hostAndPort(_ text: String) throws(VaultError) -> (HostName, UInt16) {
    let isBracketed = text.hasPrefix("[")
    guard let colon = text.lastIndex(of: ":"),
      !isBracketed || text[..<colon].hasSuffix("]")
    else { return (try HostName(text), 0) }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty else { return (try HostName(String(text[..<colon])), 0) }
    return (try HostName(String(text[..<colon])), try Values.port(String(digits)))
  }
}

extension Item {
  /// Whether its secret answers Bearer and is never sent as a password, whatever its method.
  var isBearerToken: Bool {
    authenticationMethod.isToken || secretKind.withoutPIN == .token
  }
}
