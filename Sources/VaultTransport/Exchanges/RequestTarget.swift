import HTTPAuthentication
import SecureMemory
import VaultModel

/// One request to one origin, between two redirects.
struct RequestTarget: Sendable {
  let request: TransportRequest
  let proxy: ProxyServer?
  private let transport: Transport

  /// Creates the target of a request.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a method or a field that would end a line;
  ///   ``VaultError/Code/configuration`` for a proxy of the environment that is none.
  init(_ request: TransportRequest, in run: RequestRun) throws(VaultError) {
    transport = run.transport
    guard request.method.isToken else {
      throw VaultError(.invalidArgument, "request: the method is no token")
    }
    for field in request.fields where !field.name.isToken || field.value.endsLine {
      throw VaultError(.invalidArgument, "request: a field would end its line")
    }
    var request = request
    // The transport's own, made from the body.
    request.fields.removeAll {
      ["content-length", "transfer-encoding"].contains($0.name.lowercasedASCII)
    }
    self.request = request
    proxy = try transport.configuration.proxy.server(for: request.url.origin)
  }

  var url: RequestURL { request.url }

  /// Whether a proxy only relays bytes.
  var isTunnelled: Bool { proxy?.route.isTunnelled(to: url.origin) ?? false }

  /// Begins the exchange of this request.
  ///
  /// If the request has its own field for a side, that side's challenges are left to the caller.
  func exchange(of authenticator: Authenticator) async throws(VaultError) -> Exchange {
    var description = RequestHead(request.method, url: url)
    description.options = request.options
    description.tellsConnectionsApart = true
    description.credential = request.credential
    description.user = request.user
    if case .bytes(let bytes) = request.body { description.body = bytes }
    if case .none = request.body { description.body = [] }
    if let proxy {
      description.proxy = try proxy.challenging
      description.proxyCredential = proxy.credential
      description.proxyUser = proxy.user
    }
    // No credential is looked up that a field of the caller's own takes the place of.
    if has("Authorization"), proxy == nil || has("Proxy-Authorization") {
      description.options.beforeChallenge = .never
    }
    var exchange = try await authenticator.exchange(for: description)
    if has("Authorization") { exchange.leave(isProxy: false) }
    if has("Proxy-Authorization") { exchange.leave(isProxy: true) }
    if let prompt = request.handlers.prompt { exchange.ask(prompt) }
    return exchange
  }

  private func has(_ name: String) -> Bool {
    request.fields.contains { $0.name.hasSameBytesIgnoringCase(as: name) }
  }

  /// Tells the caller an outcome.
  func tell(_ outcome: Outcome) { request.handlers.outcome?(url.withoutUserInfo, outcome) }

  /// Returns the attempt with these fields.
  ///
  /// - Throws: The errors of reading the vault about servers with TLS; those of opening the body.
  func attempt(
    _ authorization: [AuthorizationField],
    _ proxyUser: (user: String, secret: SecretHasher.Hash)?, at place: LoginPlace?,
    in run: RequestRun
  ) async throws -> TransferAttempt {
    var side: TLSSide?
    if url.origin.protocol == .https {
      side = try await transport.peers.side(of: server, for: url, request.options)
    }
    var proxyRoute = proxy?.route
    if let proxy {
      proxyRoute?.user = proxyUser.map { ProxyUser(user: $0.user, secret: $0.secret) }
      if proxy.isSOCKS, let credential = proxy.credential {
        proxyRoute?.user = ProxyUser(
          user: credential.user, secret: transport.hasher.hash(of: credential.secret))
      }
      if proxy.kind == .https {
        proxyRoute?.side = try await transport.peers.side(
          of: proxy.space, for: url, request.options)
      }
    }
    let isProxyField = { (field: ResponseHead.Field) in
      field.name.hasSameBytesIgnoringCase(as: "Proxy-Authorization")
    }
    return TransferAttempt(
      route: Route(
        transport: transport.number, origin: url.origin, side: side, proxy: proxyRoute,
        place: place?.number),
      method: request.method, url: url, fields: request.fields.filter { !isProxyField($0) },
      proxyFields: request.fields.filter(isProxyField), authorization: authorization,
      socksCredential: proxy?.isSOCKS == true ? proxy?.credential : nil,
      body: try request.body.source(on: run.loop, method: request.method),
      limits: request.limits ?? transport.configuration.limits,
      mostConnections: place == nil ? max(1, transport.configuration.mostConnections) : 1,
      // libcurl leaves what the proxy's TLS has read for one stream after another's end: with
      // nothing more to read from the socket, it would wait for ever.
      // Nobody logs in on a connection of HTTP/2, which several requests share.
      allowsHTTP2: transport.configuration.allowsHTTP2 && proxyRoute?.side == nil && place == nil,
      decodesContent: transport.configuration.decodesContent && !has("Accept-Encoding"),
      capacity: max(1 << 14, transport.configuration.bufferSize),
      progress: request.handlers.progress, place: place)
  }

  /// The server as trust decisions name it.
  private var server: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(
        host: url.origin.host, port: url.origin.port, protocol: url.origin.protocol, realm: "",
        authenticationMethod: .serverTrust)
    }
  }
}

extension ProxyServer {
  /// The way through it, of nobody yet.
  var route: ProxyRoute { ProxyRoute(kind: kind, host: host, port: port) }

  var isSOCKS: Bool { kind != .http && kind != .https }

  /// The proxy as trust decisions name it.
  var space: ProtectionSpace {
    get throws(VaultError) {
      try ProtectionSpace(
        proxyHost: host.name, port: Int(port), type: .httpsProxy, realm: "",
        authenticationMethod: .serverTrust)
    }
  }
}

extension String {
  /// Whether it is a token (RFC 9110 §5.6.2).
  fileprivate var isToken: Bool {
    !isEmpty
      && utf8.allSatisfy {
        $0.isLetter || $0.isDigit || "!#$%&'*+-.^_`|~".utf8.contains($0)
      }
  }

  /// Whether it would end a line or a text of C.
  fileprivate var endsLine: Bool { utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }
}
