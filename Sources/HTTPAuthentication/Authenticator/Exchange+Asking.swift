import CredentialVault
import VaultModel

/// What comes of asking.
enum Asking: Sendable {
  /// There is something to send.
  case attempt
  /// The answer changed what is looked for.
  case again
  /// The exchange ends.
  case end(Outcome.Reason)
}

/// What came back from the line: somebody's answer, or what another's answer had put into the vault meanwhile.
private enum Reply: Sendable {
  case found
  case answered(Answer, PendingCredential?)
}

/// What makes two questions one.
private struct QuestionKey: Hashable {
  let vault: ObjectIdentifier
  let space: ProtectionSpace
  let account: String?
}

private struct UnlockKey: Hashable {
  let vault: ObjectIdentifier
}

/// Asking people.
extension Exchange {
  /// No program that answers in a person's place goes on for ever.
  private static let mostQuestions = 10
  /// How many wrong keys a vault may be tried with.
  private static let mostKeys = 3

  /// Asks for a credential of the strongest scheme that is left.
  mutating func ask(
    _ authentication: Authentication, _ index: Int
  ) async throws(VaultError) -> Asking {
    legs[index].questions += 1
    guard legs[index].questions <= Self.mostQuestions else { return .end(.rejected) }
    let choices = try await unlocked { (exchange) throws(VaultError) in
      try exchange.choices(for: authentication, index)
    }
    let reply: Reply
    do throws(VaultError) {
      reply = try await self.reply(
        to: question(authentication, choices, index), authentication, choices, index)
    } catch {
      switch error.code {
      case .unavailable: return .end(.unanswered)
      // Another request's answer cancelled them all.
      case .interrupted where !Task.isCancelled: return .end(.cancelled)
      default: throw error
      }
    }
    switch reply {
    case .found: return .again
    case .answered(let answer, let pending):
      return try take(answer, pending, authentication, choices, index)
    }
  }

  private func question(
    _ authentication: Authentication, _ choices: Choices, _ index: Int
  ) -> Question {
    Question(
      space: authentication.space, url: request.url,
      requiresAccountDomain: authentication.requiresAccountDomain, account: legs[index].account,
      failedUser: legs[index].failedUser, failures: legs[index].failures,
      storedUsers: choices.users)
  }

  private func reply(
    to question: Question, _ authentication: Authentication, _ choices: Choices, _ index: Int
  ) async throws(VaultError) -> Reply {
    let exchange = self
    let asker = authenticator.asker
    let vault = authenticator.vault
    return try await authenticator.line.reply(
      to: QuestionKey(
        vault: ObjectIdentifier(vault), space: question.space, account: question.account),
      within: authenticator.answerLimit
    ) { () throws(VaultError) in
      // Somebody else may have been asked while this one stood in line.
      try exchange.choices(for: authentication, index).chosen == nil ? nil : .found
    } ask: { () async throws(VaultError) in
      let answer = await asker.answer(question)
      // Nobody waits for it any more.
      guard !Task.isCancelled else { throw VaultError(.interrupted, "the question was withdrawn") }
      switch answer {
      case .use(let credential):
        let pending = try vault.hold(credential, for: question.space)
        return AskerLine.Asked(reply: .answered(answer, pending), cancels: nil)
      case .cancel(let cancellation):
        return AskerLine.Asked(reply: .answered(answer, nil), cancels: cancellation)
      case .useStored, .goOnWithout, .declineScheme:
        return AskerLine.Asked(reply: .answered(answer, nil), cancels: nil)
      }
    }
  }

  private mutating func take(
    _ answer: Answer, _ pending: PendingCredential?, _ authentication: Authentication,
    _ choices: Choices, _ index: Int
  ) throws(VaultError) -> Asking {
    switch answer {
    case .use(let credential):
      let isNew = !legs[index].wasRefused(credential, by: authentication.space)
      if isNew, take(credential, pending, for: authentication, index) { return .attempt }
      // It is not sent, and must not be found by the next request.
      try authenticator.drop(pending)
      // The same as before would be refused as before; what the scheme cannot carry is asked for anew.
      return isNew ? .again : .end(.rejected)
    case .useStored(let user):
      legs[index].chosenUser = user
      return .again
    case .declineScheme:
      legs[index].declined.insert(authentication.method)
      return .again
    case .goOnWithout:
      return .end(try reasonForNothing(authentication, choices, legs[index]))
    case .cancel: return .end(.cancelled)
    }
  }

  /// Why there is nothing to send where nobody gave anything.
  private func reasonForNothing(
    _ authentication: Authentication, _ choices: Choices, _ leg: Leg
  ) throws(VaultError) -> Outcome.Reason {
    if leg.failures > 0 { return .rejected }
    if choices.users.count > 1 { return .ambiguous(users: choices.users) }
    for space in try authentication.space.andWithoutRealm {
      let stored = try authenticator.vault.findAll(ItemQuery(space))
      let isMeant = stored.contains { item in
        leg.meantUser.map { $0.hasSameBytes(as: item.account) } ?? true
      }
      if isMeant { return .expired }
    }
    return .noCredential
  }

  /// Looks something up; if the vault is locked, has it unlocked and looks again.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody unlocks it.
  mutating func unlocked<R: Sendable>(
    _ lookUp: (inout Exchange) throws(VaultError) -> R
  ) async throws(VaultError) -> R {
    do throws(VaultError) {
      return try lookUp(&self)
    } catch {
      guard error.code == .locked else { throw error }
    }
    let vault = authenticator.vault
    let asker = authenticator.asker
    _ = try await authenticator.line.reply(
      to: UnlockKey(vault: ObjectIdentifier(vault)), within: authenticator.answerLimit
    ) { () throws(VaultError) in
      try vault.state == .locked ? nil : true
    } ask: { () async throws(VaultError) in
      AskerLine.Asked(
        reply: try await vault.unlock(asking: asker, most: Self.mostKeys), cancels: nil)
    }
    return try lookUp(&self)
  }
}
