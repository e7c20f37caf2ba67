import CredentialVault
import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import VaultModel

/// An HTTP client with a vault of its own, whose pages lie in a folder that no other test asks for.
struct Client: Sendable {
  /// What came of a request.
  struct Visit: Sendable {
    /// The statuses, in the order in which they came.
    let statuses: [Int]
    let reply: CurlReply
    let outcome: Outcome
  }

  let servers: Servers
  let folder: TemporaryFolder
  let vault: Vault
  let asker: ScriptedAsker
  let authenticator: Authenticator
  /// The folder on each server.
  let tag = "t\(UInt64.random(in: 0 ... .max))"

  /// Makes a client that begins with an empty vault, or one that knows what another has left in it.
  init(
    _ answers: Answer..., before: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, after other: Client? = nil, keys: [KeySource] = []
  ) throws {
    try self.init(answers, before: before, expected: expected, after: other, keys: keys)
  }

  /// Makes a client as above.
  init(
    _ answers: [Answer], before: BeforeChallenge = .afterSuccess,
    expected: [ExpectedSpace]? = nil, after other: Client? = nil, keys: [KeySource] = []
  ) throws {
    StateFolder.useOwn()
    servers = try Servers.shared
    asker = ScriptedAsker(answers, keys: keys)
    if let other {
      folder = other.folder
      vault = other.vault
    } else {
      folder = try TemporaryFolder()
      try KeyFile.create(at: folder.file("key"))
      vault = try Vault.create(
        path: folder.file("vault/own.vault"), key: .keyFile(folder.file("key")), slotName: "own")
    }
    authenticator = Authenticator(
      vault: vault, asker: asker, beforeChallenge: before, expected: expected)
  }

  var key: KeySource { .keyFile(folder.file("key")) }

  // MARK: Requests

  /// A page in a folder of a server; the origin's unless another is named.
  func url(_ path: String, at server: HTTPServer? = nil, scheme: String = "http") -> String {
    let words = path.split(separator: "/", maxSplits: 1).joined(separator: "/\(tag)/")
    return "\(scheme)://127.0.0.1:\((server ?? servers.origin).port)/\(words)"
  }

  /// What the authenticator is told of a page, such as "basic/1".
  ///
  /// Through a tunnel the page is `https` to it, and yet there is no TLS inside: only ``send(_:_:at:through:isTunnelled:)``
  /// knows.
  func request(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false
  ) throws -> HTTPRequest {
    HTTPRequest(
      url: try RequestURL(url(path, at: server, scheme: isTunnelled ? "https" : "http")),
      proxy: try gate.map { try Proxy(host: "127.0.0.1", port: $0.port) })
  }

  /// Sends a request for a page with these fields.
  func send(
    _ path: String, _ fields: [AuthorizationField], at server: HTTPServer? = nil,
    through gate: HTTPServer? = nil, isTunnelled: Bool = false
  ) async throws -> CurlReply {
    try await CurlClient.send(
      curlRequest(url(path, at: server), fields, through: gate, isTunnelled: isTunnelled))
  }

  /// Gets a page, and answers challenges.
  func get(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false,
    watching watch: @Sendable (CurlReply) async throws -> Void = { _ in }
  ) async throws -> Visit {
    try await get(
      path, request(path, at: server, through: gate, isTunnelled: isTunnelled), at: server,
      through: gate, isTunnelled: isTunnelled, watching: watch)
  }

  /// Gets a page as above, where more is told of the request.
  func get(
    _ path: String, _ request: HTTPRequest, at server: HTTPServer? = nil,
    through gate: HTTPServer? = nil, isTunnelled: Bool = false,
    watching watch: @Sendable (CurlReply) async throws -> Void = { _ in }
  ) async throws -> Visit {
    var statuses: [Int] = []
    let (reply, outcome) = try await authenticator.send(request) { fields in
      let reply = try await send(
        path, fields, at: server, through: gate, isTunnelled: isTunnelled)
      statuses.append(reply.status)
      try await watch(reply)
      return (reply.response, reply)
    }
    return Visit(statuses: statuses, reply: reply, outcome: outcome)
  }

  /// The same request as curl's own authentication does it.
  func reference(
    _ path: String, at server: HTTPServer? = nil, through gate: HTTPServer? = nil,
    isTunnelled: Bool = false, _ login: CurlRequest.Login?, proxy: CurlRequest.Login? = nil
  ) async throws -> CurlReply {
    var request = curlRequest(
      url(path, at: server), [], through: gate, isTunnelled: isTunnelled)
    request.login = login
    request.proxyLogin = proxy
    return try await CurlClient.send(request)
  }

  private func curlRequest(
    _ url: String, _ fields: [AuthorizationField], through gate: HTTPServer?, isTunnelled: Bool
  ) -> CurlRequest {
    var request = CurlRequest(url: url, fields: fields)
    request.proxy = gate.map { "http://127.0.0.1:\($0.port)" }
    request.isTunnelled = isTunnelled
    return request
  }

  // MARK: What is known afterwards

  /// What a server was asked by this client, sorted, once there are so many; "-" stands for this test's own folder.
  ///
  /// Several processes serve, and each writes down what it answered when it comes to it.
  func requests(_ count: Int, at server: HTTPServer? = nil) throws -> [String] {
    try (server ?? servers.origin).requests(count, containing: "/\(tag)/")
      .map { $0.replacingOccurrences(of: "/\(tag)/", with: "/") }.sorted()
  }

  /// All items of the file, or of the session: "protocol server realm method user" each.
  func items(_ persistence: Persistence = .permanent) throws -> [String] {
    try vault.findAll(ItemQuery()).filter { $0.persistence == persistence }.map { item in
      let server = servers.all.first { $0.port == Int(item.port) }
      let name = server?.folder.lastPathComponent ?? "\(item.port)"
      return "\(item.protocol) \(name) \(item.realm) \(item.authenticationMethod) \(item.account)"
    }.sorted()
  }

  /// How many items another program finds in the file.
  func fileItems() throws -> Int {
    let list = try servers.sandbox.run(
      "vaultctl", "list",
      environment: [
        "VAULTCTL_VAULT": folder.file("vault/own.vault"), "VAULTCTL_KEY_FILE": folder.file("key"),
      ])
    try #require(list.status == 0, "\(list.errors)")
    return list.lines.count
  }

  /// Whether an item has this password now.
  func hasPassword(_ item: InternetPassword, _ password: String) throws -> Bool {
    let found = try vault.item(item.id)
    return found.secret?.isEqual(to: Secret(password)) ?? false
  }

  /// Stores a password as it may have been stored long ago.
  @discardableResult
  func store(
    _ user: String, _ password: String, _ realm: String, _ method: AuthenticationMethod = .basic,
    at server: HTTPServer? = nil, protocol: NetworkProtocol = .http
  ) throws -> InternetPassword {
    let space = try ProtectionSpace(
      host: "127.0.0.1", port: (server ?? servers.origin).port, protocol: `protocol`, realm: realm,
      authenticationMethod: method)
    let item = InternetPassword(space: space, account: user, secret: Secret(password))
    return try vault.add(item).item
  }
}
