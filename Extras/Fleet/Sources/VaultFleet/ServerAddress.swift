import CFleetPostgres
import Glibc
package import VaultModel

/// The address of a fleet's server: a connection string of libpq without a password.
///
/// Source: <https://www.postgresql.org/docs/15/libpq-connect.html#LIBPQ-CONNSTRING>.
package struct ServerAddress: Equatable, Sendable {
  package let text: String
  /// The time limit for connecting, at each address of a host that it names.
  let connectLimit: Duration

  private static let connectSeconds = 5

  /// Checks a connection string: keywords and values, or a URI.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it cannot be read, holds a password, or has
  ///   several lines.
  package init(_ text: String) throws(VaultError) {
    guard !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x20 }) else {
      throw VaultError(.invalidArgument, "the server's address is empty or has several lines")
    }
    var message: UnsafeMutablePointer<CChar>?
    // The array and the message are libpq's, and freed once.
    let options = unsafe PQconninfoParse(text, &message)
    defer {
      unsafe PQconninfoFree(options)
      unsafe PQfreemem(message)
    }
    guard var option = unsafe options else {
      // Its message would repeat what may be a password.
      throw VaultError(
        .invalidArgument, "the server's address is no connection string of PostgreSQL")
    }
    var seconds = Self.connectSeconds
    // The last element has no keyword.
    while let keyword = unsafe option.pointee.keyword {
      // Keywords end in NUL.
      let name = unsafe String(cString: keyword)
      if ["password", "sslpassword"].contains(name), unsafe option.pointee.val != nil {
        throw VaultError(
          .invalidArgument,
          "the server's address holds a password: keep it in a file that PGPASSFILE names")
      }
      // A value is NULL or ends in NUL.
      if let value = unsafe option.pointee.val.map({ unsafe String(cString: $0) }) {
        if name == "connect_timeout" { seconds = Int(value) ?? seconds }
      }
      unsafe option += 1
    }
    self.text = text
    // None is as long as nobody waits for.
    connectLimit = .seconds(seconds > 0 ? min(seconds, 3600) : 3600)
  }

  /// The keywords and values of a connection: those of the address win over the defaults before it.
  ///
  /// A Unix socket has no certificate, and libpq ignores the mode there. It would ignore it as well
  /// where it has a ticket of Kerberos, and encrypt by that. Of several hosts, standbys are
  /// skipped: they lag, which would look like a server that was set back, and cannot be written.
  var parameters: [(keyword: String, value: String)] {
    [
      ("sslmode", "verify-full"), ("connect_timeout", "\(Self.connectSeconds)"),
      ("gssencmode", "disable"), ("target_session_attrs", "read-write"),
      ("tcp_user_timeout", "10000"),
      ("keepalives_idle", "10"), ("client_encoding", "UTF8"),
      ("fallback_application_name", "vaultctl-fleet"), ("dbname", text),
    ]
  }
}

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
    // With an unknown mode, libpq stops before it connects.
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
