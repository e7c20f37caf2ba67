import CredentialVault
import VaultModel

/// The result of a prompt.
enum Asking: Sendable {
  /// There is an attempt to send.
  case attempt
  /// The answer changed the lookup, which is repeated.
  case again
  /// The exchange ends.
  case end(Outcome.Reason)
  /// A closure of the user threw this error, which the exchange throws.
  case failed(any Error)
}

/// The queue's reply: an answer of the prompt, or that another request's answer is in the vault
/// now.
private enum Reply: Sendable {
  case found
  case answered(Answer, PendingCredential?)
}

/// The key by which questions are equal: the prompt, the space, and the bytes of the user.
private struct QuestionKey: Hashable {
  let authenticator: ObjectIdentifier
  /// Whether it is asked before the vault.
  let isFirst: Bool
  /// Whether a blocking caller is asked instead of the authenticator's prompt.
  let asksCaller: Bool
  /// The persistences granted to an answer that asks for permanent storage, and to one for the
  /// session.
  let granted: [Persistence]
  let space: ProtectionSpace
  let user: [UInt8]?
}

/// Prompting for credentials.
extension ChallengeSide {
  /// The limit on prompts, so that a program that answers them cannot go on forever.
  private static let mostQuestions = 10

  /// Whether there is a prompt to ask before the vault.
  var comesBeforeVault: Bool {
    authenticator.settings.promptBeforeVault != nil && switches.mayPrompt && !hasAskedBeforeVault
  }

  /// Asks the prompt that comes before the vault, which may stay locked for it.
  mutating func askBeforeVault(
    _ responder: ChallengeResponder
  ) async throws(VaultError) -> Asking {
    try await ask(
      authenticator.settings.promptBeforeVault, responder, Choices(meant: meantUser, preferred: []))
  }

  /// Prompts for a credential of the strongest scheme that is left.
  mutating func ask(_ responder: ChallengeResponder) async throws(VaultError) -> Asking {
    let choices = try await unlocked { (side) throws(VaultError) in
      try side.choices(for: responder)
    }
    guard switches.mayPrompt else { return .end(try reasonForNothing(responder, choices)) }
    if choices.users.isEmpty, try await takeSealed(for: responder) { return .attempt }
    return try await ask(nil, responder, choices)
  }

  private mutating func ask(
    _ first: (any CredentialPrompt)?, _ responder: ChallengeResponder, _ choices: Choices
  ) async throws(VaultError) -> Asking {
    questions += 1
    guard questions <= Self.mostQuestions else { return .end(.rejected) }
    let question = Question(
      space: responder.space, url: request.url.withoutUserInfo,
      requiresAccountDomain: responder.requiresAccountDomain, user: user,
      failedUser: failedUser, failures: failures, storedUsers: choices.users)
    switch try await reply(to: question, responder, first) {
    case .found: return .again
    case .answered(.goOnWithout, _) where first != nil:
      hasAskedBeforeVault = true
      return .again
    case .answered(.use(var credential), _) where first != nil:
      if responder.requiresToken { credential.kind = .token }
      guard !wasRejected(credential, by: responder.space) else { return .end(.rejected) }
      // Without a hold on the vault: it is stored once it is accepted.
      return try take(own: credential, for: responder) ? .attempt : .again
    case .answered(let answer, let pending):
      return try await authenticator.vault.waiting(changing: &self) { (side) throws(VaultError) in
        try side.take(answer, pending: pending, for: responder, among: choices)
      }
    }
  }

  private func reply(
    to question: Question, _ responder: ChallengeResponder, _ first: (any CredentialPrompt)?
  ) async throws(VaultError) -> Reply {
    let side = self
    let authenticator = authenticator
    let key = QuestionKey(
      authenticator: ObjectIdentifier(authenticator), isFirst: first != nil,
      asksCaller: prompt != nil && first == nil,
      granted: [switches.granted(.permanent), switches.granted(.session)], space: question.space,
      user: question.user.map { Array($0.utf8) })
    return try await authenticator.settings.queue.reply(
      to: key, within: authenticator.settings.answerLimit
    ) {
      () async throws(VaultError) in
      guard first == nil else { return nil }
      // Another request may have prompted while this one waited in the queue.
      return try await authenticator.vault.waiting { () throws(VaultError) -> Reply? in
        try authenticator.settled { () throws(VaultError) in
          try side.choices(for: responder).chosen == nil ? nil : .found
        }
      }
    } ask: { () async throws(VaultError) in
      let answer = await (first ?? side.prompt ?? authenticator.prompt).answer(question)
      // No request waits for the answer any more.
      guard !Task.isCancelled else { throw VaultError(.interrupted, "the question was withdrawn") }
      switch answer {
      case .use(let credential) where first == nil:
        let pending = try await authenticator.vault.hold(
          side.switches.granted(credential), for: question.space, at: side.requestPath)
        return PromptQueue.Asked(reply: .answered(answer, pending))
      case .cancel(let cancellation):
        return PromptQueue.Asked(reply: .answered(answer, nil), cancels: cancellation)
      case .use, .useStored, .goOnWithout, .declineScheme:
        return PromptQueue.Asked(reply: .answered(answer, nil))
      }
    }
  }

  private mutating func take(
    _ answer: Answer, pending: PendingCredential?, for responder: ChallengeResponder,
    among choices: Choices
  ) throws(VaultError) -> Asking {
    switch answer {
    case .use(var credential):
      if responder.requiresToken { credential.kind = .token }
      let isNew = !wasRejected(credential, by: responder.space)
      if isNew, try take(credential, pending, for: responder) {
        return .attempt
      }
      // The answer is not sent, so the next request must not find it.
      try authenticator.drop(pending)
      // A repeated answer would be rejected again; one that the scheme cannot carry is prompted for
      // again.
      return isNew ? .again : .end(.rejected)
    case .useStored(let user):
      chosenUser = user
      // A person who named a stored user is not asked again before the lookup.
      hasAskedBeforeVault = true
      return .again
    case .declineScheme:
      declined.insert(responder.method)
      return .again
    case .goOnWithout:
      return .end(try reasonForNothing(responder, choices))
    case .cancel: return .end(.cancelled)
    }
  }

  /// Returns the reason why there is nothing to send after the prompt gave nothing.
  private func reasonForNothing(
    _ responder: ChallengeResponder, _ choices: Choices
  ) throws(VaultError) -> Outcome.Reason {
    if let problem { return .mechanismFailed(problem) }
    if failures > 0 || hasRefusedTickets { return reasonForRejection }
    if choices.users.count > 1 { return .ambiguous(users: choices.users) }
    if try withholds(from: responder) { return .downgraded }
    let now = authenticator.vault.time.now()
    for space in try responder.space.andWithoutRealm {
      let stored = try authenticator.vaults.findAll(ItemQuery(space, at: requestPath)).map(\.item)
      if stored.contains(where: { $0.isExpired(at: now) && meantUser.means($0.account) }) {
        return .expired
      }
    }
    return .noCredential
  }

  /// Returns the reason for an error of waiting for an answer; throws every other error.
  func reasonToEnd(_ error: VaultError) throws(VaultError) -> Outcome.Reason {
    switch error.code {
    case .unavailable: return .unanswered
    // Another request's answer cancelled all requests.
    case .interrupted where !Task.isCancelled: return .cancelled
    default: throw error
    }
  }
}
