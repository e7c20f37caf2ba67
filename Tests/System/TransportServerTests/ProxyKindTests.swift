import CredentialVault
import Foundation
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport

/// Proxies that no real server of the tests is: SOCKS, and one that only takes logins of a
/// connection.
@Suite("Kinds of proxies") struct ProxyKindTests {
  /// A SOCKS 5 proxy of one user, which tells where it was asked to go (RFC 1928, RFC 1929).
  private static func socks(_ asked: Lock<[String]>) throws -> RawServer {
    try RawServer { connection in
      let greeting = connection.body(2)
      guard greeting.count == 2 else { return }
      let methods = connection.body(Int(greeting[1]))
      let wantsLogin = methods.contains(2)
      connection.send([5, wantsLogin ? 2 : 0])
      var user = "-"
      if wantsLogin {
        let name = connection.body(Int(connection.body(2)[1]))
        let secret = connection.body(Int(connection.body(1)[0]))
        user = String(decoding: name, as: UTF8.self)
        let isRight = secret == Array("way out".utf8)
        connection.send([1, isRight ? 0 : 1])
        guard isRight else { return }
      }
      let request = connection.body(4)
      guard request.count == 4 else { return }
      let host =
        request[3] == 3
        ? String(decoding: connection.body(Int(connection.body(1)[0])), as: UTF8.self)
        : connection.body(4).map { "\($0)" }.joined(separator: ".")
      _ = connection.body(2)
      asked.withLock { $0.append("\(user) \(host)") }
      connection.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
      // What follows is for the server itself, which is here.
      while connection.head() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\na page")
      }
    }
  }

  private static func transport(
    _ proxy: ProxyServer, _ vault: Vault = .inMemory()
  ) throws -> Transport {
    var configuration = Transport.Configuration()
    configuration.proxy = .proxy(proxy)
    return try Transport(vault: vault, configuration: configuration)
  }

  @Test("SOCKS 5 gets the name to resolve or an address, and each user a connection of their own")
  func socks() async throws {
    let asked = Lock<[String]>([])
    let server = try Self.socks(asked)
    for (kind, host) in [
      (ProxyServer.Kind.socks5h, "name.example"), (.socks5, "127.0.0.1"),
    ] {
      for user in ["pat", "zoe", nil] {
        let credential = user.map {
          Credential(user: $0, secret: Secret("way out"), persistence: .none)
        }
        let proxy = try ProxyServer(
          kind, host: "127.0.0.1", port: server.port, credential: credential)
        let transport = try Self.transport(proxy)
        for _ in 0..<2 {
          let visit = try await transport.visit(TransportRequest("http://\(host):8080/"))
          #expect(visit.body == "a page")
        }
      }
    }
    #expect(
      asked.withLock(\.self) == [
        "pat name.example", "zoe name.example", "- name.example",
        "pat 127.0.0.1", "zoe 127.0.0.1", "- 127.0.0.1",
      ])
  }

  @Test("a SOCKS proxy that refuses the password, or closes, is an error")
  func refused() async throws {
    let server = try Self.socks(Lock([]))
    let wrong = try ProxyServer(
      .socks5, host: "127.0.0.1", port: server.port,
      credential: Credential(user: "pat", secret: Secret("wrong"), persistence: .none))
    let closed = try RawServer { _ in }
    for proxy in [wrong, try ProxyServer(.socks5, host: "127.0.0.1", port: closed.port)] {
      await #expect(throws: VaultError(.unavailable, "")) {
        _ = try await Self.transport(proxy).visit(TransportRequest("http://127.0.0.1:8080/"))
      }
    }
  }

  @Test(
    "a proxy that only takes NTLM or Negotiate gets nothing, and the outcome names them",
    arguments: ["http", "https"])
  func connectionLogins(scheme: String) async throws {
    let heads = Lock<[String]>([])
    let server = try RawServer { connection in
      while let head = connection.head() {
        heads.withLock { $0.append(head) }
        connection.send(
          "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Negotiate\r\n"
            + "Proxy-Authenticate: NTLM\r\nContent-Length: 0\r\n\r\n")
      }
    }
    let vault = Vault.inMemory()
    try await vault.add(
      Item(
        space: ProtectionSpace(
          proxyHost: "127.0.0.1", port: server.port, type: .httpProxy, realm: "",
          authenticationMethod: .default),
        account: "pat", secret: Secret("way out")), persistence: .session)
    let proxy = try ProxyServer(host: "127.0.0.1", port: server.port)
    let transport = try Self.transport(proxy, vault)
    let visit = try await transport.visit(TransportRequest("\(scheme)://127.0.0.1:8443/"))
    #expect(visit.statuses == [407])
    #expect(visit.reason == .unsupported([.negotiate, .ntlm]))
    #expect(heads.withLock { $0.allSatisfy { !$0.contains("Proxy-Authorization") } })
    #expect(heads.withLock(\.count) == 1)
  }
}
