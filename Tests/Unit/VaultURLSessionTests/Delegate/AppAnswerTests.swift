import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import URLSessionTesting

@testable import VaultURLSession

@Suite("What the app's delegate answers", .waiting, .timeLimit(.minutes(5)))
struct AppAnswerTests {
  private static var right: URLCredential {
    URLCredential(user: "ann", password: "right", persistence: .none)
  }

  private func session(
    _ app: any URLSessionDelegate, storage: URLCredentialStorage? = nil
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCredentialStorage = storage
    return URLSession(
      configuration: configuration,
      delegate: VaultSessionDelegate(.inMemory(), passingTo: app), delegateQueue: nil)
  }

  @Test("The app is asked on the session's delegate queue")
  func queue() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let app = AnsweringDelegate(Self.right)
    let (_, response) = try await session(app).data(from: server.url())
    #expect(response.status == 200 && app.wasOnQueue == [true])
  }

  @Test("After its answer a redirect is not followed, as after one out of the vault")
  func redirect() async throws {
    let server = try ScriptedServer(
      ScriptedLogin.basic(["ann": "right"]) { request, _ in
        request.target == "/from" ? .redirect(to: "/to") : .text("there")
      })
    let (_, response) = try await session(AnsweringDelegate(Self.right)).data(
      from: server.url("/from"))
    #expect(response.status == 302)
    #expect(server.lines == ["GET /from", "GET /from"])
  }

  @Test("Of several users that a storage proposes each is tried once")
  func proposals() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let session = session(SilentTaskDelegate(), storage: TwoUsers(server))
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: server.url())
    }
    #expect(error?.code == .cancelled)
    let fields = server.requests.compactMap(\.authorization)
    #expect(fields.count == 2 && Set(fields).count == 2)
  }
}

/// A storage that proposes two users in turn, whose passwords are wrong, so that none is the one
/// refused just now.
// Proof: the server is `let`.
private final class TwoUsers: URLCredentialStorage, @unchecked Sendable {
  private let server: ScriptedServer

  init(_ server: ScriptedServer) {
    self.server = server
    super.init()
  }

  override func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    let user = server.requests.count.isMultiple(of: 2) ? "bob" : "ann"
    return [user: URLCredential(user: user, password: "wrong", persistence: .none)]
  }
}
