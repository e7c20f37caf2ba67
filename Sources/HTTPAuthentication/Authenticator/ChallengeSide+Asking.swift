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
}

/// The queue's reply: an answer of the prompt, or that another request's answer is in the vault
/// now.
private enum Reply: Sendable {
  case found
  case answered(Answer, PendingCredential?)
}

/// The key by which questions are equal: the prompt, the space, and the bytes of the account.
private struct QuestionKey: Hashable {
  let authenticator: ObjectIdentifier
  let space: ProtectionSpace
  let account: [UInt8]?
}

/// Prompting for credentials.
extension ChallengeSide {
  /// The limit on prompts, so that a program that answers them cannot go on forever.
  private static let mostQuestions = 10

  /// Prompts for a credential of the strongest scheme that is left.
  mutating func ask(_ authentication: Authentication) async throws(VaultError) -> Asking {
    questions += 1
    guard questions <= Self.mostQuestions else { return .end(.rejected) }
    let choices = try await unlocked { (side) throws(VaultError) in
      try side.choices(for: authentication)
    }
    let question = Question(
      space: authentication.space, url: request.url.withoutUserInfo,
      requiresAccountDomain: authentication.requiresAccountDomain, account: account,
      failedUser: failedUser, failures: failures, storedUsers: choices.users)
    switch try await reply(to: question, authentication) {
    case .found: return .again
    case .answered(let answer, let pending):
      return try await authenticator.vault.waiting(changing: &self) { (side) throws(VaultError) in
        try side.take(answer, pending, authentication, choices)
      }
    }
  }

  private func reply(
    to question: Question, _ authentication: Authentication
  ) async throws(VaultError) -> Reply {
    let side = self
    let authenticator = authenticator
    let key = QuestionKey(
      authenticator: ObjectIdentifier(authenticator), space: question.space,
      account: question.account.map { Array($0.utf8) })
    return try await authenticator.line.reply(to: key, within: authenticator.answerLimit) {
      () async throws(VaultError) in
      // Another request may have prompted while this one waited in the queue.
      try await authenticator.vault.waiting { () throws(VaultError) -> Reply? in
        try authenticator.settled { () throws(VaultError) in
          try side.choices(for: authentication).chosen == nil ? nil : .found
        }
      }
    } ask: { () async throws(VaultError) in
      let answer = await authenticator.prompt.answer(question)
      // No request waits for the answer any more.
      guard !Task.isCancelled else { throw VaultError(.interrupted, "the question was withdrawn") }
      switch answer {
      case .use(let credential):
        let pending = try await authenticator.vault.hold(
          credential, for: question.space, at: side.requestPath)
        return PromptQueue.Asked(reply: .answered(answer, pending))
      case .cancel(let cancellation):
        return PromptQueue.Asked(reply: .answered(answer, nil), cancels: cancellation)
      case .useStored, .goOnWithout, .declineScheme:
        return PromptQueue.Asked(reply: .answered(answer, nil))
      }
    }
  }

  private mutating func take(
    _ answer: Answer, _ pending: PendingCredential?, _ authentication: Authentication,
    _ choices: Choices
  ) throws(VaultError) -> Asking {
    switch answer {
    case .use(let credential):
      let isNew = !wasRejected(credential, by: authentication.space)
      if isNew, try take(credential, pending, for: authentication) { return .attempt }
      // The answer is not sent, so the next request must not find it.
      try authenticator.drop(pending)
      // A repeated answer would be rejected again; one that the scheme cannot carry is prompted for
      // again.
      return isNew ? .again : .end(.rejected)
    case .useStored(let user):
      chosenUser = user
      return .again
    case .declineScheme:
      declined.insert(authentication.method)
      return .again
    case .goOnWithout:
      return .end(try reasonForNothing(authentication, choices))
    case .cancel: return .end(.cancelled)
    }
  }

  /// Returns the reason why there is nothing to send after the prompt gave nothing.
  private func reasonForNothing(
    _ authentication: Authentication, _ choices: Choices
  ) throws(VaultError) -> Outcome.Reason {
    if failures > 0 { return .rejected }
    if choices.users.count > 1 { return .ambiguous(users: choices.users) }
    let now = authenticator.vault.time.now()
    for space in try authentication.space.andWithoutRealm {
      let stored = try authenticator.vault.findAll(ItemQuery(space, at: requestPath))
      if stored.contains(where: { $0.isExpired(at: now) && meantUser.means($0.account) }) {
        return .expired
      }
    }
    return .noCredential
  }

  /// Returns the reason for an error of waiting for an answer; nil for every other error.
  func reason(for error: VaultError) -> Outcome.Reason? {
    switch error.code {
    case .unavailable: .unanswered
    // Another request's answer cancelled all requests.
    case .interrupted where !Task.isCancelled: .cancelled
    default: nil
    }
  }
}
