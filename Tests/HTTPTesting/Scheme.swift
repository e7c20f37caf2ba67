package import ProgramTesting
package import VaultModel

/// A challenge that a real server makes, and who answers it.
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
  /// As the logs write the scheme.
  package var name: String { method == .basic ? "Basic" : "Digest" }

  /// Each challenge that the servers know.
  package static let all = [
    Scheme(path: "basic", method: .basic, realm: "Team Files"),
    Scheme(path: "basic", method: .basic, realm: "Team Files", user: "eve"),
    Scheme(path: "digest", method: .digest, realm: "Team Digest"),
    Scheme(path: "digest", method: .digest, realm: "Team Digest", user: "eve"),
    Scheme(path: "nextnonce", method: .digest, realm: "Team Digest"),
    Scheme(path: "once", method: .digest, realm: "Team Digest"),
    Scheme(path: "counted", method: .digest, realm: "Team Digest"),
    Scheme(path: "either", method: .digest, realm: "Team Digest"),
    Scheme(path: "sha256", method: .digest, realm: "Team SHA-256", server: \.hashes),
    Scheme(
      path: "sha512256", method: .digest, realm: "Team SHA-512-256", server: \.hashes,
      hasReference: false),
    Scheme(path: "userhash", method: .digest, realm: "Team Userhash", server: \.hashes),
  ]
}
