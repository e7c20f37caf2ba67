import CredentialVault
import Foundation
import FoundationNetworking
import HTTPAuthentication
import HTTPTesting
import ProgramTesting
import SecureMemory
import TestSupport
import Testing
import URLSessionTesting
import VaultModel
import VaultURLSession

/// All tests against real servers, in one suite so that they start once.
@Suite("Real servers through URLSession", .servers) enum RealServers {}

/// A session with a vault of its own, whose pages are in a folder that no other test requests.
final class Client: ServerClient {
  /// The result of a request.
  struct Visit: Sendable, Equatable {
    let status: Int
    let body: String

    init(_ body: Data, _ response: URLResponse) {
      status = (response as? HTTPURLResponse)?.statusCode ?? 0
      self.body = String(decoding: body, as: UTF8.self)
    }

    init(status: Int, body: String) {
      self.status = status
      self.body = body
    }

    /// The servers' page for authenticated users.
    static let page = Visit(status: 200, body: Servers.page)
  }

  let servers: Servers
  let folder: TemporaryFolder
  let vault: Vault
  let prompt: ScriptedPrompt
  let session: AuthenticatedSession
  let tag = Client.makeTag()
  private let ended = Lock<[Outcome]>([])

  /// Creates a client that begins with an empty vault.
  init(_ answers: Answer..., over engine: Engine = .foundation) throws {
    servers = try Servers.shared
    prompt = ScriptedPrompt(answers)
    folder = try TemporaryFolder()
    vault = try Self.makeVault(in: folder)
    let configuration = URLSessionConfiguration.ephemeral
    // A hanging request has to fail.
    configuration.timeoutIntervalForRequest = 60
    session = try engine.session(
      configuration, by: Authenticator(vault: vault, prompt: prompt)
    ) { [ended] _, outcome in ended.withLock { $0.append(outcome) } }
  }

  deinit { session.session?.finishTasksAndInvalidate() }

  /// The reasons why each request's authentication ended, including redirected requests.
  var reasons: [Outcome.Reason] { ended.withLock { $0.map(\.reason) } }

  /// The errors of storing accepted credentials.
  var storageErrors: [VaultError] { ended.withLock { $0.compactMap(\.storageError) } }

  /// Returns the URL of a page, such as "basic/1".
  func page(_ path: String, at server: HTTPServer? = nil) throws -> URL {
    try #require(URL(string: url(path, at: server)))
  }

  /// Gets a page.
  func get(_ path: String, at server: HTTPServer? = nil) async throws -> Visit {
    let (body, response) = try await session.data(from: page(path, at: server))
    return Visit(body, response)
  }

  /// Gets that many pages at once.
  func get(_ count: Int, _ path: String) async throws -> [Visit] {
    try await withThrowingTaskGroup { group in
      for page in 0..<count {
        group.addTask { try await self.get("\(path)/\(page)") }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  /// Returns the body that a server got for a page below "putbasic" or "putdigest".
  func received(_ page: String, at server: HTTPServer? = nil) throws -> Data {
    try Data(contentsOf: (server ?? servers.origin).folder.appending(path: "put/\(tag)-\(page)"))
  }

  /// Sends requests in a program of its own, with the vault as it is in the file; see the driver's
  /// mode `request`.
  ///
  /// - Returns: Its output, line by line.
  func runProgram(
    _ lines: [String], over engine: Engine, environment: [String: String?] = [:],
    in trust: PrivateTrust? = nil
  ) async throws -> [String] {
    let driver = Project.products.appending(path: "URLSessionTestDriver").path
    let words = [
      driver, "request", engine.rawValue, folder.file("vault/own.vault"), folder.file("key"),
    ]
    let result = try await inThread { [sandbox = servers.sandbox] in
      try sandbox.run(
        (trust?.words ?? []) + words, input: lines.map { "\($0)\n" }.joined(),
        environment: Self.noProxy.merging(environment) { $1 })
    }
    guard result.status == 0 else {
      throw ProgramFailure(description: "status \(result.status): \(result.errors)")
    }
    return result.lines
  }

  /// Clears proxy variables that the machine may have set.
  private static let noProxy: [String: String?] = [
    "http_proxy": nil, "https_proxy": nil, "HTTPS_PROXY": nil, "all_proxy": nil, "ALL_PROXY": nil,
    "no_proxy": nil, "NO_PROXY": nil,
  ]
}

/// A failure of a program.
struct ProgramFailure: Error, CustomStringConvertible {
  let description: String
}
