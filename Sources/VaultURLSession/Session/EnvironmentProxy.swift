import Glibc
import HTTPAuthentication
import VaultModel

/// The HTTP proxy that libcurl takes from the environment, and through which Foundation sends a
/// request.
///
/// If libcurl would not accept a value, there is no proxy here; libcurl then fails by itself. An
/// ambiguous value also gives none, because another host must never be taken for the proxy: it
/// would receive the proxy's password.
///
/// - Source: curl's manual, ENVIRONMENT; `detect_proxy` and `parse_proxy` in libcurl's `url.c`.
///   Tried on 7.88.1.
struct EnvironmentProxy: Sendable {
  /// Looks up a variable.
  typealias Environment = (_ name: String) -> String?

  let proxy: Proxy
  /// The user and password in the proxy's URL; libcurl sends them without a challenge, as Basic.
  let credential: Credential?
  /// The user in the proxy's URL, if it has no password.
  let user: String?

  /// Returns the proxy for an origin; nil for `https`, where Foundation leaves the proxy and its
  /// challenges to libcurl.
  ///
  /// The variables are read for each request, as libcurl does.
  static func find(
    for origin: Origin, in environment: Environment = variable
  ) -> EnvironmentProxy? {
    guard let value = value(for: origin, exempting: { $0.mayContain($1) }, environment) else {
      return nil
    }
    do throws(VaultError) {
      return try EnvironmentProxy(value)
    } catch {
      return nil
    }
  }

  /// Returns whether what is sent to an origin reaches no proxy elsewhere in clear.
  ///
  /// There is no proxy, or it is on this machine or encrypted. One that is not read here, such as a
  /// SOCKS proxy, may be anywhere.
  static func isTrustworthy(
    for origin: Origin, in environment: Environment = variable
  ) -> Bool {
    guard let value = value(for: origin, exempting: { $0.contains($1) }, environment) else {
      return true
    }
    do throws(VaultError) {
      return try EnvironmentProxy(value).proxy.isTrustworthy
    } catch {
      return false
    }
  }

  /// Returns the variable's value that counts for an origin; nil for `https` and if it is direct.
  private static func value(
    for origin: Origin, exempting isExempt: (DirectHosts, HostName) -> Bool,
    _ environment: Environment
  ) -> String? {
    // In upper case, this variable is a field of the request to a CGI program.
    guard origin.protocol == .http,
      let value = first(of: ["http_proxy", "all_proxy", "ALL_PROXY"], environment)
    else { return nil }
    if let hosts = first(of: ["no_proxy", "NO_PROXY"], environment),
      isExempt(DirectHosts(hosts), origin.host)
    {
      return nil
    }
    return value
  }

  /// Reads `[scheme://][user[:password]@]host[:port]`; the rest is ignored.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if it is not a proxy, or is a SOCKS
  ///   proxy.
  private init(_ value: String) throws(VaultError) {
    let afterName = value.utf8.drop { $0.isLetter || $0.isDigit || "+-.".utf8.contains($0) }
    let text = afterName.starts(with: ":/".utf8) ? value : "http://\(value)"
    let url = try RequestURL(text)
    let isEncrypted = url.origin.protocol == .https
    let port = try URLReference(text, ignoringPath: true).port
    proxy = try Proxy(
      // 1080 is libcurl's own default, also for proxies other than SOCKS.
      host: url.origin.host.name, port: Int(port ?? (isEncrypted ? 443 : 1080)),
      overTLS: isEncrypted)
    credential = url.password.map {
      Credential(user: url.user ?? "", secret: $0, persistence: .none)
    }
    user = credential == nil ? url.user : nil
  }

  /// Returns the first of the variables that is set and not empty.
  private static func first(of names: [String], _ environment: Environment) -> String? {
    for name in names {
      if let value = environment(name), !value.isEmpty { return value }
    }
    return nil
  }

  /// Returns a variable of this process; if others change it meanwhile, this is as unsafe as
  /// libcurl's own access.
  static func variable(_ name: String) -> String? {
    // The C string is valid until the environment changes; it is copied at once.
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }
}

