import CredentialVault
import Foundation
import HTTPTesting
import ProgramTesting
import SecureMemory
import TLSCredentials
import Testing
import VaultModel
import VaultTransport

/// Servers with TLS of an authority that only these tests trust.
struct TransportServers: Sendable {
  let sandbox: Sandbox
  /// An nginx that asks nobody for a certificate, and speaks HTTP/2.
  let plain: HTTPServer
  /// An nginx that takes a client's certificate, and answers 400 without.
  let strict: HTTPServer
  /// An nginx that takes a client's certificate, or none.
  let open: HTTPServer
  /// Another of that kind.
  let next: HTTPServer
  /// An Apache that ends the connection without a client's certificate.
  let closed: HTTPServer
  /// nginxes whose certificates are not trusted.
  let expired: HTTPServer
  let selfSigned: HTTPServer
  /// A proxy with TLS.
  let gate: HTTPServer

  init() throws {
    let sandbox = try Sandbox()
    self.sandbox = sandbox
    let folder = sandbox.folder
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "certificates.py").path
    let made = try sandbox.run("python3", script, folder.path)
    guard made.status == 0 else { throw Failure(description: made.errors) }
    func serve(
      _ template: String, _ name: String, _ values: [String: String],
      users: [String: String] = Servers.users
    ) throws -> HTTPServer {
      let pages = folder.appending(path: "\(name)/pages")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data(Servers.page.utf8).write(to: pages.appending(path: "page"))
      for file in ["server.pem", "server.key"] where template == "identities" {
        try FileManager.default.copyItem(
          at: folder.appending(path: file), to: folder.appending(path: "\(name)/\(file)"))
      }
      return try HTTPServer(
        template, in: sandbox, name: name, values: values.merging(["FOLDER": folder.path]) { $1 },
        users: users)
    }
    func nginx(
      _ name: String, _ certificate: String, _ verify: String, elsewhere: Int = 1
    ) throws -> HTTPServer {
      try serve(
        "transport", name,
        [
          "CERTIFICATE": certificate, "VERIFY": verify,
          "ELSEWHERE": "https://127.0.0.1:\(elsewhere)",
        ])
    }
    open = try nginx("open", "server", "optional")
    next = try nginx("next", "server", "optional", elsewhere: open.port)
    plain = try nginx("plain", "server", "off", elsewhere: open.port)
    strict = try nginx("strict", "server", "on", elsewhere: open.port)
    expired = try nginx("expired", "expired", "off")
    selfSigned = try nginx("selfsigned", "selfsigned", "off")
    closed = try serve(
      "identities", "closed",
      [
        "AUTHORITIES": folder.appending(path: "root.pem").path, "VERIFY": "require",
        "ELSEWHERE": "https://127.0.0.1:\(open.port)",
      ])
    gate = try serve("tlsgate", "gate", [:], users: Servers.guests)
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  func certificate(_ name: String) throws -> Certificate {
    try #require(
      Certificate.all(
        in: Array(Data(contentsOf: sandbox.folder.appending(path: name + ".pem")))
      ).first)
  }

  func identity(_ name: String) throws -> Identity {
    let file = try Data(contentsOf: sandbox.folder.appending(path: name + ".p12"))
    return try IdentityFile(Secret(copying: Array(file).span), passphrase: Secret("secret"))
      .identities[0]
  }

  /// The policy that trusts the tests' authority alone.
  func policy(_ authority: String = "root") throws -> TrustPolicy {
    TrustPolicy(anchors: TrustAnchors([try certificate(authority)]))
  }

  func url(_ server: HTTPServer, _ path: String) -> String {
    "https://127.0.0.1:\(server.port)\(path)"
  }

  func space(_ server: HTTPServer) throws -> ProtectionSpace {
    try ProtectionSpace(url: url(server, "/"), authenticationMethod: .serverTrust)
  }

  /// Returns a transport that trusts the tests' authority.
  func transport(
    _ vault: Vault = Vault.inMemory(), prompt: any CredentialPrompt = NoPrompt(),
    _ change: (inout Transport.Configuration) throws -> Void = { _ in }
  ) throws -> Transport {
    var configuration = Transport.Configuration()
    configuration.proxy = .none
    configuration.trustPolicy = try policy()
    configuration.proxyTrustPolicy = configuration.trustPolicy
    try change(&configuration)
    return try Transport(vault: vault, prompt: prompt, configuration: configuration)
  }

  @TaskLocal private static var running: TransportServers?

  /// The servers of the running suite.
  static var shared: TransportServers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  struct Scope: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await TransportServers.$running.withValue(TransportServers()) { try await function() }
    }
  }
}

extension Vault {
  /// Adds an identity for a server, or one that only preferences lead to.
  @discardableResult
  func add(_ identity: Identity, for url: String?) throws -> StoredIdentity {
    try identities.add(
      identity, for: url.map { (url) throws in try ProtectionSpace(url: url) },
      persistence: .session
    ).identity
  }
}

/// Returns the errno of a request's failure; nil if it did not fail so.
func failure(_ body: () async throws -> Void) async throws -> Int32? {
  do {
    try await body()
    return nil
  } catch let error as VaultError {
    guard case .errno(let number) = error.underlying else { throw error }
    return number
  }
}
