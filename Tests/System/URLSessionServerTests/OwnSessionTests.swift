import CredentialVault
import Dispatch
import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

extension RealServers {
  @Suite("Code that keeps its own session")
  struct OwnSessionTests {
    let client: Client
    let request: URLRequest

    init() throws {
      client = try Client()
      request = URLRequest(url: try client.page("basic/1"))
    }

    /// Runs `body` with a session that is made with the vault.
    func withSession<R>(
      delegate: (any URLSessionDelegate)? = nil, _ body: (URLSession) async throws -> R
    ) async throws -> R {
      let session = URLSession(
        configuration: .ephemeral, vault: client.vault, delegate: delegate)
      defer { session.invalidateAndCancel() }
      return try await body(session)
    }

    let login = ["- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -"]

    @Test("what is stored answers Basic, for data and for a body that is sent again")
    func stored() async throws {
      try client.store("ann", "correct horse", "Team Files")
      try await withSession { session in
        #expect(try await session.visit(request) == .page)
        #expect(try client.requests(2) == login)

        var put = URLRequest(url: try client.page("putbasic/1"))
        put.httpMethod = "PUT"
        #expect(try await session.visit(put, sending: TransferTests.body).status == 201)
        let isWhole = try client.received("1") == TransferTests.body
        #expect(isWhole)
      }
    }

    @Test("the default user comes first, and the next one where it is refused")
    func defaultFirst() async throws {
      try client.store("ann", "correct horse", "Team Files")
      let bob = try client.store("bob", "no longer so", "Team Files")
      try client.vault.setDefaultUser("bob", for: #require(bob.space))
      let visit = try await withSession { session in try await session.visit(request) }
      #expect(visit == .page)
      #expect(
        try client.requests(3) == [
          "- GET /basic/1 401 - -", "ann GET /basic/1 200 Basic -", "bob GET /basic/1 401 Basic -",
        ])
      #expect(try client.hasPassword(bob, "no longer so"))
    }

    @Test("where everything is refused the task is cancelled, and nothing in the file is changed")
    func refused() async throws {
      let item = try client.store("ann", "wrong", "Team Files")
      try await withSession { session in
        let error = await #expect(throws: URLError.self) {
          try await session.visit(request)
        }
        #expect(error?.code == .cancelled)
      }
      #expect(
        try client.requests(2) == ["- GET /basic/1 401 - -", "ann GET /basic/1 401 Basic -"])
      #expect(try client.hasPassword(item, "wrong") && client.fileItems() == 1)
    }

    @Test("what the app's own delegate answers is in the file once the server has accepted it")
    func answered() async throws {
      let delegate = AnsweringDelegate("ann", "correct horse")
      try await withSession(delegate: delegate) { session in
        #expect(try await session.visit(request) == .page)
        let storage = try #require(
          session.configuration.urlCredentialStorage as? VaultCredentialStorage)
        try await Vault.perform { try storage.flush() }
      }
      #expect(try client.requests(2) == login)
      #expect(try client.items() == ["http origin Team Files basic ann"])
      #expect(
        try await client.runProgram(["get \(client.url("basic/2"))"], over: .foundation) == [
          "200 a page"
        ])
    }

    @Test("the storage alone answers Basic, with any delegate of tasks beside it")
    func storage() async throws {
      try client.store("ann", "correct horse", "Team Files")
      let configuration = URLSessionConfiguration.ephemeral
      configuration.urlCredentialStorage = VaultCredentialStorage(client.vault)
      let session = URLSession(
        configuration: configuration, delegate: SilentDelegate(), delegateQueue: nil)
      defer { session.invalidateAndCancel() }
      #expect(try await session.visit(request) == .page)
      #expect(try client.requests(2) == login)
      #expect(try client.fileItems() == 1)
    }
  }
}

extension URLSession {
  /// Loads a request, or fails after a minute: Foundation waits without a limit for a challenge
  /// that nobody answers.
  fileprivate func visit(
    _ request: URLRequest, sending body: Data? = nil
  ) async throws -> Client.Visit {
    try await withCheckedThrowingContinuation { continuation in
      let waiting = Lock<CheckedContinuation<Client.Visit, any Error>?>(continuation)
      @Sendable func end(_ result: Result<Client.Visit, any Error>) {
        waiting.withLock { waiting in
          waiting?.resume(with: result)
          waiting = nil
        }
      }
      let handler = { @Sendable (body: Data?, response: URLResponse?, error: (any Error)?) in
        guard let body, let response else { return end(.failure(error ?? URLError(.unknown))) }
        end(.success(Client.Visit(body, response)))
      }
      let task =
        if let body {
          uploadTask(with: request, from: body, completionHandler: handler)
        } else {
          dataTask(with: request, completionHandler: handler)
        }
      task.resume()
      DispatchQueue.global().asyncAfter(deadline: .now() + 120) {
        end(.failure(ProgramFailure(description: "the task does not end")))
      }
    }
  }
}

/// A delegate that leaves everything to Foundation.
private final class SilentDelegate: NSObject, URLSessionTaskDelegate {}

/// A delegate that answers the first challenge of each task.
private final class AnsweringDelegate: NSObject, URLSessionTaskDelegate {
  private let user: String
  private let password: String

  init(_ user: String, _ password: String) {
    self.user = user
    self.password = password
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.previousFailureCount == 0 else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    completionHandler(
      .useCredential, URLCredential(user: user, password: password, persistence: .permanent))
  }
}