/// The hosts that are reached without a proxy, from `no_proxy`.
///
/// `*` alone means all hosts. Otherwise the list has names, which include their subdomains,
/// addresses, and networks such as `10.0.0.0/8`, separated by commas or blanks. An entry has no
/// port; one with a port matches nothing.
///
/// Versions of libcurl differ on IPv6: before 8.10, networks match nothing, and an address matches
/// as the text of a name.
///
/// - Source: libcurl's `noproxy.c`; 7.88.1 was tried.
struct DirectHosts {
  private let list: String

  init(_ list: String) {
    self.list = list
  }

  /// Returns whether a host is reached without a proxy, whatever the version of libcurl.
  ///
  /// Of an IPv6 address, this is only certain if the list has it as libcurl writes it.
  func contains(_ host: HostName) -> Bool {
    guard host.name.utf8.contains(UInt8(ascii: ":")),
      !list.hasSameBytes(as: "*")
    else { return mayContain(host) }
    return entries.contains { $0.elementsEqual(Self.name(of: host)) }
  }

  /// Returns whether a host is reached without a proxy by any version of libcurl.
  func mayContain(_ host: HostName) -> Bool {
    guard !list.hasSameBytes(as: "*") else { return true }
    let name = Self.name(of: host)
    let address = Self.address(name)
    return entries.contains { entry in
      if let address, Self.network(entry, contains: address) { return true }
      // The parts of an IPv4 address are not domains.
      return address?.count == 4 ? false : Self.domain(entry, contains: name)
    }
  }

  private var entries: [Substring.UTF8View] {
    list.lowercasedASCII.utf8.split { ", \t".utf8.contains($0) }
  }

  /// Returns a host as the list has it: without an interface.
  private static func name(of host: HostName) -> Substring.UTF8View {
    host.name.utf8.prefix { $0 != UInt8(ascii: "%") }
  }

  /// Returns whether a name is the entry's domain or a subdomain; one dot at either end of the
  /// entry is ignored.
  private static func domain(
    _ entry: Substring.UTF8View, contains name: Substring.UTF8View
  ) -> Bool {
    let dot = UInt8(ascii: ".")
    var domain = entry
    if domain.last == dot { domain.removeLast() }
    if domain.first == dot { domain.removeFirst() }
    guard !domain.isEmpty, domain.count <= name.count else { return false }
    let rest = name.dropLast(domain.count)
    return name.suffix(domain.count).elementsEqual(domain) && (rest.isEmpty || rest.last == dot)
  }

  /// Returns whether an address is in `address[/bits]`; missing or zero bits mean the full address.
  private static func network(_ entry: Substring.UTF8View, contains address: [UInt8]) -> Bool {
    let text = entry.prefix { $0 != UInt8(ascii: "/") }
    guard let network = Self.address(text), network.count == address.count,
      let bits = bits(entry.dropFirst(text.count + 1)), bits <= 8 * address.count
    else { return false }
    let significant = bits == 0 ? 8 * address.count : bits
    return address.indices.allSatisfy { index in
      let shift = max(0, min(8, 8 * (index + 1) - significant))
      return address[index] >> shift == network[index] >> shift
    }
  }

  /// Returns the number at the start of a text, as `atoi` reads it; nil if it is negative or too
  /// large for any network.
  private static func bits(_ text: Substring.UTF8View) -> Int? {
    let digits = text.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard digits.first != UInt8(ascii: "-") else { return nil }
    guard digits.first?.isDigit == true else { return 0 }
    return Int(String(decoding: digits.prefix { $0.isDigit }, as: UTF8.self))
  }

  /// Returns the bytes of an address; nil for a name.
  private static func address(_ text: Substring.UTF8View) -> [UInt8]? {
    let bytes = Array(text)[...]
    if let octets = IPAddress.octets(dottedQuad: bytes) { return octets }
    return IPAddress.groups(ipv6: bytes)?.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }
}
