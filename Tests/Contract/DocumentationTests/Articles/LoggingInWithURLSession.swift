import Foundation
import FoundationNetworking
import VaultURLSession

/// The Swift of the article: each function's body is one of its snippets.
struct LoggingInWithURLSession {
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

  func begin(_ url: URL, _ vault: Vault, _ delegate: any URLSessionDelegate) {
    let session = URLSession(
      configuration: .default, vault: vault, delegate: delegate, delegateQueue: nil)
    let task = session.dataTask(with: url)
    task.resume()
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
}
