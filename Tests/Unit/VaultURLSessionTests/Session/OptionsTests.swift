import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

@Suite("AuthenticatedSession: of one request", .timeLimit(.minutes(5))) struct OptionsTests {
  private func credential(
    _ password: String = "right", _ persistence: URLCredential.Persistence = .forSession
  ) -> URLCredential {
    URLCredential(user: "ann", password: password, persistence: persistence)
  }

  @Test(
    "a credential that a session is given logs in, is kept as it asks, and serves later ones",
    arguments: Engine.allCases)
  func credentialIsKept(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
    let client = try Client(engine)
    let none = try client.session.with(credential("right", .none))
    #expect(try await none.data(from: server.url()).0.text == "OK ann")
    #expect(try await client.vault.findAll(ItemQuery()).isEmpty)
    let (_, refused) = try await client.session.with(credential("wrong")).data(from: server.url())
    #expect(refused.status == 401)
    #expect(try await client.vault.findAll(ItemQuery()).isEmpty)
    _ = try await client.session.with(credential()).data(from: server.url())
    #expect(try await client.vault.findAll(ItemQuery()).map(\.account) == ["ann"])
    #expect(try await client.session.data(from: server.url()).0.text == "OK ann")
  }

  @Test("it never goes to another origin, nor back from there", arguments: Engine.allCases)
  func redirected(_ engine: Engine) async throws {
    let first = Lock<URL?>(nil)
    let other = try ScriptedServer { request in
      guard request.target == "/back" else { return .challenge("Basic realm=\"Team\"") }
      return .redirect(to: first.withLock { $0?.absoluteString ?? "" })
    }
    let server = try ScriptedServer(
      ScriptedLogin.basic(["ann": "right"]) { [port = other.port] request, user in
        switch request.target {
        case "/same": .redirect(to: "/end")
        case "/other": .redirect(to: "http://127.0.0.1:\(port)/")
        case "/around": .redirect(to: "http://127.0.0.1:\(port)/back")
        default: .text("OK \(user)")
        }
      })
    first.withLock { $0 = server.url("/end") }
    let client = try Client(engine, beforeChallenge: .never)
    let session = try client.session.with(credential("right", .none))
    #expect(try await session.data(from: server.url("/same")).0.text == "OK ann")
    for path in ["/other", "/around"] {
      #expect(try await session.data(from: server.url(path)).1.status == 401)
    }
    #expect(other.requests.allSatisfy { $0.authorization == nil })
  }

  @Test("switches are of the session that they are given to", arguments: Engine.allCases)
  func options(_ engine: Engine) async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let client = try Client(engine)
    try client.store(at: server)
    var options = RequestOptions()
    options.beforeChallenge = .never
    options.urlPersistence = .session
    let session = client.session.with(options)
    for _ in 1...2 { #expect(try await session.data(from: server.url()).1.status == 200) }
    #expect(server.schemes == [nil, "basic", nil, "basic"])
    #expect(try await client.session.data(from: server.url()).1.status == 200)
    #expect(server.schemes.last == "basic" && server.requests.count == 5)
  }
}
