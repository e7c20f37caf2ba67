import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import LoopbackServer
import PeerCurl
import PeerTrust
import SecureMemory
import TLSCredentials
import VaultModel
import VaultTransport
import VaultURLSession

/// Requests over the transport, beside the same by bare libcurl and by Foundation's own session.
///
/// The servers are processes of their own, so that the processor's time is the clients'.
struct Transports {
  /// The URLs of servers with a password, and of one with TLS that takes the identity.
  struct Servers {
    let port: UInt16
    let connecting: UInt16
    private static let names = (0..<3).map { Transports.pem($0) }
    static let certificates = names[0] + names[1]
    static let anchor = names[2]
    static let key = Transports.pem(
      "PRIVATE KEY", copied { unsafe peer_trust_copy_key($0, $1) })

    /// Starts them; no thread may run before.
    init() throws {
      guard peer_trust_make() == 0 else { throw Failure("libcrypto makes no chain") }
      port = loopback_server_start_apart()
      // The texts are read during the call.
      connecting = unsafe tls_server_start(Self.certificates, Self.key, Self.anchor)
      guard port != 0, connecting != 0 else { throw Failure("no server") }
    }
  }

  private let servers: Servers
  private let transport: Transport
  private let own: URLSession
  private let unchanged: URLSession

  init(_ servers: Servers, _ vault: Vault) throws {
    self.servers = servers
    for scheme in [AuthenticationMethod.basic, .digest] {
      let space = try ProtectionSpace(
        host: "127.0.0.1", port: Int(servers.port), protocol: .http, realm: "Team",
        authenticationMethod: scheme)
      try vault.set(
        Credential(user: "ann", secret: Secret("correct horse"), persistence: .permanent),
        for: space)
    }
    let leaf = try Self.certificate(0)
    let authority = try Self.certificate(1)
    let anchor = try Self.certificate(2)
    let key = Secret(copying: copied { unsafe peer_trust_copy_key($0, $1) }.span)
    try vault.identities.add(
      Identity(certificate: leaf, chain: [authority], key: PrivateKey(pkcs8: key)),
      for: ProtectionSpace(
        url: "https://127.0.0.1:\(servers.connecting)/",
        authenticationMethod: .clientCertificate),
      name: "client")
    var settings = Transport.Configuration()
    settings.proxy = .none
    settings.mostConnections = 8
    settings.trustPolicy = TrustPolicy(anchors: TrustAnchors([anchor]))
    transport = try Transport(vault: vault, configuration: settings)
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = 8
    own = URLSession(configuration: configuration)
    VaultURLProtocol.share(transport)
    configuration.protocolClasses = [VaultURLProtocol.self]
    unchanged = URLSession(configuration: configuration)
  }

  // MARK: The rows

  /// Returns the table.
  func run() async throws -> String {
    var rows: [String] = []
    for (scheme, field) in [("Basic", Requests.basic), ("Digest", Requests.digest)] {
      for lanes in [1, 8] {
        let title = "\(scheme), \(lanes == 1 ? "one after another" : "\(lanes) at once")"
        let url = "http://127.0.0.1:\(servers.port)/\(scheme.lowercased())/page"
        rows += try await row(
          "\(title): the transport; bare libcurl", .more(15),
          { try await send(url, nil, $0, lanes) }, { try bare(url, field, $0, lanes) })
        rows += try await row(
          "\(title): the transport, with a field by hand; bare libcurl", nil,
          { try await send(url, field, $0, lanes) }, { try bare(url, field, $0, lanes) })
        rows += try await row(
          "\(title): the transport; Foundation's `data(for:)`", .ratio(0.2),
          { try await send(url, nil, $0, lanes) }, { try await load(own, url, field, $0, lanes) })
        rows += try await row(
          "\(title): `data(for:)` over `VaultURLProtocol`; Foundation's", .ratio(0.6),
          { try await load(unchanged, url, nil, $0, lanes) },
          { try await load(own, url, field, $0, lanes) })
      }
    }
    let url = "https://127.0.0.1:\(servers.connecting)/page"
    rows += try await row(
      "a connection with TLS and an identity: the transport; bare libcurl", nil,
      { try await send(url, nil, $0, 1) }, { try connect(url, $0) }, count: 20)
    return "| requests; beside | processor time | beside | more | ratio | by the clock | target |\n"
      + "|---|--:|--:|--:|--:|--:|---|\n" + rows.joined(separator: "\n") + "\n"
  }

  /// Sends requests of one kind only, for a profiler.
  func profile(_ kind: String, _ count: Int) async throws {
    let url = "http://127.0.0.1:\(servers.port)/basic/page"
    switch kind {
    case "transport": try await send(url, nil, count, 1)
    case "prepared": try await send(url, Requests.basic, count, 1)
    case "bare": try bare(url, Requests.basic, count, 1)
    case "protocol": try await load(unchanged, url, nil, count, 1)
    case "foundation": try await load(own, url, Requests.basic, count, 1)
    default: throw Failure("no such requests")
    }
  }

