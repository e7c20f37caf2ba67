import CredentialVault
import GSSAuthentication
import HTTPChallenge
import SecureMemory
import VaultModel

/// Logins on a connection, round by round.
extension ChallengeSide {
  /// The limit on logins that are begun again because their connection was closed between two
  /// rounds.
  private static let mostLostLogins = 2

  // MARK: Planning

  /// Has the next request begin a login.
  mutating func plan(_ plan: LoginPlan) { phase = .planned(plan) }

  /// Has the credential that is tried next stored as it asks, once it is accepted.
  mutating func keep(_ persistence: Persistence) {
    guard case .planned(var plan) = phase else {
      attempt?.kept = persistence
      return
    }
    plan.kept = persistence
    phase = .planned(plan)
  }

  /// Plans a login with the user's own tickets, once, unless the request is for a certain user.
  mutating func takeTickets(for responder: ChallengeResponder) -> Bool {
    guard responder.method == .negotiate, !hasTriedTickets, meantUser == nil else { return false }
    hasTriedTickets = true
    plan(LoginPlan(tickets: responder, challenge: responder))
    return true
  }

  /// Plans what an earlier success says: Negotiate with a new token, and NTLM on the connection
  /// that is kept for it, if any.
  mutating func planKnown(_ entry: KnownSuccesses.Entry) throws(VaultError) {
    let responder = entry.responder
    guard request.tellsConnectionsApart, switches.allows(responder.method),
      authenticator.expects(responder.space)
    else { return }
    permission = try readPermission()
    guard isPermitted(responder), isAllowed(responder),
      var plan = try knownPlan(entry)
    else { return }
    plan.binding = entry.binding
    if responder.method == .ntlm {
      owner = authenticator.owner(plan, user: plan.userName)
      keepsConnection = true
    } else {
      phase = .planned(plan)
    }
  }

  private func knownPlan(_ entry: KnownSuccesses.Entry) throws(VaultError) -> LoginPlan? {
    if let own = own.first(where: { $0.user.hasSameBytes(as: entry.user) }) {
      guard switches.granted(own).persistence == .none, maySend(own, to: entry.responder) else {
        return nil
      }
      return LoginPlan(entry.responder, challenge: nil, own)
    }
    if let stored = try storedCandidates(of: entry).found.first(of: entry.user) {
      guard maySend(stored, to: entry.responder) else { return nil }
      return LoginPlan(
        entry.responder, challenge: nil, stored.credential, pending: stored.pending,
        service: stored.item.serviceName)
    }
    guard entry.user.isEmpty, entry.responder.method == .negotiate else { return nil }
    return LoginPlan(tickets: entry.responder, challenge: nil)
  }

  // MARK: Beginning

  /// Whether the next request has the first message of NTLM, which some servers take on a
  /// connection of nobody alone.
  var needsNewConnection: Bool {
    guard let rounds = attempt?.rounds else { return false }
    return rounds.plan.mechanism == .ntlm && rounds.connection == nil
  }

  /// Makes the token of a planned login, or the next token of one that goes on.
  ///
  /// - Returns: Whether there is one to send; if not, another credential is tried.
  mutating func begin() async throws(VaultError) -> Bool {
    switch phase {
    case .planned(let plan): try await begin(plan)
    case .continuing(let attempt, let token): try await proceed(attempt, token)
    case .open, .attempting, .fetchingNonce: false
    }
  }

  /// Returns whether there is a field to send, for which a planned login is begun.
  mutating func isReady() async throws(VaultError) -> Bool {
    guard case .planned = phase else { return true }
    return try await begin()
  }

  private mutating func begin(_ plan: LoginPlan) async throws(VaultError) -> Bool {
    phase = .open
    // One that was to be sent before the challenge, which is here now.
    guard plan.challenge != nil || connection == nil else { return false }
    let binding = connection?.binding ?? plan.binding
    let authenticator = authenticator
    do throws(LoginFailure) {
      let (user, context, token) = try await LoginThread.run {
        () throws(LoginFailure) -> (String, any LoginContinuing, Secret) in
        let (user, context) = try authenticator.begin(plan, binding)
        return (user, context, try context.step(nil))
      }
      let rounds = LoginRounds(plan: plan, context: context, binding: binding, connection: nil)
      attempt = Attempt(rounds, rounds.field(token))
      owner = authenticator.owner(plan, user: user)
      keepsConnection = false
      problem = nil
      return true
    } catch {
      try fail(plan, error.problem)
      return false
    }
  }

  private mutating func proceed(
    _ attempt: Attempt, _ token: [UInt8]
  ) async throws(VaultError) -> Bool {
    phase = .open
    guard var rounds = attempt.rounds else { return false }
    let context = rounds.context
    do throws(LoginFailure) {
      let next = try await LoginThread.run { () throws(LoginFailure) in try context.step(token) }
      rounds.connection = connection
      self.attempt = attempt.continued(rounds, rounds.field(next))
      return true
    } catch {
      try fail(rounds.plan, error.problem)
      return false
    }
  }

