package import ProgramTesting
import SecureMemory
package import VaultModel

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
