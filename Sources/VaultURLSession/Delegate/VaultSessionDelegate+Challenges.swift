import CredentialVault
import Foundation
public import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel

/// A challenge that is not answered yet.
private struct OpenChallenge: Sendable {
  let challenge: URLAuthenticationChallenge
  let session: URLSession
  let task: URLSessionTask
  let reply: ChallengeReply
  /// The space of a credential from the vault; nil if none may be sent.
  let space: ProtectionSpace?
  /// The path that an item must cover.
  let requestPath: RequestPath
}

extension VaultSessionDelegate {
  /// Answers a challenge from the vault or by the app's delegate, in the order of ``order``.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let reply = ChallengeReply(to: task, completionHandler)
    lookups.async { [self] in
      guard challenge.previousFailureCount < mostFailures,
        let server = reporting({ () throws(VaultError) in try ChallengingServer(challenge, of: task)
        })
      else { return reply.cancel() }
      let open = OpenChallenge(
        challenge: challenge, session: session, task: task, reply: reply,
        space: reporting { () throws(VaultError) in try server.spaceForBasic() },
        requestPath: server.requestPath)
      switch order {
      case .vaultFirst:
        if !useVault(open) { ask(open, proposing: nil) }
      case .appFirst:
        ask(open, proposing: reporting { () throws(VaultError) in try next(for: open) })
      }
    }
  }

  /// Returns the result of `body`; reports an error to the app and returns nil.
  private func reporting<R>(_ body: () throws(VaultError) -> R?) -> R? {
    do throws(VaultError) {
      return try body()
    } catch {
      onError(error)
      return nil
    }
  }

  // MARK: The vault

  /// Answers with the vault's first credential that was not tried yet.
  ///
  /// - Returns: Whether there was one.
  private func useVault(_ open: OpenChallenge) -> Bool {
    while let next = reporting({ () throws(VaultError) in try next(for: open) }) {
      // Another challenge of the task cannot be open, but an app may answer with the same user.
      guard let space = open.space, answers.begin(next.credential.user, in: space, of: open.task)
      else { continue }
      send(next, open)
      return true
    }
    return false
  }

  /// Returns the vault's first credential that was not tried yet; nil if there is none, or none may
  /// be sent.
  private func next(for open: OpenChallenge) throws(VaultError) -> VaultURLCredential? {
    guard let space = open.space else { return nil }
    let named = try ProtectionSpace(open.challenge.protectionSpace)
    for candidate in try vault.candidatesInOrder(for: space, at: open.requestPath) {
      guard candidate.isCarriedByBasic,
        !answers.hasTried(candidate.credential.user, in: space, of: open.task)
      else { continue }
      return VaultURLCredential(
        candidate, for: named, in: vault, persistence: persistence(of: open.session))
    }
    return nil
  }

  /// Returns `none`, except for the vault's own storage, which keeps no copy and confirms pending
  /// credentials.
  private func persistence(of session: URLSession) -> URLCredential.Persistence? {
    let storage = session.configuration.urlCredentialStorage as? VaultCredentialStorage
    return storage?.vault === vault ? nil : URLCredential.Persistence.none
  }

  // MARK: The app

  /// Asks the app's delegate.
  ///
  /// - Parameters:
  ///   - open: The challenge.
  ///   - next: The vault's credential that default handling would use; nil proposes the storage's,
  ///     or else the one that was refused last.
  private func ask(_ open: OpenChallenge, proposing next: URLCredential?) {
    guard let delegate else { return handleByDefault(open) }
    let question = AppQuestion(
      delegate: delegate, session: open.session, task: open.task, challenge: open.challenge)
    let proposed = next ?? proposal(of: open) ?? answers.last(of: open.task)
    question.put(proposing: proposed) { [self] disposition, credential in
      switch disposition {
      case .useCredential:
        guard let credential else { return open.reply.cancel() }
        // The vault's own is not sent twice.
        if let own = credential as? VaultURLCredential, let space = open.space {
          _ = answers.begin(own.credential.user, in: space, of: open.task)
        }
        send(credential, open)
      case .performDefaultHandling: lookups.async { self.handleByDefault(open) }
      default: open.reply.cancel()
      }
    }
  }

  /// Uses the vault's next credential, unless it had none before the app was asked, else the one
  /// that the session's storage proposes, else none.
  private func handleByDefault(_ open: OpenChallenge) {
    if order == .appFirst, useVault(open) { return }
    if !useProposed(open) { open.reply.cancel() }
  }

  /// Returns the credential that the session's storage proposes; one of the vault only where the
  /// vault may answer.
  ///
  /// A storage has no paths, so a credential of an item with another path than the requested one is
  /// withheld, from the app too.
  private func proposal(of open: OpenChallenge) -> URLCredential? {
    let proposed = open.challenge.proposedCredential
    guard let own = proposed as? VaultURLCredential else { return proposed }
    guard open.space != nil, open.requestPath.depth(of: own.path) != nil else { return nil }
    return own
  }

  /// Uses the credential that the session's storage proposes, if the vault may answer too.
  ///
  /// Foundation never proposes the credential that was refused last, but would send one refused
  /// before it without end.
  ///
  /// - Returns: Whether there was one to use.
  private func useProposed(_ open: OpenChallenge) -> Bool {
    guard let proposed = proposal(of: open), let user = proposed.user, let space = open.space,
      answers.begin(user, in: space, of: open.task)
    else { return false }
    send(proposed, open)
    return true
  }

  private func send(_ credential: URLCredential, _ open: OpenChallenge) {
    answers.noteAnswer(of: open.task, credential)
    open.reply.use(credential)
  }
}

extension Candidate {
  /// Returns whether it is a password that Foundation would send unchanged: as text, for the same
  /// user, in one field.
  fileprivate var isCarriedByBasic: Bool {
    guard credential.kind == .password else { return false }
    do throws(VaultError) {
      try BasicResponse.check(credential)
      return credential.secret.text != nil
    } catch {
      return false
    }
  }
}
