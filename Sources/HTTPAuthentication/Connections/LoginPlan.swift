import GSSAuthentication
import SecureMemory
import CredentialVault
import VaultModel

/// A login on a connection that is to be tried.
struct LoginPlan: Sendable {
  /// The responder, whose space the login is for.
  let responder: ChallengeResponder
  /// The challenge that is answered; nil for a login that is sent before one.
  let challenge: ChallengeResponder?
  /// The credential; without user and secret for the user's own tickets.
  let credential: Credential
  /// The pending credential to confirm or reject.
  let pending: PendingCredential?
  /// Whether the user's own tickets are used.
  let isTicket: Bool
  /// The server's name, if it is not the URL's host.
  let service: String?
  /// The persistence of the request's own credential once it is accepted.
  var kept = Persistence.none
  /// The data that bind a login which is sent before a challenge: those of the last one.
  var binding: [UInt8] = []

  init(
    _ responder: ChallengeResponder, challenge: ChallengeResponder?, _ credential: Credential,
    pending: PendingCredential? = nil, service: String? = nil
  ) {
    self.responder = responder
    self.challenge = challenge
    self.credential = credential
    self.pending = pending
    self.service = service
    isTicket = false
  }

  /// Creates a login with the user's own tickets.
  init(tickets responder: ChallengeResponder, challenge: ChallengeResponder?) {
    self.responder = responder
    self.challenge = challenge
    credential = Credential(user: "", secret: Secret(""), persistence: .none)
    (pending, service, isTicket) = (nil, nil, true)
  }

  var mechanism: Mechanism { responder.method == .ntlm ? .ntlm : .negotiate }

  /// The server's name for GSSAPI: `HTTP@host`, or the item's own.
  var serviceName: String {
    guard let service, !service.isEmpty else { return "HTTP@\(responder.space.host.name)" }
    return service.utf8.contains { "/@".utf8.contains($0) } ? service : "HTTP@\(service)"
  }

  /// The user as the mechanism reads it: `ann@REALM`, or `DOMAIN\ann` for NTLM.
  var userName: String {
    let (user, domain) = (credential.user, credential.accountDomain)
    guard !domain.isEmpty, !user.utf8.contains(where: { "@\\".utf8.contains($0) }) else {
      return user
    }
    return mechanism == .ntlm ? "\(domain)\\\(user)" : "\(user)@\(domain)"
  }
}

/// The rounds of a login so far.
struct LoginRounds: Sendable {
  let plan: LoginPlan
  let context: any LoginContinuing
  /// The data that bind it to the server's certificate.
  let binding: [UInt8]
  /// The connection on which the last token of the server came; nil before one came.
  var connection: ClientConnection?

  /// Returns whether a response came on another connection than the login is made on.
  func isLost(on other: ClientConnection?) -> Bool {
    connection.map { $0.number != other?.number } ?? false
  }

  /// Returns the field with a token of this side.
  func field(_ token: Secret) -> AuthorizationField {
    let encoded = Base64.encode(token)
    let scheme = plan.responder.method.scheme + " "
    let count = scheme.utf8.count
    // The secret's own memory is exactly as long as what is written.
    let value = unsafe Secret(count: count + encoded.count) { memory in
      unsafe memory.copyBytes(from: scheme.utf8)
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[count...])
      encoded.withRawBytes { bytes in
        unsafe bytes.withUnsafeBytes { unsafe rest.copyMemory(from: $0) }
      }
    }
    return AuthorizationField(isProxy: false, value: value)
  }
}

/// A login that goes on round by round.
package protocol LoginContinuing: Sendable {
  /// Whether this side needs no token any more.
  var isComplete: Bool { get }

  /// Takes the server's token, nil at first, and returns this side's next one.
  func step(_ token: [UInt8]?) throws(LoginFailure) -> Secret
}

extension LoginContext: LoginContinuing {}

/// Begins a login: its source, its mechanism, the server's name, and the data that bind it.
package typealias LoginStarter =
  @Sendable (LoginSource, Mechanism, String, [UInt8]) throws(LoginFailure) -> (
    user: String, login: any LoginContinuing
  )
