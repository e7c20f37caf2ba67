package import VaultModel

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
package struct DirectHosts: Sendable {
  private let list: String

  /// Creates the hosts of a list.
  package init(_ list: String) {
    self.list = list
  }

  /// Returns whether a host is reached without a proxy, whatever the version of libcurl.
  ///
  /// Of an IPv6 address, this is only certain if the list has it as libcurl writes it.
  package func contains(_ host: HostName) -> Bool {
    guard host.name.utf8.contains(UInt8(ascii: ":")),
      !list.hasSameBytes(as: "*")
    else { return mayContain(host) }
    return entries.contains { $0.elementsEqual(Self.name(of: host)) }
  }

  /// Returns whether a host is reached without a proxy by any version of libcurl.
  package func mayContain(_ host: HostName) -> Bool {
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
