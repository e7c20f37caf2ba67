import Foundation
import FoundationNetworking
import URLSessionTesting

/// Runs a scenario with Foundation alone, and returns the observations, if it gets that far.
func playStock(_ scenario: StockScenario) async throws -> [String] {
  let server = try ScriptedServer(ScriptedLogin.basic(["app": "right"]))
  let configuration = URLSessionConfiguration.ephemeral
  switch scenario {
  case .nobodyAnswers:
    let session = URLSession(configuration: configuration)
    return [await outcome { try await session.data(from: server.url()) }]
  case .storageWithoutDelegate:
    configuration.urlCredentialStorage = OneCredential()
    URLSession(configuration: configuration).dataTask(with: server.url()) { _, _, _ in }.resume()
    while server.requests.isEmpty { await Task.yield() }
    // Time for the answer to arrive; a session that is not dead answers however late.
    usleep(200_000)
    return [try await unrelated()]
  case .nilCredential:
    let session = URLSession(
      configuration: configuration, delegate: AppDelegate { $0(.useCredential, nil) },
      delegateQueue: nil)
    return [await outcome { try await session.data(from: server.url()) }]
  case .redirect:
    let moving = try ScriptedServer(
      ScriptedLogin.basic(["app": "right"]) { _, _ in .redirect(to: "/end") })
    let session = URLSession(
      configuration: configuration, delegate: AppDelegate(), delegateQueue: nil)
    let data = await outcome { try await session.data(from: moving.url("/begin")) }
    let again = moving.requests.count { $0.target == "/begin" && $0.scheme != nil }
    return [data, again > 20 ? "password sent more than 20 times" : "sent \(again) times"]
  case .otherOrigin:
    let first = try ScriptedServer { [url = server.url().absoluteString] _ in .redirect(to: url) }
    let session = URLSession(
      configuration: configuration, delegate: AppDelegate(), delegateQueue: nil)
    _ = await outcome { try await session.data(from: first.url()) }
    let isLeaked = first.requests.contains { $0.scheme == "basic" }
    return [isLeaked ? "the first server got the second's password" : "nothing leaked"]
  case .storage:
    configuration.urlCredentialStorage = URLCredentialStorage()
    let app = AppDelegate { handler in
      handler(
        .useCredential, URLCredential(user: "app", password: "right", persistence: .forSession))
    }
    let session = URLSession(configuration: configuration, delegate: app, delegateQueue: nil)
    for _ in 0..<20 { _ = await outcome { try await session.data(from: server.url()) } }
    return ["\(configuration.urlCredentialStorage?.allCredentials.count ?? 0) spaces"]
  case .location:
    let moving = try ScriptedServer { _ in .redirect(to: "//[::1]/x") }
    let session = URLSession(configuration: configuration)
    return [await outcome { try await session.data(from: moving.url()) }]
  case .cancelled: return try await stockCancelled()
  }
}

/// A storage that has a credential for everything; stateless.
// Proof: it has no state of its own.
private final class OneCredential: URLCredentialStorage, @unchecked Sendable {
  override func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
    ["app": URLCredential(user: "app", password: "right", persistence: .none)]
  }
}
