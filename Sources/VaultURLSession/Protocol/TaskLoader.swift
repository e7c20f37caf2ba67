import Dispatch
import Foundation
import FoundationNetworking
import HTTPAuthentication
import SecureMemory
import VaultModel
import VaultTransport

/// One task of a session, whose requests go over a transport.
final class TaskLoader: Sendable {
  private struct State {
    var run: Task<Void, Never>?
    var isSuspended = false
    var isCancelled = false
    /// Resumes the run, which waits because its task is suspended.
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let delivery: TaskDelivery
  private let body: RequestPayload
  private let transport: SessionTransport
  private let state = Lock(State())

  init(_ delivery: TaskDelivery, _ body: FoundationFields.Body, over transport: Transport) {
    self.delivery = delivery
    self.body = RequestPayload(body, of: delivery)
    self.transport = SessionTransport.of(delivery, over: transport)
  }

  // MARK: Foundation's side

  /// Begins, or continues after ``suspend()``.
  func resume() {
    let waiter = state.withLock { state in
      state.isSuspended = false
      if state.run == nil { state.run = Task.detached { [self] in await load() } }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Waits before the next piece; the transport's buffer then fills, and the server waits.
  func suspend() { state.withLock { $0.isSuspended = true } }

  /// Ends the requests; Foundation tells of it.
  func cancel() {
    let (run, waiter) = state.withLock { state in
      state.isCancelled = true
      return (state.run, state.waiter.take())
    }
    run?.cancel()
    waiter?.resume()
  }

  private func waitIfSuspended() async {
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        guard state.isSuspended, !state.isCancelled else { return true }
        state.waiter = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
  }

  // MARK: The requests

  private func load() async {
    do {
      let run = try TaskRequest(delivery, body, over: transport)
      defer { run.end() }
      try await receive(run.response(), of: run)
    } catch {
      delivery.fail(URLError.translating(error, of: delivery.task.originalRequest?.url))
    }
  }

  /// Passes on a response and its body.
  private func receive(_ response: TransportResponse, of run: TaskRequest) async throws {
    guard
      let head = HTTPURLResponse(
        response.head.withHiddenChallenge, version: response.version, of: response.url)
    else { throw URLError(.badServerResponse) }
    if delivery.hearsOnce { return try await deliver(response.body, after: head) }
    delivery.begin(head)
    if delivery.isDownload {
      await waitIfSuspended()
      let file = try await response.body.save()
      await run.settle()
      delivery.finish(file)
    } else {
      try await pass(response.body)
      await run.settle()
      delivery.finish()
    }
  }

  /// Passes everything on at the end, in one step of the task's queue.
  private func deliver(_ body: ResponseBody, after head: HTTPURLResponse) async throws {
    do {
      let all = try await body.collect()
      await waitIfSuspended()
      delivery.finish(head, all)
    } catch {
      delivery.begin(head)
      throw error
    }
  }

  private func pass(_ body: ResponseBody) async throws {
    guard delivery.callsDelegate else {
      let all = try await body.collect()
      await waitIfSuspended()
      if !all.isEmpty { delivery.load(all) }
      return
    }
    for try await piece in body {
      await waitIfSuspended()
      delivery.load(piece)
      // So that a slow delegate makes the server wait, and not the memory grow.
      await delivery.settle()
    }
  }
}
