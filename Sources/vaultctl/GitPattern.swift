import HTTPChallenge
import VaultModel

/// What a request of Git selects among items, and which of them answers.
///
/// Every attribute that the request has must be the item's; what it has not may be anything. The
/// port is a part of the host, so a request without one means the protocol's default.
struct GitPattern {
  private(set) var query = ItemQuery()
  /// The request's parts as an item has them; unset where the request has none.
  let networkProtocol: NetworkProtocol
  let server: Host
  /// 0 if the request names none or the default.
  let port: UInt16
  private let namesHost: Bool
  /// The realms of the challenges that a password answers; empty if the server named none, which means any.
  let realms: [String]

  /// Reads a request; nil if no item can match it, because a part means nothing.
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
    realms = ChallengeList(request.challenges).challenges
      .filter { $0.method == .basic || $0.method == .digest }.map(\.realm)
    if request.networkProtocol != nil { query.protocol = .equals(networkProtocol) }
    if namesHost { query.server = .equals(server) }
    if let path = request.path { query.path = .equals(path) }
    if let username = request.username { query.account = .equals(username) }
  }

  /// Leaves out what has expired: Git before 2.40 does not know of expiry.
  mutating func excludesExpired() {
    query.includesExpired = false
  }

  /// The items that the request means, those in a realm that the server named first.
  ///
  /// - Parameter items: What the query finds.
  /// - Returns: Those of them that can answer.
  func matches(_ items: [InternetPassword]) -> [InternetPassword] {
    let usable = items.filter { item in
      item.authenticationMethod.isPassword && item.secretKind != .identity && hasPort(of: item)
    }
    guard !realms.isEmpty else { return usable }
    let named = usable.filter { item in realms.contains { $0.utf8.elementsEqual(item.realm.utf8) } }
    return realms.contains("") ? named : named + usable.filter(\.realm.isEmpty)
  }

  /// The item that answers: of those in the best realm the default user's, else the one that was
  /// stored last.
  ///
  /// - Parameters:
  ///   - matches: As ``matches(_:)`` gives them.
  ///   - isDefault: Whether the item is of its space's default user; asked only if it matters.
  /// - Returns: One of them, nil if there is none.
  /// - Throws: What `isDefault` throws.
  func answer(
    _ matches: [InternetPassword],
    isDefault: (InternetPassword) throws(VaultError) -> Bool
  ) throws(VaultError) -> InternetPassword? {
    var best = matches
    if !realms.isEmpty, matches.contains(where: { !$0.realm.isEmpty }) {
      best.removeAll(where: \.realm.isEmpty)
    }
    guard best.count > 1 else { return best.first }
    var defaults: [InternetPassword] = []
    for item in best where try isDefault(item) { defaults.append(item) }
    return (defaults.isEmpty ? best : defaults).max { left, right in
      (left.modified, left.revision) < (right.modified, right.revision)
    }
  }

  private func hasPort(of item: InternetPassword) -> Bool {
    guard namesHost else { return true }
    return item.port == port || (port == 0 && item.port == item.protocol.defaultPort)
  }

  /// Reads `host`, `host:port`, `[address]` or `[address]:port`.
  private static func hostAndPort(_ text: String) throws(VaultError) -> (Host, UInt16) {
    let isBracketed = text.hasPrefix("[")
    guard let colon = text.lastIndex(of: ":"),
      !isBracketed || text[..<colon].hasSuffix("]")
    else { return (try Host(text), 0) }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty else { return (try Host(String(text[..<colon])), 0) }
    return (try Host(String(text[..<colon])), try Values.port(String(digits)))
  }
}
