import GSSAuthentication
import HTTPAuthentication
import SecureMemory
import VaultModel

/// Logins on connections whose tokens are texts: `USER-1`, then `USER-2`.
struct ScriptedLogins: Sendable {
  /// The source, mechanism, server's name and binding of each login.
  let begun = Lock<[String]>([])
  /// The problem of each login by its source; none for those that begin.
  let problems: [String: MechanismProblem]

  init(_ problems: [String: MechanismProblem] = [:]) {
    self.problems = problems
  }

  var starter: LoginStarter {
    { source, mechanism, service, binding throws(LoginFailure) in
      let name =
        switch source {
        case .tickets: "tickets"
        case .password(let user, _): user
        case .keytab(let user, _): "keytab of \(user)"
        }
      begun.withLock { $0.append("\(name) \(mechanism) \(service) \(binding)") }
      if let problem = problems[name] ?? problems["\(mechanism)"] { throw LoginFailure(problem) }
      return (name, ScriptedLogin(name, rounds: mechanism == .ntlm ? 2 : 1))
    }
  }
}

/// A login that sends a token in each of its rounds, and takes a proof that is `proof`.
private struct ScriptedLogin: LoginContinuing {
  private let name: String
  private let rounds: Int
  private let state = Lock(0)

  init(_ name: String, rounds: Int) {
    self.name = name
    self.rounds = rounds
  }

  var isComplete: Bool { state.withLock { $0 >= (rounds == 1 ? 2 : rounds) } }

  func step(_ token: [UInt8]?) throws(LoginFailure) -> Secret {
    let round = state.withLock { state in
      state += 1
      return state
    }
    if rounds == 1, round == 2, token != Array("proof".utf8) { throw LoginFailure(.failed) }
    return Secret("\(name)-\(round)")
  }
}

/// A server in memory that accepts logins on connections, Digest and Basic of `ann`.
final class LoginServer: Sendable {
  private let offers: [AuthenticationMethod]
  private let proof: String
  /// The number of the first logins by Negotiate that it refuses, with a token that says why.
  let refused = Lock(0)
  /// The fields that it got, decoded if they are of logins.
  let log = Lock<[String]>([])

  init(_ offers: [AuthenticationMethod], proof: String = "proof") {
    self.offers = offers
    self.proof = proof
  }

  /// Answers a request on a connection.
  func answer(_ request: RequestHead, _ fields: [AuthorizationField]) -> ResponseHead {
    let value = fields.first.map(Self.text)
    log.withLock { $0.append(value ?? "-") }
    func challenge(_ ntlm: String = "NTLM") -> ResponseHead {
      let challenges = offers.map { method in
        switch method {
        case .negotiate: "Negotiate"
        case .ntlm: ntlm
        case .digest: "Digest realm=\"Team\", nonce=\"n\", qop=\"auth\""
        default: "Basic realm=\"Team\""
        }
      }
      return ResponseHead(status: 401, fields: challenges.map { .init("WWW-Authenticate", $0) })
    }
    switch value {
    case let value? where value.hasPrefix("Negotiate ") && isRefused():
      return ResponseHead(
        status: 401,
        fields: [.init("WWW-Authenticate", "Negotiate \(Base64.encode(Array("why".utf8)))")])
    case let value? where value.hasPrefix("Negotiate "):
      let proof = Base64.encode(Array(proof.utf8))
      return ResponseHead(
        status: 200, fields: proof.isEmpty ? [] : [.init("WWW-Authenticate", "Negotiate \(proof)")])
    case let value? where value.hasPrefix("NTLM ") && value.hasSuffix("-1"):
      return challenge("NTLM \(Base64.encode(Array("two".utf8)))")
    case nil: return challenge()
    default: return ResponseHead(status: 200, fields: [])
    }
  }

  private func isRefused() -> Bool {
    refused.withLock { count in
      defer { count = max(0, count - 1) }
      return count > 0
    }
  }

  private static func text(_ field: AuthorizationField) -> String {
    let value = field.value.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    let words = value.split(separator: " ")
    guard ["Negotiate", "NTLM"].contains(words[0]), words.count == 2,
      let token = Base64.bytes(of: Secret(String(words[1])))
    else { return String(words[0]) }
    let text = token.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    return "\(words[0]) \(text)"
  }
}

extension Authenticator {
  /// Sends a GET to a server in memory, each time on a connection that a function numbers, with the
  /// data that bind logins to its certificate.
  func get(
    _ url: String, from server: LoginServer, boundBy binding: [UInt8] = [],
    on connection: (Int) -> UInt64? = { _ in 1 }
  ) async throws -> (reason: Outcome.Reason, logins: [ConnectionOwner?], keeps: Bool) {
    var request = RequestHead(url: try RequestURL(url))
    request.tellsConnectionsApart = connection(0) != nil
    var exchange = try await exchange(for: request)
    var logins = [exchange.owner]
    var fields = exchange.fields
    var round = 0
    while true {
      let response = server.answer(request, fields)
      let number = connection(round)
      round += 1
      switch try await exchange.next(
        after: response, on: number.map { ClientConnection(number: $0, binding: binding) })
      {
      case .send(let next): fields = next
      case .finish(let outcome): return (outcome.reason, logins, exchange.keepsConnection)
      }
      logins.append(exchange.owner)
    }
  }
}
