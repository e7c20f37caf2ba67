import CPostgres
import Glibc
import VaultModel

/// The network addresses of a server, one by one.
extension ServerAddress {
  /// Keywords and values that choose one of a server's addresses; empty if there is only one.
  typealias Place = [(keyword: String, value: String)]

  /// The addresses in the order in which they are tried: those of each host in turn, as the system
  /// resolves its name when its turn has come.
  var places: some Sequence<Place> {
    hosts.lazy.flatMap { host in
      let found = host.name.map(Self.addresses) ?? []
      // A name that is unknown is libpq's to report.
      return found.isEmpty ? [host.place] : found.map { host.place + [("hostaddr", $0)] }
    }
  }

  /// The hosts: keywords and values that choose one, and its name if that is to be resolved.
  private var hosts: [(place: Place, name: String?)] {
    let settings = settings()
    let hosts = Self.list(settings["host"])
    let addresses = Self.list(settings["hostaddr"])
    let ports = Self.list(settings["port"])
    let count = max(hosts.count, addresses.count)
    // Lists of other lengths are libpq's to refuse, and an empty element is its default, which
    // cannot be named.
    guard count > 0, [0, count].contains(hosts.count), [0, count].contains(addresses.count),
      [0, 1, count].contains(ports.count), !(hosts + addresses).contains("")
    else { return [([], nil)] }
    return (0..<count).map { index in
      var place: Place = []
      if !hosts.isEmpty { place.append(("host", hosts[index])) }
      if !addresses.isEmpty { place.append(("hostaddr", addresses[index])) }
      let port = ports.count == 1 ? ports[0] : ports.isEmpty ? "" : ports[index]
      place.append(("port", port.isEmpty ? Self.standardPort : port))
      return (place, addresses.isEmpty ? hosts[index] : nil)
    }
  }

  /// The port of an empty element in a list of ports: `DEF_PGPORT` of libpq.
  private static let standardPort = "5432"

  /// Begins to connect to one of the addresses.
  ///
  /// - Returns: The connection, which the caller finishes.
  /// - Throws: ``VaultError/Code/outOfMemory``.
  @unsafe func begin(_ place: Place) throws(VaultError) -> OpaquePointer {
    // `expand_dbname`: the value of the whole address comes before those of the place, which win.
    let parameters = parameters + place
    // The copies live until the call is over, and are freed once.
    let keywords = unsafe parameters.map { unsafe strdup($0.keyword) } + [nil]
    let values = unsafe parameters.map { unsafe strdup($0.value) } + [nil]
    defer { unsafe (keywords + values).forEach { text in unsafe free(text) } }
    let names = unsafe keywords.map { text in unsafe UnsafePointer(text) }
    let texts = unsafe values.map { text in unsafe UnsafePointer(text) }
    // Both arrays end with NULL.
    guard let connection = unsafe PQconnectStartParams(names, texts, 1) else {
      throw VaultError(.outOfMemory, "connecting to the fleet's server")
    }
    return unsafe connection
  }

  /// Returns the settings of a connection as libpq takes them from the address, the service file
  /// and the environment; empty if one of these cannot be read.
  func settings() -> [String: String] {
    // With a mode that there is not, libpq stops before it connects.
    guard let connection = unsafe try? begin([("sslmode", "unknown")]) else { return [:] }
    // It was begun above; the options are libpq's, and freed once.
    defer { unsafe PQfinish(connection) }
    guard let options = unsafe PQconninfo(connection) else { return [:] }
    defer { unsafe PQconninfoFree(options) }
    var settings: [String: String] = [:]
    var option = unsafe options
    // The last element has no keyword; keywords and values end in NUL.
    while let keyword = unsafe option.pointee.keyword {
      if let value = unsafe option.pointee.val {
        settings[unsafe String(cString: keyword)] = unsafe String(cString: value)
      }
      unsafe option += 1
    }
    return settings
  }

  private static func list(_ value: String?) -> [String] {
    guard let value, !value.isEmpty else { return [] }
    return value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
  }

  /// Returns the numeric addresses of a host; none of the folder of a Unix socket, and of a name
  /// that is unknown.
  private static func addresses(of host: String) -> [String] {
    guard !host.hasPrefix("/"), !host.hasPrefix("@") else { return [] }
    // Zeros, but for the kind of socket.
    var wanted = unsafe addrinfo()
    unsafe wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // The list is freed below; the name is a C string during the call.
    var found: UnsafeMutablePointer<addrinfo>? = nil
    guard unsafe getaddrinfo(host, nil, &wanted, &found) == 0 else { return [] }
    defer { unsafe freeaddrinfo(found) }
    var addresses: [String] = []
    var next = unsafe found
    while let entry = unsafe next {
      // A member of the list, which lives until the end of this function; the text ends in NUL.
      if let text = unsafe numeric(entry.pointee), !addresses.contains(text) {
        addresses.append(text)
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses
  }

  @unsafe private static func numeric(_ entry: addrinfo) -> String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    // The address is the list's, with its length, and the buffer ours.
    let status = unsafe getnameinfo(
      entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard status == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