  /// Records that a login has failed before a server has judged it.
  private mutating func fail(_ plan: LoginPlan, _ problem: MechanismProblem) throws(VaultError) {
    // Nothing that nobody has asked for is missed.
    guard plan.challenge != nil else { return }
    guard !plan.isTicket else {
      // A fault of the vault's credential says more than that there is no ticket.
      self.problem = self.problem ?? problem
      return
    }
    self.problem = problem
    switch problem {
    case .wrongPassword, .unknownUser, .expiredPassword, .revokedUser:
      try authenticator.drop(plan.pending)
      skipRefused(plan.credential, for: plan.responder)
    default:
      try authenticator.drop(plan.pending)
      skip(plan.credential, for: plan.responder)
      if problem.isOfThisMachine { missing.insert(plan.responder.method) }
    }
  }

  // MARK: Judging

  /// Judges a login by a response; returns nil if the exchange goes on.
  ///
  /// A token in a response that is no challenge is the server's proof: with a wrong one, the
  /// response is not the server's.
  mutating func judge(
    _ rounds: LoginRounds, of attempt: Attempt, _ response: ResponseHead
  ) throws(VaultError) -> Outcome.Reason? {
    let challenge = response.connectionChallenge(of: attempt.responder.method)
    switch response.status {
    case 401:
      try judge(rounds, of: attempt, challengedBy: challenge)
      return nil
    case 403:
      keepsConnection = true
      return .refused
    case 200..<400, 404:
      guard try isProven(rounds, by: challenge) else {
        try authenticator.drop(attempt.pending)
        return .unproven
      }
      keepsConnection = true
      accept(attempt)
      return nil
    default: return nil
    }
  }

  private mutating func judge(
    _ rounds: LoginRounds, of attempt: Attempt, challengedBy challenge: ConnectionChallenge?
  ) throws(VaultError) {
    keepsConnection = false
    guard let challenge else { return leaveUndecided(attempt.credential) }
    if let token = challenge.bytes, !rounds.context.isComplete, !rounds.isLost(on: connection) {
      phase = .continuing(attempt, token: token)
      return
    }
    let plan = rounds.plan
    authenticator.logins.forget(plan.credential.secret)
    guard plan.challenge != nil else {
      // It was sent unasked, perhaps with a ticket for another key of the server.
      forget(attempt)
      phase = .open
      return
    }
    if rounds.isLost(on: connection), lostLogins < Self.mostLostLogins {
      lostLogins += 1
      phase = .planned(plan)
      return
    }
    guard !plan.isTicket else {
      forget(attempt)
      phase = .open
      hasRefusedTickets = true
      return
    }
    try reject(attempt)
  }

  /// Returns whether a server has not failed to prove who it is.
  private func isProven(
    _ rounds: LoginRounds, by challenge: ConnectionChallenge?
  ) throws(VaultError) -> Bool {
    guard rounds.plan.mechanism == .negotiate else { return true }
    guard let token = challenge?.bytes else {
      return rounds.context.isComplete || !authenticator.settings.requiresProof
    }
    do throws(LoginFailure) {
      _ = try rounds.context.step(token)
      return rounds.context.isComplete
    } catch {
      return false
    }
  }
}

extension Authenticator {
  /// Begins a planned login; blocks while a KDC is asked.
  func begin(
    _ plan: LoginPlan, _ binding: [UInt8]
  ) throws(LoginFailure) -> (user: String, login: any LoginContinuing) {
    let source: LoginSource =
      if plan.isTicket {
        .tickets
      } else if plan.credential.kind == .keytab {
        .keytab(user: plan.userName, plan.credential.secret)
      } else {
        .password(user: plan.userName, plan.credential.secret)
      }
    guard let begin = settings.beginLogin else {
      return try logins.begin(source, plan.mechanism, plan.serviceName, binding)
    }
    return try begin(source, plan.mechanism, plan.serviceName, binding)
  }

  /// Returns the login that a connection is kept for.
  func owner(_ plan: LoginPlan, user: String) -> ConnectionOwner {
    ConnectionOwner(
      plan.responder.space, user: user,
      plan.isTicket ? nil : hasher.hash(of: plan.credential.secret))
  }
}

extension ResponseHead {
  /// Returns the challenge of a scheme that logs in on connections; nil if there is none.
  fileprivate func connectionChallenge(of method: AuthenticationMethod) -> ConnectionChallenge? {
    for case .connection(let challenge) in ChallengeList(values(of: "WWW-Authenticate")).challenges
    where challenge.method == method {
      return challenge
    }
    return nil
  }
}

extension ConnectionChallenge {
  /// The server's token; nil if it has none.
  fileprivate var bytes: [UInt8]? {
    guard !token.isEmpty, let decoded = Base64.bytes(of: Secret(token), isCanonical: false) else {
      return nil
    }
    return decoded.withBytes { bytes in bytes.indices.map { bytes[$0] } }
  }
}

extension Item {
  /// The server's name for Kerberos and NTLM, if it is not that of the URL; empty for the URL's.
  var serviceName: String { custom["service-name"] ?? "" }
}
