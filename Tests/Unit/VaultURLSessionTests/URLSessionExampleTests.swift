import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import Testing
import URLSessionTesting
import VaultModel
import VaultTransport
import VaultURLSession

/// The Swift of `Documentation/urlsession.md`, where each function's body stands as it is here.
@Suite struct URLSessionExampleTests {
  /// A delegate that is called once, at the end of a task.
  final class EndDelegate: NSObject, URLSessionDataDelegate, Sendable {
    let status: @Sendable (Int) -> Void

    init(_ status: @escaping @Sendable (Int) -> Void) {
      self.status = status
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      status(task.response?.status ?? 0)
    }
  }

  /// Loads a page, and is not called, because it would open the vault of the user who runs the
  /// tests; `Examples/Download` does it.
  func load(_ url: URL) async throws -> Data? {
    let vault = try await Vault.open()
    let session = try AuthenticatedSession(vault: vault)
    let (page, response) = try await session.data(from: url)
    return (response as? HTTPURLResponse)?.statusCode == 200 ? page : nil
  }

  func send(
    _ body: Data, in request: URLRequest, _ vault: Vault,
    _ report: @escaping @Sendable (String) -> Void
  ) async throws -> (Data, URLResponse) {
    let prompt = TerminalPrompt()
    let session = try AuthenticatedSession(vault: vault, prompt: prompt) { url, outcome in
      report("\(url): \(outcome.reason)")
    }
    return try await session.upload(for: request, from: body)
  }

  func store(
    _ password: String, for space: URLProtectionSpace, in vault: Vault,
    _ report: @escaping @Sendable (String) -> Void
  ) throws {
    let storage = VaultCredentialStorage(vault) { error in report("\(error)") }
    let credential = URLCredential(user: "ann", password: password, persistence: .permanent)
    storage.set(credential, for: space)
    try storage.flush()
  }

  func begin(_ url: URL, _ vault: Vault, _ delegate: any URLSessionDelegate) {
    let session = URLSession(
      configuration: .default, vault: vault, delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: url)
    task.resume()
  }

  func loadUnchanged(_ url: URL, _ vault: Vault) async throws -> Data {
    VaultURLProtocol.share(try Transport(vault: vault))
    let shared = URLSession.shared.configuration
    shared.protocolClasses = [VaultURLProtocol.self] + (shared.protocolClasses ?? [])
    let (page, _) = try await URLSession.shared.data(from: url)
    return page
  }

  @Test("the page's unchanged code logs in through the shared session")
  func unchanged() async throws {
    // The shared session is that of the process.
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer(ScriptedLogin.digest(["ann": "right"]))
      let client = Client()
      try client.store(at: server)
      let page = try await URLSessionExampleTests().loadUnchanged(server.url("/"), client.vault)
      precondition(page.text == "OK ann")
    }
  }

  @Test("the page's upload logs in with what the vault has, and says how it ended")
  func upload() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let client = Client()
    try client.store(at: server)
    var request = URLRequest(url: server.url("/page"))
    request.httpMethod = "PUT"
    let said = Lock<[String]>([])
    let (data, _) = try await send(Data("body".utf8), in: request, client.vault) { line in
      said.withLock { $0.append(line) }
    }
    #expect(data.text == "OK ann")
    #expect(said.withLock { $0 } == ["\(server.url("/page")): done"])
  }

  @Test("what the page's storage is given is in the vault's file after the flush")
  func storage() throws {
    let fixture = try StorageFixture()
    try store("one", for: foundationSpace(), in: fixture.vault) { Issue.record("\($0)") }
    let found = try fixture.vault.credentials(for: gitSpace())
    #expect(found.map(\.user) == ["ann"] && found.first?.persistence == .permanent)
  }

  @Test("the page's own session logs in with what the vault has")
  func session() async throws {
    let server = try ScriptedServer(ScriptedLogin.basic(["ann": "right"]))
    let client = Client()
    try client.store(at: server)
    let status = await withCheckedContinuation { continuation in
      begin(server.url("/page"), client.vault, EndDelegate { continuation.resume(returning: $0) })
    }
    #expect(status == 200)
    #expect(server.schemes == [nil, "basic"])
  }
}
