/// A policy's answers, computed as slowly and plainly as possible, on strings and numbers of its
/// own.
///
/// It shares no code with the library: not its hosts, tables, or comparisons.
struct PolicyReference {
  struct Rule {
    var name = ""
    /// The host in canonical spelling: `*`, `*.example.com` or a host.
    var host: String?
    var scheme: String?
    var port: Int?
    var method: String?
    var isProxy: Bool?
    var isSecure: Bool?
    var isLoopback: Bool?
    /// 0 none, 1 session, 2 permanent.
    var maximum = 2
    /// Milliseconds.
    var lifetime: Int64?
    var afterAcceptance = false
    var refuse = false
  }

  struct Space {
    /// The host in canonical spelling.
    var host: String
    var scheme: String
    /// The port as it was given: nil for none.
    var port: Int?
    var method: String
  }

  struct Answer: Equatable {
    var granted: Int
    var until: Int64?
    var afterAcceptance = false
    var isRefused = false
    var rule: String?
  }

  static func decide(_ rules: [Rule], _ space: Space, requested: Int, now: Int64) -> Answer {
    for rule in rules {
      if reason(rule, space) != nil { continue }
      if rule.refuse {
        return Answer(granted: 0, isRefused: requested != 0, rule: rule.name)
      }
      var answer = Answer(granted: requested, rule: rule.name)
      if answer.granted > rule.maximum { answer.granted = rule.maximum }
      if answer.granted > 0, let lifetime = rule.lifetime { answer.until = now + lifetime }
      if answer.granted == 2 { answer.afterAcceptance = rule.afterAcceptance }
      return answer
    }
    return Answer(granted: requested)
  }

  /// Returns the first condition that does not hold.
  static func reason(_ rule: Rule, _ space: Space) -> String? {
    if let host = rule.host, !isHost(space.host, host) { return "host" }
    if let scheme = rule.scheme, scheme != space.scheme { return "protocol" }
    if let port = rule.port, port != space.port ?? defaultPorts[space.scheme] { return "port" }
    if let method = rule.method, method != space.method { return "auth" }
    if let isProxy = rule.isProxy, isProxy != proxies.contains(space.scheme) { return "proxy" }
    if let isSecure = rule.isSecure {
      let inClear = !encrypted.contains(space.scheme) && !responses.contains(space.method)
      if isSecure == inClear { return "secure" }
    }
    if let isLoopback = rule.isLoopback, isLoopback != isThisMachine(space.host) {
      return "loopback"
    }
    return nil
  }

  private static func isHost(_ host: String, _ pattern: String) -> Bool {
    if pattern == "*" { return true }
    let labels = host.split(separator: ".").map(String.init)
    let wanted = pattern.split(separator: ".").map(String.init)
    if wanted[0] == "*" {
      let parent = Array(wanted.dropFirst())
      return labels.count > parent.count && Array(labels.suffix(parent.count)) == parent
    }
    return withoutMapping(host) == withoutMapping(pattern)
  }

  /// Returns `192.0.2.1` for `::ffff:192.0.2.1`.
  private static func withoutMapping(_ host: String) -> String {
    let parts = host.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    let isMapped = parts.count == 4 && parts[0...2] == ["", "", "ffff"] && parts[3].contains(".")
    return isMapped ? parts[3] : host
  }

  private static func isThisMachine(_ host: String) -> Bool {
    if host.split(separator: ".").last == "localhost" || host == "::1" { return true }
    let octets = withoutMapping(host).split(separator: ".")
    return octets.count == 4 && octets[0] == "127" && octets.allSatisfy { Int($0) != nil }
  }

  static let defaultPorts = ["http": 80, "https": 443, "imap": 143, "socks": 1080]
  static let proxies = ["http-proxy", "https-proxy", "socks"]
  private static let encrypted = ["https", "https-proxy"]
  private static let responses = ["digest", "negotiate"]
}
