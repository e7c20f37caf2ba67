import CVaultLibssl
import Glibc
import TLSCredentials
import VaultModel

/// The certificates that a server sends, seen by a handshake that trusts nobody and sends nothing
/// more.
enum ServerChain {
  private static let timeoutSeconds = 10

  /// Connects to a server.
  ///
  /// Blocking: each address of the host may take ten seconds to connect, and as long to answer.
  ///
  /// - Returns: At least one certificate, the server's own first.
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be reached or does not speak TLS;
  ///   ``VaultError/Code/unsupported`` for a protocol that begins without it;
  ///   ``VaultError/Code/invalidData`` for a certificate that is malformed.
  static func fetch(from server: TLSServer) throws(VaultError) -> [Certificate] {
    try requireTLS(of: server)
    let socket = try connect(to: server)
    defer { close(socket) }
    // Both are of this function alone.
    guard let context = unsafe SSL_CTX_new(TLS_client_method()) else { throw noMemory }
    defer { unsafe SSL_CTX_free(context) }
    guard let connection = unsafe SSL_new(context) else { throw noMemory }
    defer { unsafe SSL_free(connection) }
    // The name is a C string for the call, which copies it. Addresses are not sent (RFC 6066 §3).
    if !server.host.isIPAddress { _ = unsafe vault_tls_set_host(connection, server.host.name) }
    unsafe SSL_set_fd(connection, socket)
    // A server that requires a client certificate ends the handshake after it has sent its own.
    let isDone = unsafe SSL_connect(connection) == 1
    let reason = unsafe ERR_reason_error_string(ERR_peek_last_error()).map {
      // A constant of libcrypto's.
      unsafe String(cString: $0)
    }
    ERR_clear_error()
    let chain = try unsafe certificates(of: connection)
    guard !chain.isEmpty else {
      throw VaultError(
        .unavailable, "\(server) sends no certificate" + (reason.map { ": \($0)" } ?? ""))
    }
    if isDone { unsafe SSL_shutdown(connection) }
    return chain
  }

  /// The protocols that ask for TLS in words of their own (RFC 2595, 2830, 3207, 4217, 4642), as
  /// `openssl s_client` names them.
  private static let upgraded: [NetworkProtocol: String] = [
    .smtp: "smtp", .imap: "imap", .pop3: "pop3", .ftp: "ftp", .nntp: "nntp", .ldap: "ldap",
    .irc: "irc",
  ]

  private static func requireTLS(of server: TLSServer) throws(VaultError) {
    guard let name = upgraded[server.networkProtocol] else { return }
    throw VaultError(
      .unsupported,
      "\(server) begins without TLS; hand in what it sends: openssl s_client -starttls \(name)"
        + " -connect \(server.host.urlText):\(server.port) -showcerts > FILE, and --chain FILE")
  }

  @unsafe private static func certificates(
    of connection: OpaquePointer
  ) throws(VaultError) -> [Certificate] {
    // The connection owns the list and what is in it.
    guard let sent = unsafe SSL_get_peer_cert_chain(connection) else { return [] }
    var chain: [Certificate] = []
    for index in 0..<(unsafe OPENSSL_sk_num(sent)) {
      guard let value = unsafe OPENSSL_sk_value(sent, index) else { continue }
      // libcrypto allocates the bytes, which are copied and freed.
      var bytes: UnsafeMutablePointer<UInt8>? = nil
      let count = unsafe i2d_X509(OpaquePointer(value), &bytes)
      guard count > 0, let start = unsafe bytes else { throw noMemory }
      defer { unsafe CRYPTO_free(start, nil, 0) }
      chain.append(
        try Certificate(der: unsafe Array(UnsafeBufferPointer(start: start, count: Int(count)))))
    }
    return chain
  }

  /// Returns a connected socket, which the caller closes.
  private static func connect(to server: TLSServer) throws(VaultError) -> Int32 {
    // Zeros, but for the kind of socket.
    var wanted = unsafe addrinfo()
    unsafe wanted.ai_socktype = Int32(SOCK_STREAM.rawValue)
    // The list is freed below; names are C strings during the call.
    var found: UnsafeMutablePointer<addrinfo>? = nil
    let status = unsafe getaddrinfo(server.host.name, String(server.port), &wanted, &found)
    guard status == 0 else {
      // A constant of the C library's.
      let reason = unsafe String(cString: gai_strerror(status))
      throw VaultError(.unavailable, "\(server.host.name): \(reason.lowercased())")
    }
    defer { unsafe freeaddrinfo(found) }
    var failure = ECONNREFUSED
    var next = unsafe found
    while let address = unsafe next {
      // A member of the list, which lives until the end of this function.
      let socket = unsafe socket(
        address.pointee.ai_family, address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
      if socket >= 0 {
        setPatience(of: socket)
        if unsafe Glibc.connect(socket, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 {
          return socket
        }
        // A time-out of the socket looks like a connection that is still being made.
        failure = errno == EINPROGRESS ? ETIMEDOUT : errno
        close(socket)
      }
      unsafe next = address.pointee.ai_next
    }
    throw VaultError(.unavailable, "cannot connect to \(server)", underlying: .errno(failure))
  }

  /// Limits each call on a socket, `connect` among them (socket(7)).
  private static func setPatience(of socket: Int32) {
    var time = timeval(tv_sec: timeoutSeconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      // The structure is ours, and the length its own.
      _ = unsafe setsockopt(
        socket, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  private static let noMemory = VaultError(.outOfMemory, "tls: no memory for a connection")
}

/// A server that is reached by TLS from the first byte on.
struct TLSServer: CustomStringConvertible {
  let networkProtocol: NetworkProtocol
  let host: HostName
  let port: UInt16

  /// Reads a URL, or a host alone, which is https.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` if it is none, or the protocol has no port.
  init(_ text: String) throws(VaultError) {
    let url = try URLReference(text.contains("://") ? text : "https://\(text)")
    guard !url.host.isUnset, let port = url.port ?? url.protocol.defaultPort, port != 0 else {
      throw VaultError(.invalidArgument, "name a server by its URL: https://HOST[:PORT]")
    }
    guard url.protocol != .http else {
      throw VaultError(.invalidArgument, "http has no certificates; name the server by https://")
    }
    (networkProtocol, host, self.port) = (url.protocol, url.host, port)
  }

  /// The space of decisions about the server.
  var space: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(
        host: host, port: port, protocol: networkProtocol, realm: "",
        authenticationMethod: .serverTrust)
    }
  }

  var description: String { "\(networkProtocol.rawValue)://\(host.urlText):\(port)" }
}
