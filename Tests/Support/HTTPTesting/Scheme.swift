import Foundation
package import ProgramTesting
package import VaultModel

/// A challenge that a real server makes, and the user who answers it.
package struct Scheme: Sendable, CustomStringConvertible {
  /// The server's folder.
  package let path: String
  package let method: AuthenticationMethod
  package let realm: String
  package var user = "ann"
  package var server: any KeyPath<Servers, HTTPServer> & Sendable = \.origin
  /// Debian's curl computes SHA-512-256 wrongly.
  package var hasReference = true

  package var description: String { "/\(path)/ for \(user)" }
  /// The scheme's name in the logs.
  package var name: String { method == .basic ? "Basic" : "Digest" }

  /// Returns one of the kinds of Digest that the origin knows.
  package static func digest(_ path: String) -> Scheme {
    Scheme(path: path, method: .digest, realm: "Team Digest")
  }

  /// Returns the server's log of pages one after the other, of which only the first is challenged.
  package func log(pages: Int = 1) -> [String] {
    ["- GET /\(path)/1 401 - -"] + (1...pages).map { "\(user) GET /\(path)/\($0) 200 \(name) -" }
  }

  /// Returns the one item that a client of these servers has after that.
  package func items(of servers: Servers) -> [String] {
    ["http \(servers[keyPath: server].folder.lastPathComponent) \(realm) \(method) \(user)"]
  }

  /// Each challenge that the servers know.
  package static let all = [
    Scheme(path: "basic", method: .basic, realm: "Team Files"),
    Scheme(path: "basic", method: .basic, realm: "Team Files", user: "eve"),
    .digest("digest"),
    Scheme(path: "digest", method: .digest, realm: "Team Digest", user: "eve"),
    .digest("nextnonce"),
    .digest("once"),
    .digest("counted"),
    .digest("either"),
    Scheme(path: "sha256", method: .digest, realm: "Team SHA-256", server: \.hashes),
    Scheme(
      path: "sha512256", method: .digest, realm: "Team SHA-512-256", server: \.hashes,
      hasReference: false),
    Scheme(path: "userhash", method: .digest, realm: "Team Userhash", server: \.hashes),
  ]
}
