import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestTraits
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

@Suite("The app's delegate before the vault", .waiting, .timeLimit(.minutes(5)))
struct AnswerOrderTests {
  private let server: ScriptedServer
  private let vault = Vault.inMemory()

  init() throws {
    server = try ScriptedServer(ScriptedLogin.basic(["ann": "right", "app": "right"]))
  }

  private func store(_ user: String, _ password: String) async throws {
    try await vault.set(
      Credential(user: user, secret: Secret(password), persistence: .session),
      for: ProtectionSpace(host: "127.0.0.1", port: server.port, protocol: .http, realm: "Team"))
  }

  /// Returns the page that a session with this delegate loads; the error's code without one.
  private func load(_ app: RecordingAppDelegate, _ path: String = "/") async throws -> String {
    let session = URLSession(
      configuration: .ephemeral, vault: vault, delegate: app, order: .appFirst)
    do {
      return try await session.data(from: server.url(path)).0.text
    } catch let error as URLError {
      return "\(error.code.rawValue)"
    }
  }

  @Test("its own answer is sent, and the vault's credential only proposed")
  func own() async throws {
    try await store("ann", "right")
    let app = RecordingAppDelegate { _ in
      (.useCredential, URLCredential(user: "app", password: "right", persistence: .none))
    }
    #expect(try await load(app) == "OK app")
    #expect(app.proposed == ["ann"])
    #expect(server.schemes == [nil, "basic"])
  }

  @Test("it may take what is proposed, or leave it to the default, which tries each user once")
  func proposed() async throws {
    try await store("aaa", "wrong")
    try await store("ann", "right")
    let taking = RecordingAppDelegate { (.useCredential, $0.proposedCredential) }
    #expect(try await load(taking) == "OK ann")
    #expect(taking.proposed == ["aaa", "ann"])
    let leaving = RecordingAppDelegate { _ in (.performDefaultHandling, nil) }
    #expect(try await load(leaving) == "OK ann")
    #expect(leaving.proposed == ["aaa", "ann"])
    #expect(server.requests.count == 6)
  }

  @Test("a credential of another path, which the session's storage proposes, is withheld from it")
  func otherPath() async throws {
    var item = Item(
      space: try ProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: .http, realm: "Team"),
      account: "ann", secret: Secret("right"))
    item.path = "private"
    try await vault.add(item, persistence: .session)
    let app = RecordingAppDelegate { _ in (.performDefaultHandling, nil) }
    #expect(try await load(app) == "-999")
    #expect(app.proposed == ["nobody"])
    #expect(try await load(app, "/private/x") == "OK ann")
    #expect(app.proposed == ["nobody", "ann"])
  }

  @Test("with nothing in the vault the default cancels")
  func empty() async throws {
    #expect(try await load(RecordingAppDelegate { _ in (.performDefaultHandling, nil) }) == "-999")
    #expect(server.schemes == [nil])
  }
}

/// An app's delegate that answers as a test says, and records the proposed users.
private final class RecordingAppDelegate: NSObject, URLSessionTaskDelegate {
  typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)
  private let users = Lock<[String]>([])
  private let answer: @Sendable (URLAuthenticationChallenge) -> Answer

  var proposed: [String] { users.withLock { $0 } }

  init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Answer) {
    self.answer = answer
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    users.withLock { $0.append(challenge.proposedCredential?.user ?? "nobody") }
    let (disposition, credential) = answer(challenge)
    completionHandler(disposition, credential)
  }
}
