import HTTPAuthentication
import VaultModel

/// A response whose body may still arrive.
struct Reply: Sendable {
  let head: TransferHead
  /// The transfer; nil if a proxy's own response has ended it.
  let transfer: Transfer?
  private let loop: TransportLoop?

  /// Starts a transfer, and waits for the head of its response.
  ///
  /// A transfer whose task is cancelled ends.
  static func begin(
    _ transfer: Transfer, on loop: TransportLoop
  ) async throws(TransferFailure) -> Reply {
    guard !Task.isCancelled else {
      transfer.attempt.body?.stop()
      throw .cancelled
    }
    transfer.attempt.place?.transferBegins()
    let result: Result<TransferHead, TransferFailure> = await withTaskCancellationHandler {
      loop.send(.start(transfer))
      do throws(TransferFailure) {
        return .success(try await transfer.pipe.head())
      } catch {
        return .failure(error)
      }
    } onCancel: {
      loop.send(.cancel(transfer))
    }
    return Reply(head: try result.get(), transfer: transfer, loop: loop)
  }

  /// Returns the response of a proxy that refuses a tunnel, which has no body.
  static func refused(_ head: ResponseHead) -> Reply {
    Reply(
      head: TransferHead(head: head, version: "HTTP/1.1", expectedLength: 0), transfer: nil,
      loop: nil)
  }

  /// Whether the server refuses because it asked for an identity and got none.
  var needsIdentity: Bool {
    // nginx answers 400 to a request without a certificate that it requires, Apache 403.
    guard [400, 403, 495, 496].contains(head.head.status), let side = transfer?.attempt.route.side
    else { return false }
    return side.presentation == .nothing && side.report.request != nil
  }

  /// Returns the connection that it came on; nil if a proxy alone has answered.
  func connection(of transport: Transport) -> ClientConnection? {
    guard let transfer else { return nil }
    let binding = transfer.attempt.route.side?.binding ?? []
    guard let place = transfer.attempt.place else {
      // One of many, on which no login goes on.
      return ClientConnection(number: 0, binding: binding)
    }
    return ClientConnection(
      number: UInt64(place.number.value) << 32 | UInt64(head.connection), binding: binding)
  }

  /// The longest rest of a body that is read to keep a connection.
  private static let longestRest: Int64 = 1 << 18

  /// Drops the body; a short one is read, so that its connection can be used again.
  func discard() async {
    guard let transfer, let loop else { return }
    transfer.pipe.discard()
    guard let length = head.expectedLength, length <= Self.longestRest else {
      return loop.send(.cancel(transfer))
    }
    loop.send(.resume(transfer))
    await withTaskCancellationHandler {
      await transfer.pipe.ended()
    } onCancel: {
      loop.send(.cancel(transfer))
    }
  }

  /// Runs a step while the reply is kept; if it fails, the transfer ends.
  func keeping<R>(_ step: () async throws -> R) async throws -> R {
    do {
      return try await step()
    } catch {
      if let transfer, let loop { loop.send(.cancel(transfer)) }
      throw error
    }
  }

  /// Returns the response for the caller.
  func response(_ outcome: Outcome, of target: RequestTarget) -> TransportResponse {
    TransportResponse(
      head: head.head, url: target.url.withoutUserInfo, version: head.version,
      expectedLength: head.expectedLength, body: ResponseBody(transfer, on: loop), outcome: outcome)
  }
}
