public import CredentialVault
import Dispatch
public import Foundation
public import FoundationNetworking
public import VaultModel

/// The order of the answers to a challenge.
public enum AnswerOrder: Sendable {
  /// The vault's credentials, then the app's delegate.
  case vaultFirst
  /// The app's delegate, then the vault's credentials, which are the challenge's
  /// `proposedCredential` and its default handling.
  case appFirst
}

/// A delegate that answers a session's challenges from a vault, for code that keeps its own
/// session; other code takes `authenticated(by:)`.
///
/// Foundation on Linux creates challenges only for a 401 with Basic; for everything else there is
/// ``AuthenticatedSession``. The space's default user is tried first, then the others, each once
/// per task. If the vault has no answer, the app's delegate is asked: its method for a task's
/// challenges, then its method for a session's, so it may have either. With
/// ``AnswerOrder/appFirst``, it is asked before the vault. Without any answer, the challenge is
/// cancelled, and the task ends with `URLError.cancelled` and the 401 as its `response`: Foundation
/// 6.3.1 never ends a task whose challenge is left to it.
///
/// The app's delegate may answer by the completion handler or by the challenge's `sender`. The
/// challenge counts all refused credentials in `previousFailureCount`, has an `error` after the
/// first, and proposes the credential that default handling would use, or the one that was refused
/// last.
///
/// Three challenges are not answered from the vault:
///
/// - One to a request with its own `Authorization` field, because its author logs in.
/// - One that also offers Digest, if the password would go in clear.
/// - One after a redirect to another origin, because Foundation would send the answer to the
///   request's first origin. The app's delegate is not asked either.
///
/// After an answered challenge, a redirect is not followed, and the task ends with the 3xx:
/// Foundation would send the first request again, password included, until it gives up.
///
/// Foundation 6.3.1 traps if a task is cancelled at the moment when its challenge is answered, by
/// anybody. Answers are therefore given one at a time, and when Foundation's queue is idle, which
/// makes this rare. ``AuthenticatedSession`` never answers a challenge of Foundation, and is not
/// affected.
///
/// Its credentials have the persistence `none`, so that the session's storage keeps no copy. A
/// ``VaultCredentialStorage`` of the same vault keeps none anyway, and is told which ones the
/// server has accepted. The delegate itself writes nothing. The app's delegate receives every event
/// that a session sends to its delegate.
public final class VaultSessionDelegate: NSObject, URLSessionDelegate {
  /// The vault in which credentials are found.
  public let vault: Vault
  /// The app's own delegate.
  public let delegate: (any URLSessionDelegate)?
  /// Whether the vault or the app's delegate answers first.
  public let order: AnswerOrder
  /// The number of refused credentials after which a task's challenge is cancelled.
  public let mostFailures: Int
  let onError: @Sendable (VaultError) -> Void
  let answers = TaskAnswers()
  /// The queue of vault lookups, which may wait for another process.
  let lookups = DispatchQueue(
    label: "credential-vault.VaultSessionDelegate", attributes: .concurrent)

  /// Creates a delegate that passes on challenges that it does not answer.
  ///
  /// - Parameters:
  ///   - vault: The vault in which credentials are found; a locked one counts as empty.
  ///   - delegate: The app's own delegate; it gets every event, and the challenges that the vault
  ///     cannot answer.
  ///   - order: Whether the vault or the app's delegate answers first.
  ///   - mostFailures: The number of refused credentials after which a task's challenge is
  ///     cancelled.
  ///   - onError: Called with errors of reading the vault, on any thread.
  public init(
    _ vault: Vault, passingTo delegate: (any URLSessionDelegate)? = nil,
    order: AnswerOrder = .vaultFirst, mostFailures: Int = 10,
    onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    self.vault = vault
    self.delegate = delegate
    self.order = order
    self.mostFailures = mostFailures
    self.onError = onError
  }

  /// Tells the app's delegate.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    delegate?.urlSession(session, didBecomeInvalidWithError: error)
  }

  /// Asks the app's delegate; Foundation on Linux never calls this.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard let delegate else { return completionHandler(.performDefaultHandling, nil) }
    delegate.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
  }
}

