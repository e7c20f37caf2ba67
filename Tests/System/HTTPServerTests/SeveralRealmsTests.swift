import Foundation
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import VaultModel

extension RealServers {
  @Suite("Several realms, schemes and alphabets")
  struct SeveralRealmsTests {
    /// A user whose name and password are typed in another normal form than the servers have them.
    static let zoe = (user: "zoe\u{308}", password: "pa\u{302}ss wo\u{308}rd")

    private func login(
      _ user: String, _ password: String, _ method: AuthenticationMethod
    )
      -> CurlRequest.Login
    {
      CurlRequest.Login(
        Credential(user: user, secret: Secret(password), persistence: .none), method: method)
    }

    /// Starts an nginx whose inner realm only the user beyond ASCII enters, and whose realm without
    /// a name both users.
    private func nginx(for client: Client) throws -> HTTPServer {
      let folder = client.servers.sandbox.folder.appending(path: "nginx-\(client.tag)")
      try FileManager.default.createDirectory(
        at: folder.appending(path: "pages"), withIntermediateDirectories: true)
      try Data(Servers.page.utf8).write(to: folder.appending(path: "pages/page"))
      let composed = try #require(Servers.users["zo\u{EB}"])
      let line = "zo\u{EB}:{PLAIN}\(composed)\n"
      try Data(line.utf8).write(to: folder.appending(path: "inner"))
      try Data("ann:{PLAIN}correct horse\n\(line)".utf8).write(
        to: folder.appending(path: "checked"))
      return try HTTPServer(
        "realms", in: client.servers.sandbox, name: folder.lastPathComponent,
        users: ["ann": "correct horse"])
    }

    @Test(
      "200 requests go to Digest and Basic realms of one server in turn, and all succeed",
      arguments: zip([["digest", "basic"], ["basic", "digest"]], [100, 5]))
    func alternating(_ paths: [String], _ pages: Int) async throws {
      let client = try Client(.use("ann", "correct horse"), .use("ann", "correct horse"))
      var statuses: [[Int]] = []
      for page in 0..<pages {
        for path in paths {
          let visit = try await client.get("\(path)/\(page)")
          #expect(visit.outcome.reason == .done)
          statuses.append(visit.statuses)
        }
      }
      #expect(
        statuses == [[401, 200], [401, 200]] + Array(repeating: [200], count: 2 * pages - 2))
      #expect(client.prompt.questions.map(\.space.authenticationMethod.rawValue) == paths)
    }

    @Test("httpd: one realm for pages of Basic and of Digest: all of them, and one question")
    func mixed() async throws {
      let client = try Client(.use("ann", "correct horse"))
      for page in 1...3 {
        for path in ["mixed/basic/\(page)", "mixed/digest/\(page)"] {
          let visit = try await client.get(path)
          #expect(visit.statuses.last == 200 && visit.reply.body == Servers.page, "\(path)")
        }
      }
      #expect(client.prompt.questions.count == 1)
      for (path, method) in [("basic", AuthenticationMethod.basic), ("digest", .digest)] {
        let reference = try await client.reference(
          "mixed/\(path)/4", login("ann", "correct horse", method))
        #expect(reference.status == 200)
      }
    }

    @Test(
      "what is stored goes unasked to a server or proxy that takes Digest alone, and logs in",
      arguments: [AuthenticationMethod.basic, .default])
    func digestAlone(_ method: AuthenticationMethod) async throws {
      let client = try Client(before: .always)
      try client.store("ann", "correct horse", "Team Digest", method)
      #expect(try await client.get("digest/1").statuses == [401, 200])
      let gate = client.servers.digestGate
      let other = try Client(before: .always)
      try other.store("pat", "way out", "Way Out", method, at: gate, protocol: .httpProxy)
      try other.store("ann", "correct horse", "Team Digest", method)
      let visit = try await other.get("digest/1", through: gate)
      #expect(visit.reply.status == 200 && visit.outcome.reason == .done)
      #expect(client.prompt.questions.isEmpty && other.prompt.questions.isEmpty)
    }

    @Test("a Digest realm does not bar a Basic realm, stored or typed, that was never visited")
    func afterDigest() async throws {
      let client = try Client(.use("bob", "b:o:b"))
      try client.store("ann", "correct horse", "Team Digest", .digest)
      try client.store("ann", "correct horse", "Team Files")
      // httpd's realm of Digest without a domain is the whole server.
      for path in ["nextnonce/1", "basic/1", "nextnonce/2", "archive/1", "nextnonce/3"] {
        let visit = try await client.get(path)
        #expect(visit.reply.status == 200 && visit.outcome.reason == .done, "\(path)")
      }
      #expect(client.prompt.questions.map(\.space.realm) == ["Archive"])
    }

