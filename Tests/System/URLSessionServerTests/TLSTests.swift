import CredentialVault
import Foundation
import HTTPTesting
import ProgramTesting
import TestSupport
import Testing
import URLSessionTesting
import VaultModel

extension RealServers {
  @Suite("TLS with a test CA")
  struct TLSTests {
    let client: Client
    let server: HTTPServer
    let trust: PrivateTrust

    init() async throws {
      let client = try Client()
      (server, trust) = try await inThread { try Self.start(for: client) }
      self.client = client
    }

    /// Starts a server whose CA is trusted only in a namespace.
    static func start(for client: Client) throws -> (HTTPServer, PrivateTrust) {
      let sandbox = client.servers.sandbox
      let name = "tls-\(UUID())"
      let folder = sandbox.folder.appending(path: name)
      let pages = folder.appending(path: "pages")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data(Servers.page.utf8).write(to: pages.appending(path: "page"))
      let authority = try TestAuthority(in: sandbox)
      try authority.issue(for: "IP:127.0.0.1", in: folder)
      let server = try HTTPServer(
        "tls", in: sandbox, name: name,
        values: ["ELSEWHERE": "http://127.0.0.1:\(client.servers.elsewhere.port)"],
        users: Servers.users)
      return (server, try PrivateTrust(adding: authority.certificate, in: sandbox))
    }

    func url(_ path: String) -> String { client.url(path, at: server, scheme: "https") }

    /// Visits the server with a later program that trusts it, and returns the server's log, which
    /// is then complete.
    func visitAndLog(_ count: Int) async throws -> [String] {
      #expect(
        try await client.runProgram(["get \(url("open/1"))"], over: .foundation, in: trust) == [
          "200 a page"
        ])
      return try client.requests(count + 1, at: server).filter { $0 != "- GET /open/1 200 - -" }
    }

