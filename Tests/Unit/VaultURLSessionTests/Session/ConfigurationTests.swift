import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport
@testable import VaultURLSession

/// The settings of a configuration, which hold over the transport as over Foundation.
@Suite("AuthenticatedSession: of a configuration", .timeLimit(.minutes(5)))
struct ConfigurationTests {
  private func session(
    _ engine: Engine, _ change: (URLSessionConfiguration) -> Void
  ) throws -> AuthenticatedSession {
    let configuration = URLSessionConfiguration.ephemeral
    change(configuration)
    return try engine.session(configuration, by: Authenticator(vault: .inMemory()))
  }

  @Test("its fields are sent, unless the request has its own", arguments: Engine.allCases)
  func fields(_ engine: Engine) async throws {
    let server = try ScriptedServer { .text("\($0["X-One"] ?? "") \($0["X-Two"] ?? "")") }
    let session = try session(engine) {
      $0.httpAdditionalHeaders = ["X-One": "one", "X-Two": "two"]
    }
    var request = URLRequest(url: server.url())
    request.setValue("own", forHTTPHeaderField: "X-Two")
    #expect(try await session.data(for: request).0.text == "one own")
  }

  @Test("its cookies are stored, sent and refused as it says", arguments: Engine.allCases)
  func cookies(_ engine: Engine) async throws {
    let server = try ScriptedServer { request in
      var response = ScriptedResponse.text(request["Cookie"] ?? "none")
      response.fields.append((name: "Set-Cookie", value: "crumb=1; Path=/"))
      return response
    }
    let keeping = try session(engine) { _ in }
    for expected in ["none", "crumb=1"] {
      #expect(try await keeping.data(from: server.url()).0.text == expected)
    }
    guard engine == .transport else { return }
    var plain = URLRequest(url: server.url())
    plain.httpShouldHandleCookies = false
    #expect(try await keeping.data(for: plain).0.text == "none")
    let refusing = try session(engine) { $0.httpCookieAcceptPolicy = .never }
    for _ in 1...2 { #expect(try await refusing.data(from: server.url()).0.text == "none") }
  }

  @Test("its limit of a request ends one that is silent", arguments: Engine.allCases)
  func limit(_ engine: Engine) async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try ScriptedServer { _ in
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    let session = try session(engine) { $0.timeoutIntervalForRequest = 1 }
    let error = await #expect(throws: URLError.self) { try await session.data(from: server.url()) }
    #expect(error?.code == .timedOut)
  }

  @Test("its number of connections is the most to one host")
  func connections() async throws {
    let server = try ScriptedServer { _ in .text("OK") }
    let session = try session(.transport) { $0.httpMaximumConnectionsPerHost = 1 }
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<10 { group.addTask { try await session.data(from: server.url()).1.status } }
      for try await status in group { #expect(status == 200) }
    }
    #expect(server.connections == 1)
  }

  @Test("its limit of the whole ends a request, and a question does not count")
  func whole() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForResource = 15
    let slow = try AuthenticatedSession(
      vault: .inMemory(), configuration: configuration, prompt: SlowPrompt())
    #expect(try await slow.data(from: server.url()).0.text == "OK ann")
    let gate = DispatchSemaphore(value: 0)
    let silent = try ScriptedServer { _ in
      gate.wait()
      return .text("late")
    }
    defer { gate.signal() }
    let error = await #expect(throws: URLError.self) { try await slow.data(from: silent.url()) }
    #expect(error?.code == .timedOut)
  }

  @Test("it is copied: what is changed later has no effect")
  func copied() async throws {
    let server = try ScriptedServer { .text($0["X-One"] ?? "none") }
    let configuration = URLSessionConfiguration.ephemeral
    let session = try AuthenticatedSession(vault: .inMemory(), configuration: configuration)
    configuration.httpAdditionalHeaders = ["X-One": "one"]
    #expect(try await session.data(from: server.url()).0.text == "none")
  }

  /// A prompt that takes longer than the whole request may.
  private struct SlowPrompt: CredentialPrompt {
    func answer(_ question: Question) async -> Answer {
      do { try await Task.sleep(for: .seconds(16)) } catch { return .cancel(.request) }
      return .use(Credential(user: "ann", secret: Secret("right"), persistence: .session))
    }
  }
}