    @Test(
      "Basic without a realm, as FastAPI asks, is answered, stored and found again",
      arguments: [("ann", "correct horse"), zoe])
    func bare(_ user: String, _ password: String) async throws {
      let client = try Client(.use(user, password))
      let server = try nginx(for: client)
      let visit = try await client.get("bare/1", at: server)
      #expect(visit.statuses == [401, 200] && visit.reply.body == Servers.page)
      #expect(client.prompt.questions.map(\.space.realm) == [""])
      #expect(try client.items() == ["http \(server.port)  basic \(user)"])
      let challenge = try await client.send("bare/1", [], at: server)
      #expect(challenge.values(of: "WWW-Authenticate") == ["Basic"])
      #expect(challenge.body == #"{"detail":"Not authenticated"}"#)
      let later = try Client(after: client)
      #expect(try await later.get("bare/1", at: server).statuses == [401, 200])
      #expect(later.prompt.questions.isEmpty)
    }

    @Test(
      "a user beyond ASCII logs in wherever curl does, in whichever form the name was typed",
      arguments: ["basic", "digest", "nextnonce"])
    func beyondASCII(_ path: String) async throws {
      let client = try Client(.use(Self.zoe.user, Self.zoe.password))
      let visit = try await client.get("\(path)/1")
      #expect(visit.statuses == [401, 200] && visit.reply.body == Servers.page)
      let composed = try #require(Servers.users["zo\u{EB}"])
      let reference = try await client.reference(
        "\(path)/1", login("zo\u{EB}", composed, path == "basic" ? .basic : .digest))
      #expect(reference.status == 200)
    }

    @Test("lighttpd offers UTF-8, and takes the user's name in its extended form or hashed")
    func extendedUser() async throws {
      for path in ["sha256", "userhash"] {
        let client = try Client(.use(Self.zoe.user, Self.zoe.password))
        let visit = try await client.get("\(path)/1", at: client.servers.hashes)
        #expect(visit.statuses == [401, 200], "\(path)")
      }
    }

    @Test("nginx: a realm inside another gets its own user, and the outer one keeps its own")
    func nested() async throws {
      let client = try Client(
        .use("ann", "correct horse"), .use(Self.zoe.user, Self.zoe.password))
      let server = try nginx(for: client)
      for (page, statuses) in [
        ("outer/1", [401, 200]), ("outer/inner/1", [401, 200]), ("outer/2", [200]),
        ("outer/inner/2", [200]), ("outer/3", [200]),
      ] {
        let visit = try await client.get(page, at: server)
        #expect(visit.statuses == statuses && visit.reply.body == Servers.page, "\(page)")
      }
      #expect(client.prompt.questions.map(\.space.realm) == ["Outer", "Inner"])
      #expect(
        try client.requests(7, at: server).filter { $0.hasPrefix("ann ") } == [
          "ann GET /outer/1 200 Basic -", "ann GET /outer/2 200 Basic -",
          "ann GET /outer/3 200 Basic -", "ann GET /outer/inner/1 401 Basic -",
        ])
    }

    @Test("nginx: a realm with quotes is read whole, asked for, stored and found again")
    func quoted() async throws {
      let realm = #"The "Blue" Team's "Files""#
      let client = try Client(.use("ann", "correct horse"))
      let server = try nginx(for: client)
      let visit = try await client.get("quoted/1", at: server)
      #expect(visit.statuses == [401, 200] && visit.reply.body == Servers.page)
      #expect(client.prompt.questions.map(\.space.realm) == [realm])
      let challenge = try await client.send("quoted/1", [], at: server)
      #expect(challenge.values(of: "WWW-Authenticate") == ["Basic realm=\"\(realm)\""])
      let later = try Client(after: client)
      #expect(try await later.get("quoted/1", at: server).statuses == [401, 200])
      #expect(later.prompt.questions.isEmpty)
    }

    @Test("Squid offers Digest and Basic: each is answered, for pages and for tunnels")
    func squid() async throws {
      let servers = try Servers.shared
      let gate = try HTTPServer(
        "both", in: servers.sandbox, name: "squid", users: Servers.guests)
      for method in [AuthenticationMethod.digest, .basic] {
        for (user, password) in [("pat", "way out"), Self.zoe] {
          for isTunnelled in [false, true] {
            let client = try Client()
            try client.store(
              user, password, "Way Out", method, at: gate, protocol: .httpProxy)
            try client.store("ann", "correct horse", "Team Files")
            let https = NetworkProtocol.https
            try client.store("ann", "correct horse", "Team Files", protocol: https)
            let visit = try await client.get(
              "basic/1", through: gate, isTunnelled: isTunnelled)
            #expect(
              visit.statuses == [407, 401, 200], "\(method) \(user) \(isTunnelled)")
            #expect(visit.reply.body == Servers.page)
            #expect(client.prompt.questions.isEmpty)
            let second = try await client.get("basic/2", through: gate, isTunnelled: isTunnelled)
            #expect(second.statuses == [200])
            // The proxy's credential does not reach the server.
            #expect(
              try client.requests(3) == [
                "- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -",
                "ann GET /basic/2 200 Basic -",
              ])
          }
        }
        let reference = try await Client().reference(
          "basic/1", through: gate, login("ann", "correct horse", .basic),
          proxy: login("pat", "way out", method))
        #expect(reference.status == 200)
      }
    }
  }
}
