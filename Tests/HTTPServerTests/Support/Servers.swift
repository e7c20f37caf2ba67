import Foundation
import ProgramTesting
import Testing

/// The real servers that all suites of this target share: each path of theirs below a folder is the same page.
struct Servers: Sendable {
  let sandbox: Sandbox
  /// An Apache with challenges of every kind.
  let origin: HTTPServer
  /// Another one, where the first sends whoever asks for `away`.
  let elsewhere: HTTPServer
  /// A lighttpd, for the hashes that Apache does not know.
  let hashes: HTTPServer
  /// A proxy that asks by Basic.
  let basicGate: HTTPServer
  /// A proxy that asks by Digest.
  let digestGate: HTTPServer

  /// Who may come in at the servers.
  static let users = ["ann": "correct horse", "bob": "b:o:b", "eve": ""]
  /// Who may go out through the proxies.
  static let guests = ["pat": "way out"]
  /// What all pages say.
  static let page = "a page\n"

  init() throws {
    let sandbox = try Sandbox()
    func serve(
      _ template: String, _ name: String, _ values: [String: String] = [:],
      users: [String: String] = Self.users
    ) throws -> HTTPServer {
      let pages = sandbox.folder.appending(path: "\(name)/pages")
      try FileManager.default.createDirectory(at: pages, withIntermediateDirectories: true)
      try Data(Self.page.utf8).write(to: pages.appending(path: "page"))
      return try HTTPServer(template, in: sandbox, name: name, values: values, users: users)
    }
    elsewhere = try serve("challenges", "elsewhere", ["ELSEWHERE": "http://127.0.0.1:1"])
    origin = try serve(
      "challenges", "origin", ["ELSEWHERE": "http://127.0.0.1:\(elsewhere.port)"])
    hashes = try serve("hashes", "hashes")
    basicGate = try serve(
      "gate", "basic-gate", ["SCHEME": "Basic", "PASSWORDS": "users"], users: Self.guests)
    digestGate = try serve(
      "gate", "digest-gate", ["SCHEME": "Digest", "PASSWORDS": "digest"], users: Self.guests)
    self.sandbox = sandbox
  }

  var all: [HTTPServer] { [origin, elsewhere, hashes, basicGate, digestGate] }

  @TaskLocal private static var running: Servers?

  /// The servers of the suite that runs.
  static var shared: Servers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  struct Scope: SuiteTrait, TestScoping {
    func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await Servers.$running.withValue(Servers()) { try await function() }
    }
  }
}

extension Trait where Self == Servers.Scope {
  /// Real servers on loopback, the same for all tests of the suite.
  static var servers: Self { Self() }
}

/// Everything against real servers, in one suite so that they start once.
@Suite("Real servers", .servers) enum RealServers {}
