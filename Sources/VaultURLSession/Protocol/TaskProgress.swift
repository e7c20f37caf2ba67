import Foundation
import FoundationNetworking
import SecureMemory
import VaultTransport

/// The progress of a task, for its `progress` and for its delegate.
///
/// It is passed on as fast as the delegate takes it: what came meanwhile is one step. Without a
/// delegate nobody waits for a queue.
final class TaskProgress: Sendable {
  private struct State {
    var latest = TransportProgress()
    var told = TransportProgress()
    var isScheduled = false
  }

  private let delivery: TaskDelivery
  private let hasDelegate: Bool
  private let state = Lock(State())

  init(_ delivery: TaskDelivery) {
    self.delivery = delivery
    hasDelegate = delivery.delegate != nil
  }

  /// Notes the progress; it returns at once.
  func note(_ progress: TransportProgress) {
    guard hasDelegate else { return show(progress) }
    let isFirst = state.withLock { state in
      state.latest = progress
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { delivery.session.delegateQueue.addOperation { [self] in tell() } }
  }

  /// Waits until the delegate has been told of the last step.
  func settle() async {
    guard state.withLock(\.isScheduled) else { return }
    await delivery.settle()
  }

  private func tell() {
    let (now, before) = state.withLock { state in
      defer { (state.told, state.isScheduled) = (state.latest, false) }
      return (state.latest, state.told)
    }
    show(now)
    // An attempt begins at zero again, of which a delegate is not told.
    if now.sent > before.sent, let delegate = delivery.delegate as? any URLSessionTaskDelegate {
      delegate.urlSession(
        delivery.session, task: delivery.task, didSendBodyData: now.sent - before.sent,
        totalBytesSent: now.sent,
        totalBytesExpectedToSend: now.expectedToSend ?? NSURLSessionTransferSizeUnknown)
    }
    if now.received > before.received, let task = delivery.task as? URLSessionDownloadTask,
      let delegate = delivery.delegate as? any URLSessionDownloadDelegate
    {
      delegate.urlSession(
        delivery.session, downloadTask: task, didWriteData: now.received - before.received,
        totalBytesWritten: now.received,
        totalBytesExpectedToWrite: now.expectedToReceive ?? NSURLSessionTransferSizeUnknown)
    }
  }

  private func show(_ now: TransportProgress) {
    let progress = delivery.task.progress
    let expected = (now.expectedToSend ?? 0) + (now.expectedToReceive ?? 0)
    progress.totalUnitCount = now.expectedToReceive == nil ? -1 : expected
    progress.completedUnitCount = now.sent + now.received
  }
}
