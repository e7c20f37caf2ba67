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

/// The server that challenges a task, according to the response itself.
///
/// Foundation's own parser takes the first `Basic`, and truncates a realm without quotes.
struct ChallengingServer {
  private let request: URLRequest
  private let description: HTTPAuthentication.RequestHead
  private let response: HTTPURLResponse
  /// The path that an item must cover: that of both the request that the answer is sent with and
  /// the challenged one.
  let requestPath: RequestPath

  /// Creates the server of a challenge.
  ///
  /// - Returns: Nil if the answer would go to another server than the challenging one. Foundation
  ///   sends it with the task's first request, despite redirects: the first server would get the
  ///   other's password.
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if a URL is not valid for a request.
  init?(
    _ challenge: URLAuthenticationChallenge, of task: URLSessionTask
  ) throws(VaultError) {
    guard let request = task.originalRequest, let first = request.url,
      let response = challenge.failureResponse as? HTTPURLResponse, let last = response.url
    else { return nil }
    let url = try RequestURL(first.absoluteString)
    let challenged = try RequestURL(last.absoluteString)
    guard challenged.origin == url.origin else { return nil }
    requestPath = RequestPath(target: url.target)
      .common(with: RequestPath(target: challenged.target))
    self.request = request
    self.response = response
    description = RequestHead(request.httpMethod ?? "GET", url: url)
  }

  /// Returns the space of a credential for Basic; nil if none may be sent.
  ///
  /// None is sent with a request that has its own field, because its author logs in; and none in
  /// clear if Digest is also offered.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/invalidArgument`` if the response is invalid.
  func spaceForBasic() throws(VaultError) -> ProtectionSpace? {
    guard request.value(forHTTPHeaderField: "Authorization") == nil else { return nil }
    let offer = try Authentication.offered(
      by: HTTPAuthentication.ResponseHead(response), to: description)
    guard let basic = offer.authentications.first(where: { $0.method == .basic }) else {
      return nil
    }
    let hasDigest = offer.authentications.contains { $0.method == .digest }
    return hasDigest && !basic.receivesCredentialSecurely ? nil : basic.space
  }
}

/// The completion handler of a challenge, called once, in ways that neither hang nor crash
/// Foundation.
///
/// Foundation 6.3.1 traps on ``URLSession/AuthChallengeDisposition/useCredential`` without a
/// credential, and a task never ends if `performDefaultHandling` finds none. A second call would
/// resume the task twice.
final class ChallengeReply: Sendable {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

  private let handler: Lock<Handler?>

  init(_ handler: @escaping Handler) {
    self.handler = Lock(handler)
  }

  /// Sends the request again with a credential.
  func use(_ credential: URLCredential) {
    take()?(.useCredential, credential)
  }

  /// Ends the task, with `URLError.cancelled`.
  func cancel() {
    take()?(.cancelAuthenticationChallenge, nil)
  }

  /// Returns the handler to the first caller; nil afterwards.
  private func take() -> Handler? {
    handler.withLock { handler in
      defer { handler = nil }
      return handler
    }
  }
}
