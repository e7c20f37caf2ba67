import Foundation
import HTTPAuthentication
import HTTPChallenge
import SecureMemory
import VaultModel

/// Ready-made scripts of servers that require a login.
package enum ScriptedLogin {
  /// Returns the script of a server that accepts Basic, and answers `OK user` to a user with the
  /// right password.
  ///
  /// - Parameters:
  ///   - users: Passwords by user.
  ///   - realm: The realm of the passwords.
  ///   - next: The answer to a user with the right password; nil answers `OK user`.
  /// - Returns: The script.
  package static func basic(
    _ users: [String: String], realm: String = "Team",
    next: (@Sendable (ScriptedRequest, String) -> ScriptedResponse)? = nil
  ) -> ScriptedServer.Script {
    { request in
      guard let user = basicUser(of: request.authorization, users) else {
        return .challenge("Basic realm=\"\(realm)\"")
      }
      return next?(request, user) ?? .text("OK \(user)")
    }
  }

  /// Returns the script of a server that accepts Digest with SHA-256, and with `offersBasic` also
  /// Basic.
  ///
  /// - Parameters:
  ///   - users: Passwords by user.
  ///   - realm: The realm of the passwords.
  ///   - nonce: The nonce of every challenge.
  ///   - offersBasic: Whether a second field line offers Basic, which is then also accepted.
  ///   - next: The answer to a user with the right password; nil answers `OK user`.
  /// - Returns: The script.
  package static func digest(
    _ users: [String: String], realm: String = "Team", nonce: String = "a nonce",
    offersBasic: Bool = false,
    next: (@Sendable (ScriptedRequest, String) -> ScriptedResponse)? = nil
  ) -> ScriptedServer.Script {
    let digest = "Digest realm=\"\(realm)\", nonce=\"\(nonce)\", algorithm=SHA-256, qop=\"auth\""
    return { request in
      let user =
        digestUser(
          of: request.authorization, method: request.method, users, realm: realm, nonce: nonce)
        ?? (offersBasic ? basicUser(of: request.authorization, users) : nil)
      guard let user else {
        return offersBasic
          ? .challenge(digest, "Basic realm=\"\(realm)\"") : .challenge(digest)
      }
      return next?(request, user) ?? .text("OK \(user)")
    }
  }

  /// Returns the user whose password a Basic field has; nil if it is not such a field, or wrong.
  package static func basicUser(of field: String?, _ users: [String: String]) -> String? {
    users.first { user, password in
      field == "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    }?.key
  }

  /// Returns the user whose password a Digest field proves; nil if it is not such a field, or
  /// wrong.
  package static func digestUser(
    of field: String?, method: String, _ users: [String: String], realm: String, nonce: String
  ) -> String? {
    guard let field, field.hasPrefix("Digest "), parameter("nonce", of: field) == nonce,
      let count = UInt32(parameter("nc", of: field), radix: 16)
    else { return nil }
    return users.first { user, password in
      let credential = Credential(user: user, secret: Secret(password), persistence: .none)
      let expected = try? DigestResponse(
        to: DigestChallenge(realm: realm, nonce: nonce, algorithm: DigestAlgorithm(.sha256)),
        nonce: nonce,
        clientNonce: parameter("cnonce", of: field), count: count, credential: credential,
        method: method, uri: parameter("uri", of: field))
      return expected.map { $0.value.isEqual(to: Secret(field)) } ?? false
    }?.key
  }

  private static func parameter(_ name: String, of field: String) -> String {
    let parts = field.dropFirst("Digest ".count).split(separator: ",").map { $0.drop { $0 == " " } }
    let part = parts.first { $0.hasPrefix("\(name)=") } ?? ""
    return part.dropFirst(name.count + 1).filter { $0 != "\"" }
  }
}
