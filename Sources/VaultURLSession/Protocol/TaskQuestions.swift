import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import TLSCredentials
import VaultModel
import VaultTransport

/// The questions of one task to its delegate, as Foundation puts them on Apple's systems.
final class TaskQuestions: Sendable {
  private struct State {
    var url: RequestURL
    var response: HTTPURLResponse?
    var isCancelled = false
  }

  private let delivery: TaskDelivery
  private let state: Lock<State>

  init(_ delivery: TaskDelivery, _ url: RequestURL) {
    self.delivery = delivery
    state = Lock(State(url: url))
  }

  /// The URL that the task is at now.
  var url: RequestURL { state.withLock(\.url) }

  /// Whether the delegate has cancelled a challenge, and with it the task.
  var isCancelled: Bool { state.withLock(\.isCancelled) }

  /// Goes to another URL.
  func move(to url: RequestURL) { state.withLock { $0.url = url } }

  /// Notes a response, which a challenge shows as that of a failure.
  func note(_ response: HTTPURLResponse) { state.withLock { $0.response = response } }

  /// Returns whether the task is at a server now.
  func isFor(_ space: ProtectionSpace) -> Bool {
    let origin = url.origin
    return origin.host == space.host && origin.port == space.port
      && origin.protocol == space.protocol
  }

  /// The answer of a delegate.
  private struct Reply: Sendable {
    let disposition: URLSession.AuthChallengeDisposition
    let credential: URLCredential?
  }

  /// Puts a challenge: to the task's own delegate, and without an answer to the session's.
  ///
  /// - Returns: The answer; nil if there is no delegate.
  private func ask(
    _ space: URLProtectionSpace, failures: Int = 0, response: HTTPURLResponse? = nil
  ) async -> Reply? {
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: failures,
      failureResponse: response, error: nil, sender: ChallengeSender { _, _ in })
    var reply: Reply?
    for delegate in delivery.delegates {
      reply = await put(challenge, to: delegate)
      guard reply?.disposition == .performDefaultHandling else { break }
    }
    if reply?.disposition == .cancelAuthenticationChallenge {
      state.withLock { $0.isCancelled = true }
    }
    return reply
  }

  private func put(
    _ challenge: URLAuthenticationChallenge, to delegate: any URLSessionDelegate
  ) async -> Reply {
    let question = AppQuestion(
      delegate: delegate, session: delivery.session, task: delivery.task, challenge: challenge)
    return await withCheckedContinuation { continuation in
      question.put(proposing: nil) { disposition, credential in
        continuation.resume(returning: Reply(disposition: disposition, credential: credential))
      }
    }
  }

  // MARK: TLS

  /// Asks whether a server is trusted; nil leaves it to the transport.
  func answer(
    _ question: TrustQuestion, _ settings: Transport.Configuration
  ) async -> TrustAnswer? {
    let policy = question.space.isProxy ? settings.proxyTrustPolicy : settings.trustPolicy
    let space = TLSProtectionSpace(
      question.space, chain: question.chain, anchors: policy.anchors)
    guard let reply = await ask(space) else { return nil }
    switch reply.disposition {
    case .useCredential:
      // A credential of another kind, or none, says nothing about the server.
      guard let credential = reply.credential as? TLSCredential, case .trust = credential.kind
      else { return .refuse }
      return .trust
    case .cancelAuthenticationChallenge: return .cancel
    case .rejectProtectionSpace: return .refuse
    case .performDefaultHandling: return nil
    }
  }

  /// Asks which identity to present; nil leaves it to the transport.
  ///
  /// - Throws: `URLError.cancelled` if the delegate cancels.
  func answer(_ question: IdentityQuestion) async throws -> IdentityAnswer? {
    let space = TLSProtectionSpace(question.space, identityRequest: question.request)
    guard let reply = await ask(space) else { return nil }
    switch reply.disposition {
    case .useCredential:
      guard let credential = reply.credential as? TLSCredential,
        case .identity(let identity) = credential.kind
      else { return .goOnWithout }
      return .use(identity)
    case .cancelAuthenticationChallenge: throw URLError(.cancelled)
    case .rejectProtectionSpace: return .goOnWithout
    case .performDefaultHandling: return nil
    }
  }
}

/// The questions for a user and a password, after the vault's own credentials.
extension TaskQuestions: CredentialPrompt {
  func answer(_ question: Question) async -> Answer {
    let response = state.withLock(\.response)
    guard
      let reply = await ask(
        URLProtectionSpace(question.space), failures: question.failures, response: response)
    else { return .goOnWithout }
    switch reply.disposition {
    case .useCredential:
      guard let credential = reply.credential else { return .goOnWithout }
      do throws(VaultError) {
        return .use(try Credential(credential))
      } catch {
        return .goOnWithout
      }
    case .cancelAuthenticationChallenge: return .cancel(.request)
    case .rejectProtectionSpace: return .declineScheme
    case .performDefaultHandling: return .goOnWithout
    }
  }
}