    @Test(
      "what is accepted is kept for https alone, and a later program is not asked",
      arguments: Engine.allCases,
      [("basic", "Team Files", "Basic"), ("digest", "Team Digest", "Digest")])
    func logIn(
      _ engine: Engine, _ scheme: (path: String, realm: String, name: String)
    ) async throws {
      let (path, realm, name) = scheme
      // Of the same host and port, but in clear.
      try client.store("bob", "b:o:b", realm, AuthenticationMethod(path), at: server)
      let first = try await client.runProgram(
        ["answer ann correct horse", "get \(url("\(path)/1"))"], over: engine, in: trust)
      #expect(first == ["200 a page", "https \(server.port) \(realm) \(path)"])
      let https = try client.items().filter { $0.hasPrefix("https ") }
      #expect(https == ["https \(server.port) \(realm) \(path) ann"])
      // The second is sent with it.
      let later = try await client.runProgram(
        [2, 3].map { "get \(url("\(path)/\($0)"))" }, over: engine, in: trust)
      #expect(later == ["200 a page", "200 a page"])
      #expect(
        try client.requests(5, at: server) == [
          "- GET /\(path)/1 401 - -", "- GET /\(path)/2 401 - -",
          "ann GET /\(path)/1 200 \(name) -", "ann GET /\(path)/2 200 \(name) -",
          "ann GET /\(path)/3 200 \(name) -",
        ])
    }

    @Test("a CA that is not trusted is an error, and nothing is sent", arguments: Engine.allCases)
    func untrusted(_ engine: Engine) async throws {
      try client.store("ann", "correct horse", "Team Files", at: server, protocol: .https)
      let said = try await client.runProgram(
        [
          "header Authorization Basic YW5uOmNvcnJlY3QgaG9yc2U=", "get \(url("basic/1"))",
          "get \(url("basic/2"))",
        ], over: engine)
      #expect(said.count == 2)
      #expect(said.allSatisfy { $0.hasPrefix("error NSURLErrorDomain ") })
      #expect(try await visitAndLog(0) == [])
    }

    @Test(
      "a certificate for another name is an error, and nothing is sent", arguments: Engine.allCases)
    func otherName(_ engine: Engine) async throws {
      let other = url("basic/1").replacing("127.0.0.1", with: "localhost")
      let said = try await client.runProgram(
        ["header Authorization Basic YW5uOmNvcnJlY3QgaG9yc2U=", "get \(other)", "get \(other)"],
        over: engine,
        in: trust)
      #expect(said.count == 2)
      #expect(said.allSatisfy { $0.hasPrefix("error NSURLErrorDomain ") })
      #expect(try await visitAndLog(0) == [])
    }

    @Test(
      "a redirect out of TLS takes no credential along, though the host is the same",
      arguments: Engine.allCases)
    func redirect(_ engine: Engine) async throws {
      let said = try await client.runProgram(
        ["answer ann correct horse", "get \(url("basic/away"))"], over: engine, in: trust)
      let elsewhere = client.servers.elsewhere
      #expect(
        said == [
          "401 ", "https \(server.port) Team Files basic",
          "http \(elsewhere.port) Team Files basic clear",
        ])
      #expect(try client.items() == ["https \(server.port) Team Files basic ann"])
      #expect(try await visitAndLog(2).last == "ann GET /basic/away 302 Basic -")
      #expect(
        try client.requests(1, at: elsewhere) == ["- GET /basic/away/found 401 - -"])
    }

    @Test(
      "a redirect out of TLS takes no Authorization along that was set by hand",
      arguments: Engine.allCases)
    func redirectByHand(_ engine: Engine) async throws {
      let said = try await client.runProgram(
        [
          "header Authorization Basic YW5uOmNvcnJlY3QgaG9yc2U=", "get \(url("basic/away"))",
        ], over: engine, in: trust)
      let elsewhere = client.servers.elsewhere
      #expect(said.first == "401 ")
      #expect(try await visitAndLog(1) == ["ann GET /basic/away 302 Basic -"])
      #expect(
        try client.requests(1, at: elsewhere) == ["- GET /basic/away/found 401 - -"])
    }

    // MARK: A proxy

    @Test(
      "a proxy that asks lets https through over the transport; else neither side is sent anything",
      arguments: Engine.allCases)
    func askingProxy(_ engine: Engine) async throws {
      try client.store("ann", "correct horse", "Team Files", at: server, protocol: .https)
      let gate = client.servers.digestGate
      let said = try await client.runProgram(
        ["answer pat way out", "get \(url("basic/1"))"], over: engine,
        environment: ["https_proxy": "http://127.0.0.1:\(gate.port)"], in: trust)
      let target = "CONNECT 127.0.0.1:\(server.port)"
      switch engine {
      case .transport:
        #expect(said == ["200 a page", "http-proxy \(gate.port) Way Out digest"])
        #expect(
          try gate.requests(2, containing: "\(target) ") == [
            "- \(target) 407 - -", "pat \(target) 200 - Digest",
          ])
        #expect(
          try await visitAndLog(2) == ["- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -"])
      case .foundation:
        #expect(said.count == 1 && said.first?.hasPrefix("error NSURLErrorDomain ") == true)
        #expect(try gate.requests(1, containing: "\(target) ") == ["- \(target) 407 - -"])
        #expect(try await visitAndLog(0) == [])
      }
    }

    @Test(
      "through a proxy whose URL has user and password https is as without one",
      arguments: Engine.allCases)
    func proxyWithUserInfo(_ engine: Engine) async throws {
      let gate = client.servers.basicGate
      let said = try await client.runProgram(
        ["answer ann correct horse", "get \(url("basic/1"))"], over: engine,
        environment: ["https_proxy": "http://pat:way%20out@127.0.0.1:\(gate.port)"], in: trust)
      #expect(said == ["200 a page", "https \(server.port) Team Files basic"])
      #expect(
        try await visitAndLog(2) == ["- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -"])
      let target = "CONNECT 127.0.0.1:\(server.port)"
      switch engine {
      case .transport:
        // It asks first, so that Digest is not passed over.
        #expect(
          try gate.requests(2, containing: "\(target) ") == [
            "- \(target) 407 - -", "pat \(target) 200 - Basic",
          ])
      case .foundation:
        let tunnels = try gate.requests(1, containing: "\(target) ")
        #expect(!tunnels.isEmpty && tunnels.allSatisfy { $0.hasPrefix("pat ") })
      }
    }

    // MARK: The namespace

    @Test("where namespaces are forbidden these tests fail, and say what to allow")
    func forbidden() throws {
      let sandbox = client.servers.sandbox
      let forbid = """
        cd /proc/sys/user && echo 0 >max_mnt_namespaces && echo 0 >max_user_namespaces && exec "$@"
        """
      let error = try #require(throws: ProgramFailure.self) {
        try PrivateTrust(
          adding: TestAuthority(in: sandbox).certificate, in: sandbox,
          after: ["unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh"])
      }
      #expect(error.description.contains("sysctl kernel.unprivileged_userns_clone=1"))
      #expect(error.description.contains("as root with CAP_SYS_ADMIN"))
    }

    @Test("the machine trusts nobody else meanwhile or afterwards: its own file is as it was")
    func privateNamespace() throws {
      let bundle = URL(filePath: PrivateTrust.bundle)
      let before = try Data(contentsOf: bundle)
      let copy = client.folder.file("machine.crt")
      try before.write(to: URL(filePath: copy))
      let look = ["cmp", "-s", copy, PrivateTrust.bundle]
      #expect(try client.servers.sandbox.run(trust.words + look).status == 1)
      #expect(try client.servers.sandbox.run(look).status == 0)
      #expect(try Data(contentsOf: bundle) == before)
    }
  }
}
