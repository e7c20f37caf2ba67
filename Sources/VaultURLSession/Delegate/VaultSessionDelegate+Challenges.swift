import CredentialVault
import Foundation
public import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel

extension VaultSessionDelegate {
  /// Answers a challenge from the vault, or asks the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let reply = ChallengeReply(completionHandler)
    lookups.async { [self] in
      guard challenge.previousFailureCount < mostFailures,
        let server = reporting({ () throws(VaultError) in try ChallengingServer(challenge, of: task)
        })
      else { return reply.cancel() }
      let space = reporting { () throws(VaultError) in try server.spaceForBasic() }
      let credential = reporting { () throws(VaultError) in
        try next(for: challenge, in: space, at: server.requestPath, session, task)
      }
      if let credential { return reply.use(credential) }
      guard let delegate = delegate as? any URLSessionTaskDelegate else { return reply.cancel() }
      session.delegateQueue.addOperation { [self] in
        delegate.urlSession(session, task: task, didReceive: challenge) { disposition, credential in
          switch disposition {
          case .useCredential: self.use(credential, reply, task)
          case .performDefaultHandling:
            self.useProposed(of: challenge, in: space, at: server.requestPath, reply, task)
          default: reply.cancel()
          }
        }
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

  /// Returns the vault's first credential that was not tried yet; nil if there is none, or none may
  /// be sent.
  private func next(
    for challenge: URLAuthenticationChallenge, in space: ProtectionSpace?,
    at requestPath: RequestPath, _ session: URLSession, _ task: URLSessionTask
  ) throws(VaultError) -> URLCredential? {
    guard let space else { return nil }
    let named = try ProtectionSpace(challenge.protectionSpace)
    for candidate in try vault.candidatesInOrder(for: space, at: requestPath) {
      guard candidate.isCarriedByBasic,
        attempts.begin(candidate.credential.user, in: space, of: task)
      else { continue }
      return VaultURLCredential(
        candidate, for: named, in: vault, persistence: persistence(of: session))
    }
    return nil
  }

  /// Returns `none`, except for the vault's own storage, which keeps no copy and confirms pending
  /// credentials.
  private func persistence(of session: URLSession) -> URLCredential.Persistence? {
    let storage = session.configuration.urlCredentialStorage as? VaultCredentialStorage
    return storage?.vault === vault ? nil : URLCredential.Persistence.none
  }

  /// Passes on the credential from the app's delegate.
  private func use(_ credential: URLCredential?, _ reply: ChallengeReply, _ task: URLSessionTask) {
    guard let credential else { return reply.cancel() }
    attempts.noteAnswer(of: task)
    reply.use(credential)
  }

  /// Uses the credential that the session's storage proposes, as default handling does, if the
  /// vault may answer too.
  ///
  /// Foundation never proposes the credential that was refused last, but would send one refused
  /// before it without end. A storage has no paths, so a credential of an item with another path
  /// than the requested one is not used.
  private func useProposed(
    of challenge: URLAuthenticationChallenge, in space: ProtectionSpace?,
    at requestPath: RequestPath, _ reply: ChallengeReply, _ task: URLSessionTask
  ) {
    guard let proposed = challenge.proposedCredential, let user = proposed.user, let space,
      (proposed as? VaultURLCredential).map({ requestPath.depth(of: $0.path) != nil }) ?? true,
      attempts.begin(user, in: space, of: task)
    else { return reply.cancel() }
    reply.use(proposed)
  }
}

extension Candidate {
  /// Returns whether Foundation would send it unchanged: as text, for the same user, in one field.
  fileprivate var isCarriedByBasic: Bool {
    do throws(VaultError) {
      _ = try BasicResponse.value(credential)
      return credential.secret.text != nil
    } catch {
      return false
    }
  }
}
