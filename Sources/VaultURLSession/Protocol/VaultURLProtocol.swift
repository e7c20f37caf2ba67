import Foundation
public import FoundationNetworking
import SecureMemory
public import VaultTransport

/// A protocol by which `URLSession` sends the requests of unchanged code over a ``Transport``.
///
/// ```swift
/// VaultURLProtocol.share(try Transport(vault: vault))
/// configuration.protocolClasses = [VaultURLProtocol.self] + (configuration.protocolClasses ?? [])
/// ```
///
/// Foundation makes the protocol itself, so it is the class that knows the transport: this class
/// has that of the process, and a subclass can have another one by overriding ``transport``.
///
/// Each session gets connections of its own, with the settings of its configuration and the
/// questions of TLS for its delegate.
open class VaultURLProtocol: URLProtocol {
  /// The transport over which requests of this class go; nil if there is none, and they fail.
  open class var transport: Transport? { shared.withLock(\.self) }

  private static let shared = Lock<Transport?>(nil)

  /// Makes a transport the one of this class; call it at the start of a program.
  public static func share(_ transport: Transport) { shared.withLock { $0 = transport } }

  /// Returns whether a request is for `http` or `https`.
  open override class func canInit(with request: URLRequest) -> Bool {
    guard let scheme = request.url?.scheme else { return false }
    return scheme.hasSameBytesIgnoringCase(as: "http")
      || scheme.hasSameBytesIgnoringCase(as: "https")
  }

  /// Returns the request itself.
  open override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  // Both on the task's queue only.
  private var loader: TaskLoader?
  private var state = State.running

  private enum State {
    case running
    /// The task is cancelled, of which Foundation itself tells.
    case halted
    /// Foundation has been told of the end, and traps if it is told anything more.
    case over
  }

  /// Foundation's client of this task; nil once the task has ended.
  open override var client: (any URLProtocolClient)? {
    get { state == .over ? nil : super.client }
    set { super.client = newValue }
  }

  /// Begins or continues the task.
  open override func startLoading() {
    if let loader { return loader.resume() }
    guard state == .running else { return }
    do {
      let fields = try FoundationFields.current.get()
      guard let task, let session = fields.session(of: task),
        let queue = fields.workQueue(of: task)
      else { throw URLError(.unknown) }
      fields.leaveInline(task)
      guard let transport = Self.transport else {
        throw URLError(
          .unsupportedURL,
          userInfo: [NSLocalizedDescriptionKey: "\(Self.self) has no transport"])
      }
      let delivery = TaskDelivery(
        loader: self, queue: queue, fields: fields,
        callsDelegate: fields.callsDelegate(task, in: session), session: session, task: task)
      loader = TaskLoader(delivery, fields.body(of: task), over: transport)
      loader?.resume()
    } catch {
      client?.urlProtocol(self, didFailWithError: error)
      state = .over
    }
  }

  /// Stops the task if it is cancelled, and lets it wait if it is suspended.
  ///
  /// Foundation calls it some time after either: a task may go on by then, and is started again.
  open override func stopLoading() {
    // A task that is over is cancelled, too, while its delegate is told of that: it stays over, or
    // Foundation would tell its client once more, and trap.
    guard state != .over else { return }
    switch task?.state {
    case .running: break
    case .suspended: loader?.suspend()
    default:
      state = .halted
      loader?.cancel()
      loader = nil
    }
  }

  /// Tells Foundation something, unless the task has ended.
  ///
  /// On the task's queue only.
  func tell(isEnd: Bool, _ body: (any URLProtocolClient) -> Void) {
    guard state == .running, let client else { return }
    body(client)
    if isEnd {
      state = .over
      loader = nil
    }
  }
}