extension URLSession {
  /// Creates a session of the app's own that takes its credentials from a vault, for code that
  /// needs its delegate's callbacks as data arrives; other code takes `authenticated(by:)`.
  ///
  /// Its storage is a ``VaultCredentialStorage``, and its delegate a ``VaultSessionDelegate``
  /// around the app's. Either one without the other would, on Linux, hang all sessions of the
  /// process at the first challenge.
  ///
  /// It may wait for the vault's file. There is no asynchronous form, as Foundation's initializers
  /// have none.
  ///
  /// - Parameters:
  ///   - configuration: The configuration; it is copied, and the copy's credential storage
  ///     replaced.
  ///   - vault: The vault in which credentials are found and stored; it may be locked.
  ///   - delegate: The app's own delegate; the session's `delegate` is the one around it.
  ///   - delegateQueue: As for Foundation's own initializer.
  ///   - order: Whether the vault or the app's delegate answers a challenge first.
  ///   - onError: Called with errors of reading or writing the vault, on any thread.
  public convenience init(
    configuration: URLSessionConfiguration, vault: Vault, delegate: (any URLSessionDelegate)? = nil,
    delegateQueue: OperationQueue? = nil, order: AnswerOrder = .vaultFirst,
    onError: @escaping @Sendable (VaultError) -> Void = { _ in }
  ) {
    self.init(
      configuration: configuration, storage: VaultCredentialStorage(vault, onError: onError),
      delegate: delegate, delegateQueue: delegateQueue, order: order, onError: onError)
  }

  /// Creates a session of the app's own with a storage and our delegate of the same vault.
  convenience init(
    configuration: URLSessionConfiguration, storage: VaultCredentialStorage,
    delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?, order: AnswerOrder,
    onError: @escaping @Sendable (VaultError) -> Void
  ) {
    // A copy always has the same class.
    let own = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
    own.urlCredentialStorage = storage
    self.init(
      configuration: own,
      delegate: VaultSessionDelegate(
        storage.vault, passingTo: delegate, order: order, onError: onError),
      delegateQueue: delegateQueue)
  }
}

/// Events of all tasks.
extension VaultSessionDelegate: URLSessionTaskDelegate {
  private var app: (any URLSessionTaskDelegate)? { delegate as? any URLSessionTaskDelegate }

  /// Asks the app's delegate; after an answered challenge it is only told, and the redirect is not
  /// followed.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    guard !answers.hasAnswered(task) else {
      app?.urlSession(
        session, task: task, willPerformHTTPRedirection: response, newRequest: request,
        completionHandler: { @Sendable _ in })
      return completionHandler(nil)
    }
    guard let app else { return completionHandler(request) }
    app.urlSession(
      session, task: task, willPerformHTTPRedirection: response, newRequest: request,
      completionHandler: completionHandler)
  }

  /// Asks the app's delegate for a stream; without one, Foundation sends no body.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    guard let app else { return completionHandler(nil) }
    app.urlSession(session, task: task, needNewBodyStream: completionHandler)
  }

  /// Asks the app's delegate; without one, the request is sent unchanged.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler:
      @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    guard let app else { return completionHandler(.continueLoading, nil) }
    app.urlSession(
      session, task: task, willBeginDelayedRequest: request, completionHandler: completionHandler)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
    totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    app?.urlSession(
      session, task: task, didSendBodyData: bytesSent, totalBytesSent: totalBytesSent,
      totalBytesExpectedToSend: totalBytesExpectedToSend)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    app?.urlSession(session, task: task, didFinishCollecting: metrics)
  }

  /// Tells the app's delegate.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    answers.forget(task)
    app?.urlSession(session, task: task, didCompleteWithError: error)
    // Foundation forgets the task after this, and traps on what remains of a cancellation.
    if task.state == .canceling { TaskDelegate.awaitCancellation(of: task) }
  }
}
