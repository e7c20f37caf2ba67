import CredentialVault
import Foundation
import FoundationNetworking
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// Attacks by servers, delegates and busy vaults on a session.
@Suite("Attacks on sessions", .timeLimit(.minutes(5))) struct SessionAttackTests {
  @Test("what a delegate takes out of a redirected request is not sent")
  func stripped() async throws {
    let target = try ScriptedServer { _ in .text("end") }
    let location = target.url("/to").absoluteString
    let source = try ScriptedServer { _ in .redirect(to: location) }
    let delegate = RedirectDelegate { request in
      var request = request
      request.setValue(nil, forHTTPHeaderField: "X-Own")
      return request
    }
    var request = URLRequest(url: source.url("/from"))
    request.setValue("secret", forHTTPHeaderField: "X-Own")
    let sent = request
    _ = try await Client(delegate: delegate).session.data(for: sent)
    #expect(target.requests.map { $0["X-Own"] == nil } == [true])
  }

  @Test(
    "from one origin to another and back, nothing of the first comes back",
    arguments: Engine.allCases)
  func thereAndBack(_ engine: Engine) async throws {
    let home = Lock("")
    let second = try ScriptedServer { _ in .redirect(to: home.withLock { $0 } + "/end") }
    let away = second.url("/away").absoluteString
    let first = try ScriptedServer { request in
      request.target == "/begin" ? .redirect(to: away) : .text("end")
    }
    home.withLock { $0 = "http://127.0.0.1:\(first.port)" }
    var request = URLRequest(url: first.url("/begin", user: "ann", password: "right"))
    request.setValue("Basic x", forHTTPHeaderField: "Authorization")
    request.setValue("a=b", forHTTPHeaderField: "Cookie")
    let sent = request
    let (data, _) = try await Client(engine).session.data(for: sent)
    #expect(data.text == "end")
    #expect(first.schemes == ["basic", nil] && second.schemes == [nil])
    #expect(first.requests.last?["Cookie"] == nil)
  }

  @Test("a vault that somebody holds does not hold the main actor", arguments: Engine.allCases)
  func mainActor(_ engine: Engine) async throws {
    let fixture = try StorageFixture()
    let vault = fixture.vault
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let wasReleased = Lock(false)
    let release = DispatchSemaphore(value: 0)
    await withCheckedContinuation { held in
      Thread.detachNewThread {
        do throws(VaultError) {
          try vault.writing { (_) throws(VaultError) in
            held.resume()
            // A watchdog: a main actor that waits for this cannot end it.
            let end = release.wait(timeout: .now() + 120)
            wasReleased.withLock { $0 = end == .success }
          }
        } catch {
          Issue.record("\(error.code)")
        }
      }
    }
    let session = try engine.session(by: Authenticator(vault: vault))
    let load = Task { @MainActor in try await session.data(from: server.url()) }
    while server.requests.isEmpty { await Task.yield() }
    Thread.detachNewThread {
      // Long enough for the 401 to be read, and the vault to be asked.
      usleep(300_000)
      DispatchQueue.main.async { release.signal() }
    }
    _ = try await load.value
    #expect(wasReleased.withLock { $0 })
  }

  @Test(
    "odd responses end, for data and for downloads", arguments: Engine.allCases,
    [200, 204, 205, 304, 300, 305, 306, 399, 401, 407, 500])
  func odd(_ engine: Engine, _ status: Int) async throws {
    for method in ["HEAD", "GET", "DELETE"] { try await odd(engine, method, status) }
  }

  private func odd(_ engine: Engine, _ method: String, _ status: Int) async throws {
    let server = try ScriptedServer { _ in
      var response = ScriptedResponse(status, ["Location": "/x"], status == 204 ? "" : "body")
      response.closes = status == 500
      return response
    }
    var request = URLRequest(url: server.url("/from"))
    request.httpMethod = method
    let sent = request
    let client = try Client(engine)
    let (_, response) = try await client.session.data(for: sent)
    #expect(response.status == status)
    let (file, other) = try await client.session.download(for: sent)
    #expect(other.status == status)
    try FileManager.default.removeItem(at: file)
  }
}
