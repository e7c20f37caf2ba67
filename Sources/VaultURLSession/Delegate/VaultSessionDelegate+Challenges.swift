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
        if let credential = try next(for: asking, task) { return reply.use(credential) }
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
    for server: AskingServer, _ task: URLSessionTask
  ) throws(VaultError) -> URLCredential? {
    guard let space = try server.spaceForBasic() else { return nil }
    for candidate in try vault.candidatesInOrder(for: space) {
      let credential = candidate.credential
      guard let handedOut = URLCredential(handingOut: credential) else { continue }
      if tries.begin(credential.user, in: space, of: task) { return handedOut }
    }
    return nil
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

extension URLCredential {
  /// What Foundation sends, and stores nowhere; nil if Basic cannot carry it, or it is no text.
  fileprivate convenience init?(handingOut credential: Credential) {
    do throws(VaultError) {
      // It fails for what would be another user, or another field, on the wire.
      _ = try BasicResponse.value(credential)
    } catch {
      return nil
    }
    let password = credential.secret.withBytes { bytes in
      // The bytes are read within the call only.
      unsafe bytes.withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) }
    }
    guard let password else { return nil }
    self.init(user: credential.user, password: password, persistence: .none)
  }
}
