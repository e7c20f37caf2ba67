import Foundation
import FoundationNetworking
import HTTPAuthentication
import Testing
import URLSessionTesting
import VaultURLSession

@Suite("Downloads", .timeLimit(.minutes(5))) struct DownloadTests {
  private func read(_ file: URL) throws -> String {
    defer { try? FileManager.default.removeItem(at: file) }
    return try Data(contentsOf: file).text
  }

  @Test("a download logs in, and its file is whole", arguments: Engine.allCases, [false, true])
  func login(_ engine: Engine, _ isDigest: Bool) async throws {
    let users = AuthenticatedSessionTests.users
    let body = String(repeating: "page ", count: 100_000)
    let server = try ScriptedServer(
      isDigest
        ? ScriptedLogin.digest(users) { _, _ in .text(body) }
        : ScriptedLogin.basic(users) { _, _ in .text(body) })
    let client = try Client(engine)
    try client.store(at: server)
    let (file, response) = try await client.session.download(from: server.url("/file"))
    #expect(response.status == 200)
    #expect(try read(file) == body)
  }

  @Test(
    "a download that nobody logs in for is an empty file, or the 401's body",
    arguments: Engine.allCases)
  func unanswered(_ engine: Engine) async throws {
    let basic = try ScriptedServer(ScriptedLogin.basic(AuthenticatedSessionTests.users))
    let digest = try ScriptedServer(ScriptedLogin.digest(AuthenticatedSessionTests.users))
    let (empty, response) = try await Client(engine).session.download(from: basic.url())
    #expect(response.status == 401)
    #expect(try read(empty) == (engine == .transport ? "unauthorized" : ""))
    let (file, other) = try await Client(engine).session.download(from: digest.url())
    #expect(other.status == 401)
    #expect(try read(file) == "unauthorized")
  }

  @Test(
    "a download follows redirects, and a refused one is an empty file", arguments: Engine.allCases)
  func redirects(_ engine: Engine) async throws {
    let server = try ScriptedServer { request in
      request.target == "/from" ? .redirect(to: "/to") : .text("file")
    }
    let (file, _) = try await Client(engine).session.download(from: server.url("/from"))
    #expect(try read(file) == "file")
    guard engine == .foundation else { return }
    let refusing = Client(delegate: RedirectDelegate { _ in nil })
    let (moved, response) = try await refusing.session.download(from: server.url("/from"))
    #expect(response.status == 302)
    #expect(try read(moved).isEmpty)
  }
}
