import Foundation
package import ProgramTesting
import SecureMemory
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

/// A proxy that challenges, in front of a server that challenges.
package struct Way: Sendable, CustomStringConvertible {
  package let proxyMethod: AuthenticationMethod
  package let method: AuthenticationMethod

  package var description: String { "\(proxyMethod) in front of \(method)" }
  /// The server's folder, which is named after its scheme.
  package var path: String { method.rawValue }
  package var realm: String { method == .basic ? "Team Files" : "Team Digest" }
  /// The names of the schemes in the logs.
  package var proxyName: String { proxyMethod == .basic ? "Basic" : "Digest" }
  package var name: String { method == .basic ? "Basic" : "Digest" }

  package static let all = [AuthenticationMethod.basic, .digest].flatMap { proxyMethod in
    [.basic, .digest].map { Way(proxyMethod: proxyMethod, method: $0) }
  }

  package func gate(of servers: Servers) -> HTTPServer {
    proxyMethod == .basic ? servers.basicGate : servers.digestGate
  }

  /// Returns the logins for curl's own authentication.
  package func logins() -> (server: CurlRequest.Login, proxy: CurlRequest.Login) {
    func login(
      _ user: String, _ password: String, _ method: AuthenticationMethod
    ) -> CurlRequest.Login {
      let credential = Credential(user: user, secret: Secret(password), persistence: .none)
      return CurlRequest.Login(credential, method: method)
    }
    return (login("ann", "correct horse", method), login("pat", "way out", proxyMethod))
  }
}
