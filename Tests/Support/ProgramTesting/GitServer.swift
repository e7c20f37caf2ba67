import Foundation

/// A real Apache that serves bare Git repositories behind Basic, realm "Team Git".
package final class GitServer: Sendable {
  package enum Failure: Error { case noRepository }

  private let server: HTTPServer

  package var port: Int { server.port }

  /// Starts a server in the sandbox; it ends with this object, or with the test process.
  package init(
    in sandbox: Sandbox, users: [String: String], repositories: [String] = ["team"]
  ) throws {
    for name in repositories {
      let path = sandbox.folder.appending(path: "server/repos/\(name).git").path
      guard try sandbox.run("git", "init", "-q", "--bare", "-b", "main", path).status == 0 else {
        throw Failure.noRepository
      }
    }
    server = try HTTPServer("git-basic", in: sandbox, users: users)
  }

  /// Returns the URL of a repository, for a user if one is named.
  package func url(user: String? = nil, _ repository: String = "team") -> String {
    "http://\(user.map { "\($0)@" } ?? "")127.0.0.1:\(port)/git/\(repository).git"
  }

  /// Returns the requests so far: "user method path status" a line, "-" for nobody.
  package func requests() throws -> [String] { try server.requests() }
}
