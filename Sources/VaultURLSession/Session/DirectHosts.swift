import VaultModel

/// The hosts that are reached without a proxy, as `no_proxy` names them.
///
/// `*` alone is all. Else names, which stand for those below them too, addresses, and networks such as `10.0.0.0/8`, with
/// commas or blanks between. A port is not part of an entry, and what has one matches nothing.
///
/// - Source: libcurl's `noproxy.c`. Before 8.10 it takes no IPv6 network; it is taken here in all versions.
struct DirectHosts {
  private let list: String

  init(_ list: String) {
    self.list = list
  }

  /// Whether a host is reached without a proxy.
  func contains(_ host: HostName) -> Bool {
    guard !list.hasSameBytes(as: "*") else { return true }
    // An interface is no part of an address in the list.
    let name = host.name.utf8.prefix { $0 != UInt8(ascii: "%") }
    let address = Self.address(name)
    return list.lowercasedASCII.utf8.split { ", \t".utf8.contains($0) }.contains { entry in
      if let address, Self.network(entry, contains: address) { return true }
      // The addresses of IPv4 have parts that are no domains.
      return address?.count == 4 ? false : Self.domain(entry, contains: name)
    }
  }

  /// Whether a name is another or below it; one dot at either end of the other does not count.
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

  /// Whether an address lies in `address[/bits]`; no bits, or none of them, are all.
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

  /// The number that a text begins with, as `atoi` reads it; nil if it is negative or too large for any network.
  private static func bits(_ text: Substring.UTF8View) -> Int? {
    let digits = text.first == UInt8(ascii: "+") ? text.dropFirst() : text
    guard digits.first != UInt8(ascii: "-") else { return nil }
    guard digits.first?.isDigit == true else { return 0 }
    return Int(String(decoding: digits.prefix { $0.isDigit }, as: UTF8.self))
  }

  /// The bytes of an address; nil for a name.
  private static func address(_ text: Substring.UTF8View) -> [UInt8]? {
    let bytes = Array(text)[...]
    if let octets = IPAddress.octets(dottedQuad: bytes) { return octets }
    return IPAddress.groups(ipv6: bytes)?.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }
}