  enum Target {
    /// So many microseconds of the processor more.
    case more(Double)
    case ratio(Double)
  }

  private func row(
    _ title: String, _ target: Target?, _ ours: (Int) async throws -> Void,
    _ peer: (Int) async throws -> Void, count: Int = 200
  ) async throws -> [String] {
    func cost(_ body: (Int) async throws -> Void) async throws -> Cost {
      let processor = try Cost.processorTime()
      let duration = try await ContinuousClock().measure { try await body(count) }
      return Cost(
        seconds: duration / .seconds(1) / Double(count),
        processor: (try Cost.processorTime() - processor) / Double(count))
    }
    // The first round logs in, opens connections and warms up.
    _ = (try await cost(ours), try await cost(peer))
    var pairs: [(ours: Cost, peer: Cost)] = []
    for _ in 0..<101 { pairs.append((try await cost(ours), try await cost(peer))) }
    let mine = Spread(pairs) { $0.ours.processor * 1e6 }
    let theirs = Spread(pairs) { $0.peer.processor * 1e6 }
    let more = Spread(pairs) { ($0.ours.processor - $0.peer.processor) * 1e6 }
    let ratio = Spread(pairs) { $0.ours.processor / $0.peer.processor }
    let verdict =
      switch target {
      case .more(let most):
        String(format: "≤ %.0f µs more: ", most)
          + (more.median <= most ? "met" : "**missed**")
      case .ratio(let most):
        String(format: "≤ %.1f ×: ", most) + (ratio.median <= most ? "met" : "**missed**")
      case nil: "–"
      }
    let cells = [
      title, String(format: "%.1f µs", mine.median), String(format: "%.1f µs", theirs.median),
      more.text("%.1f", " µs"), ratio.text("%.2f", " ×"),
      Spread(pairs) { $0.ours.seconds / $0.peer.seconds }.text("%.2f", " ×"), verdict,
    ]
    let row = "| " + cells.joined(separator: " | ") + " |"
    log(row)
    return [row]
  }

  // MARK: The requests

  private func send(
    _ url: String, _ field: String?, _ count: Int, _ lanes: Int
  ) async throws {
    var request = try TransportRequest("GET", url)
    if let field { request.fields = [.init("Authorization", field)] }
    try await parallel(count, lanes) { [transport, request] in
      let (response, body) = try await transport.data(for: request)
      guard response.status == 200, body.count == 7 else { throw Failure("no page") }
    }
  }

  private func load(
    _ session: URLSession, _ text: String, _ field: String?, _ count: Int, _ lanes: Int
  ) async throws {
    guard let url = URL(string: text) else { throw Failure("no URL") }
    var request = URLRequest(url: url)
    if let field { request.setValue(field, forHTTPHeaderField: "Authorization") }
    try await parallel(count, lanes) { [request] in
      let (data, response) = try await session.data(for: request)
      guard (response as? HTTPURLResponse)?.statusCode == 200, data.count == 7 else {
        throw Failure("no page")
      }
    }
  }

  private func parallel(
    _ count: Int, _ lanes: Int, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<lanes {
        group.addTask { for _ in 0..<count / lanes { try await body() } }
      }
      try await group.waitForAll()
    }
  }

  private func bare(_ url: String, _ field: String, _ count: Int, _ lanes: Int) throws {
    // The texts live during the call.
    let status = unsafe peer_curl_get(
      url, "Authorization: \(field)", Int32(count), Int32(lanes), 7)
    guard status == 0 else { throw Failure("no page by libcurl") }
  }

  private func connect(_ url: String, _ count: Int) throws {
    // As above.
    let status = unsafe Servers.certificates.withCString { certificates in
      unsafe Servers.key.withCString { key in
        unsafe Servers.anchor.withCString { anchor in
          var identity = unsafe peer_curl_identity_t(
            certificates: certificates, key: key, anchor: anchor)
          return unsafe peer_curl_connect(url, &identity, Int32(count))
        }
      }
    }
    guard status == 0 else { throw Failure("no connection by libcurl") }
  }

  // MARK: The certificates

  private static func certificate(_ index: Int) throws -> Certificate {
    try Certificate(der: copied { unsafe peer_trust_copy(Int32(index), $0, $1) })
  }

  private static func pem(_ index: Int) -> String {
    pem("CERTIFICATE", copied { unsafe peer_trust_copy(Int32(index), $0, $1) })
  }

  private static func pem(_ kind: String, _ der: [UInt8]) -> String {
    "-----BEGIN \(kind)-----\n"
      + Data(der).base64EncodedString(options: .lineLength64Characters)
      + "\n-----END \(kind)-----\n"
  }
}

/// The bytes that the C side copies out.
@safe private func copied(_ copy: (UnsafeMutablePointer<UInt8>?, Int) -> Int) -> [UInt8] {
  // The buffer is as long as is said, and initialized as far as is counted.
  unsafe [UInt8](unsafeUninitializedCapacity: 4096) { bytes, count in
    unsafe count = copy(bytes.baseAddress, bytes.count)
  }
}
