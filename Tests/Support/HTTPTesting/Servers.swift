import Foundation
package import ProgramTesting
package import Testing

/// The real servers that the tests of a suite share: each path of theirs below a folder is the same
/// page.
package struct Servers: Sendable {
  /// The sandbox that they all run in.
  package let sandbox: Sandbox
  /// An Apache with challenges of every kind.
  package let origin: HTTPServer
  /// Another Apache, to which the first redirects requests for `away`.
  package let elsewhere: HTTPServer
  /// A lighttpd, for the hashes that Apache does not know.
  package let hashes: HTTPServer
  /// A proxy that challenges with Basic.
  package let basicGate: HTTPServer
  /// A proxy that challenges with Digest.
  package let digestGate: HTTPServer

  /// The users of the servers.
  package static let users = [
    "ann": "correct horse", "bob": "b:o:b", "eve": "", "zo\u{EB}": "p\u{E2}ss w\u{F6}rd",
  ]
  /// The users of the proxies.
  package static let guests = ["pat": "way out", "zo\u{EB}": "p\u{E2}ss w\u{F6}rd"]
  /// The text of all pages.
  package static let page = "a page\n"

  /// Starts the servers.
  package init() throws {
    let sandbox = try Sandbox()
    func serve(
      _ template: String, _ name: String, _ values: [String: String] = [:],
      users: [String: String] = Self.users
    ) throws -> HTTPServer {
      let folder = sandbox.folder.appending(path: name)
      let pages = folder.appending(path: "pages")
      for folder in [pages, folder.appending(path: "put")] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
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

  /// All servers.
  package var all: [HTTPServer] { [origin, elsewhere, hashes, basicGate, digestGate] }

  @TaskLocal private static var running: Servers?

  /// The servers of the running suite.
  package static var shared: Servers { get throws { try #require(running) } }

  /// Starts them before a suite, and ends them after it.
  package struct Scope: SuiteTrait, TestScoping {
    /// Runs the suite between the two.
    package func provideScope(
      for test: Test, testCase: Test.Case?,
      performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
      try await Servers.$running.withValue(Servers()) { try await function() }
    }
  }
}

extension Trait where Self == Servers.Scope {
  /// Real servers on loopback, the same for all tests of the suite.
  package static var servers: Self { Self() }
}
