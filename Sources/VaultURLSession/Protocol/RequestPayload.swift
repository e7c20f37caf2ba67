import Dispatch
import Foundation
import FoundationNetworking
import SecureMemory
import VaultTransport

/// The body of a task's requests.
enum RequestPayload: Sendable {
  case whole(TransportBody)
  /// A stream, and after it those that the delegate gives for each further time.
  case stream(TaskStreams)

  /// Creates the body that a task was made with, or that its delegate has.
  init(_ body: FoundationFields.Body, of delivery: TaskDelivery) {
    switch body {
    case .none: self = .whole(.none)
    case .data(let data): self = .whole(.bytes(Array(data)))
    case .file(let file): self = .whole(.file(file.path))
    case .stream(let stream): self = .stream(TaskStreams(stream, delivery))
    // Only an upload has a body that nobody has named yet.
    case .ofDelegate where delivery.task is URLSessionUploadTask:
      self = .stream(TaskStreams(nil, delivery))
    case .ofDelegate: self = .whole(.none)
    }
  }

  /// Returns the body for the transport, with the length that the request itself says, if any.
  func body(length: Int64?) -> TransportBody {
    switch self {
    case .whole(let body): body
    case .stream(let streams): .stream(length: length) { try await streams.next() }
    }
  }
}

/// The streams of one task's body, of which each can be read once.
final class TaskStreams: Sendable {
  private let first: Lock<StreamReader?>
  private let delivery: TaskDelivery

  init(_ first: InputStream?, _ delivery: TaskDelivery) {
    self.first = Lock(first.map { StreamReader($0) })
    self.delivery = delivery
  }

  /// Returns the pieces of the next stream.
  ///
  /// - Throws: `URLError.requestBodyStreamExhausted` if the delegate has no other.
  func next() async throws -> TransportBody.BodyPieces {
    let reader: StreamReader
    if let first = first.withLock({ $0.take() }) {
      reader = first
    } else if let stream = await delivery.askForStream() {
      reader = stream
    } else {
      throw URLError(.requestBodyStreamExhausted)
    }
    return reader.pieces
  }
}

extension TaskDelivery {
  /// Asks the delegate for a stream; nil if there is none.
  fileprivate func askForStream() async -> StreamReader? {
    guard let delegate = delegate as? any URLSessionTaskDelegate else { return nil }
    return await withCheckedContinuation { continuation in
      let waiting = Lock<CheckedContinuation<StreamReader?, Never>?>(continuation)
      session.delegateQueue.addOperation {
        delegate.urlSession(session, task: task) { stream in
          // The first answer counts.
          waiting.withLock { $0.take() }?.resume(returning: stream.map { StreamReader($0) })
        }
      }
    }
  }
}
