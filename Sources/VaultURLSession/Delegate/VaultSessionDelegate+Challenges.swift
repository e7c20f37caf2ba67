import CredentialVault
import Foundation
public import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel

extension VaultSessionDelegate {
  /// Answers a challenge out of the vault, or asks the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let reply = ChallengeReply(completionHandler)
    lookups.async { [self] in
      do throws(VaultError) {
        guard challenge.previousFailureCount < mostFailures,
          let asking = try AskingServer(challenge, of: task)
        else { return reply.cancel() }
        if let credential = try next(for: challenge, of: asking, session, task) {
          return reply.use(credential)
        }
      } catch {
        onError(error)
      }
      guard let delegate = delegate as? any URLSessionTaskDelegate else { return reply.cancel() }
      session.delegateQueue.addOperation { [self] in
        delegate.urlSession(session, task: task, didReceive: challenge) { disposition, credential in
          self.pass(disposition, credential, to: reply, challenge, task)
        }
      }
    }
  }

  /// The first credential of the vault that was not tried yet; nil if there is none.
  private func next(
    for challenge: URLAuthenticationChallenge, of server: AskingServer, _ session: URLSession,
    _ task: URLSessionTask
  ) throws(VaultError) -> URLCredential? {
    guard let space = try server.spaceForBasic() else { return nil }
    let named = try ProtectionSpace(challenge.protectionSpace)
    for candidate in try vault.candidatesInOrder(for: space) {
      guard candidate.isCarriedByBasic,
        tries.begin(candidate.credential.user, in: space, of: task)
      else { continue }
      return VaultURLCredential(
        candidate, for: named, in: vault, persistence: persistence(of: session))
    }
    return nil
  }

  /// None but for the vault's own storage, which keeps no copy, and confirms what was pending.
  private func persistence(of session: URLSession) -> URLCredential.Persistence? {
    let storage = session.configuration.urlCredentialStorage as? VaultCredentialStorage
    return storage?.vault === vault ? nil : URLCredential.Persistence.none
  }

  /// Passes on what the app's delegate answers; default handling means what a storage has proposed.
  private func pass(
    _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?,
    to reply: ChallengeReply, _ challenge: URLAuthenticationChallenge, _ task: URLSessionTask
  ) {
    switch disposition {
    case .useCredential:
      guard let credential else { return reply.cancel() }
      tries.noteAnswer(of: task)
      reply.use(credential)
    case .performDefaultHandling:
      // Foundation proposes none that was refused just now; one that was refused before would be sent for ever.
      guard let proposed = challenge.proposedCredential, let user = proposed.user,
        let space = try? ProtectionSpace(challenge.protectionSpace),
        tries.begin(user, in: space, of: task)
      else { return reply.cancel() }
      reply.use(proposed)
    default:
      reply.cancel()
    }
  }
}

extension Candidate {
  /// Whether Foundation would send it as it is: as text, and as no other user's and no other field.
  fileprivate var isCarriedByBasic: Bool {
    do throws(VaultError) {
      _ = try BasicResponse.value(credential)
      return credential.secret.text != nil
    } catch {
      return false
    }
  }
}
