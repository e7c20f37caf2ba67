import CVaultCurl
import CVaultSystem
import VaultModel

/// The connections of one route: a multi handle of libcurl, with its transfers.
///
/// It is touched by the loop's thread alone.
// Proof: the pointers are its own, and freed once by `close`, after which nobody uses them; libcurl
// calls back within calls of this object only, so `self` lives then.
@safe final class Partition {
  let route: Route
  /// When libcurl or a limit is to be looked after; nil for never.
  private(set) var nextCall: UInt64?
  /// Whether it is closed as soon as nothing runs.
  var isClosing = false

  /// The connections that were opened so far.
  private(set) var connectionCount: UInt32 = 0

  private unowned let loop: TransportLoop
  private let multi: UnsafeMutableRawPointer
  private var running: Set<Transfer> = []
  /// Transfers that wait for a connection: libcurl would count that as time to connect.
  private var waiting: [Transfer] = []
  /// Handles to be used again: a new one costs more than a small request.
  private var spare: [SpareHandle] = []
  private var libcurlCall: UInt64?
  private var limitCall: UInt64?
  private var lastUse = Clock.now()
  private var mostRunning: Int

  /// Creates a partition without connections; nil without memory.
  init?(_ route: Route, in loop: TransportLoop, mostConnections: Int) {
    // Of this object alone.
    guard let multi = unsafe curl_multi_init() else { return nil }
    unsafe self.multi = multi
    self.route = route
    self.loop = loop
    mostRunning = mostConnections
    // The context is valid as long as the handle; options that libcurl knows do not fail.
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe curl_multi_set_socket_function(multi, Self.socketFunction, context)
    unsafe curl_multi_set_timer_function(multi, Self.timerFunction, context)
    unsafe curl_multi_set_long(multi, CURLMOPT_MAX_HOST_CONNECTIONS, mostConnections)
    unsafe curl_multi_set_long(multi, CURLMOPT_MAXCONNECTS, mostConnections)
  }

  // MARK: Transfers

  /// Starts a transfer, or lets it wait for a connection.
  func start(_ transfer: Transfer) {
    transfer.partition = self
    waiting.append(transfer)
    startWaiting()
  }

  private func startWaiting() {
    var index = 0
    while running.count < mostRunning, index < waiting.count {
      begin(waiting[index])
      index += 1
    }
    waiting.removeFirst(index)
  }

  private func begin(_ transfer: Transfer) {
    // A handle of this partition alone: its TLS sessions are of this route.
    let shape = HandleShape(transfer.attempt)
    let old = spare.popLast()
    if let old, old.shape != shape { unsafe curl_easy_reset(old.handle) }
    guard let handle = unsafe old?.handle ?? curl_easy_init() else {
      return transfer.end(.outOfMemory)
    }
    let isNew = old == nil || shape == nil || old?.shape != shape
    guard unsafe transfer.prepare(handle, isNew: isNew),
      unsafe curl_multi_add_handle(multi, handle) == CURLM_OK
    else {
      unsafe curl_easy_cleanup(handle)
      transfer.release()
      return transfer.end(.outOfMemory)
    }
    running.insert(transfer)
    lastUse = Clock.now()
    if let call = transfer.nextIdleCheck { limitCall = min(limitCall ?? call, call) }
    reckon()
  }

  /// Goes on with a transfer whose reader or body had to be waited for.
  func resume(_ transfer: Transfer) {
    guard running.contains(transfer), let handle = unsafe transfer.handle else { return }
    transfer.isActive()
    // It may call back at once.
    unsafe curl_easy_pause(handle, CURLPAUSE_CONT)
    finish()
  }

  /// Ends a transfer at once, whatever it waits for.
  func cancel(_ transfer: Transfer, _ failure: TransferFailure) {
    if let index = waiting.firstIndex(of: transfer) {
      waiting.remove(at: index)
      return transfer.end(failure)
    }
    guard running.contains(transfer) else { return }
    // The handle is not used again: it may still be resolving a name.
    drop(transfer, keepsHandle: false)
    transfer.end(failure)
    startWaiting()
  }

  private func drop(_ transfer: Transfer, keepsHandle: Bool) {
    running.remove(transfer)
    guard let handle = unsafe transfer.handle else { return }
    unsafe curl_multi_remove_handle(multi, handle)
    // It keeps the TLS sessions, and nothing of the request.
    let shape = HandleShape(transfer.attempt)
    if shape == nil {
      unsafe curl_easy_reset(handle)
    } else {
      var options = unsafe TransferOptions(handle)
      options.forget()
    }
    transfer.release()
    if keepsHandle, spare.count < mostRunning {
      unsafe spare.append(SpareHandle(handle, shape))
    } else {
      unsafe curl_easy_cleanup(handle)
    }
    lastUse = Clock.now()
  }

  /// Counts the connections that a transfer has opened, and returns the number of the last.
  func count(opened: Int) -> UInt32 {
    connectionCount &+= UInt32(clamping: max(0, opened))
    return connectionCount
  }

  // MARK: Events

  /// Lets libcurl look after a socket.
  func act(on socket: Int32, _ actions: Int32) {
    var count: Int32 = 0
    // libcurl writes the number of transfers, which is of no interest.
    unsafe curl_multi_socket_action(multi, socket, actions, &count)
    finish()
  }

  /// Does what is due.
  func callTimed(_ now: UInt64) {
    if let call = libcurlCall, call <= now {
      libcurlCall = nil
      act(on: curl_no_socket, 0)
    }
    if let call = limitCall, call <= now { endIdle(now) }
    reckon()
  }

  /// Ends the transfers that have been idle for too long.
  private func endIdle(_ now: UInt64) {
    limitCall = nil
    for transfer in running {
      guard let call = transfer.checkIdle(now) else { continue }
      if call <= now {
        cancel(transfer, .idle)
      } else {
        limitCall = min(limitCall ?? call, call)
      }
    }
  }

  /// Takes the transfers that have ended, and wakes those who wait for news.
  private func finish() {
    var code = CURLE_OK
    var hasEnded = false
    // libcurl writes the code, and returns a handle of one of the transfers here, whose context
    // was set by `prepare`.
    while let handle = unsafe curl_multi_next_end(multi, &code) {
      guard let context = unsafe curl_get_context(handle) else { continue }
      let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
      if transfer.isMultiplexed { mostRunning = max(mostRunning, Self.mostStreams) }
      let result = unsafe transfer.result(code, handle)
      drop(transfer, keepsHandle: code == CURLE_OK)
      transfer.end(result)
      hasEnded = true
    }
    for transfer in running where transfer.hasNews { transfer.tell() }
    if hasEnded { startWaiting() }
    reckon()
  }

  /// The most requests at once over one connection of HTTP/2, as servers mostly allow.
  private static let mostStreams = 100

  private func reckon() {
    let call =
      if let libcurlCall, let limitCall { min(libcurlCall, limitCall) } else {
        libcurlCall ?? limitCall
      }
    let wasTimed = nextCall != nil
    nextCall = call
    if wasTimed != (call != nil) { loop.time(self) }
  }

  // MARK: Closing

  /// The time in milliseconds after which a server has mostly closed a connection itself.
  private static let keepAlive: UInt64 = 120_000

  /// Returns whether nobody needs it any more.
  func mayClose(_ now: UInt64) -> Bool {
    running.isEmpty && waiting.isEmpty && (isClosing || now - lastUse > Self.keepAlive)
  }

  /// Closes the connections; it is not used after.
  func close() {
    while let spare = spare.popLast() { unsafe curl_easy_cleanup(spare.handle) }
    unsafe curl_multi_cleanup(multi)
  }

  // MARK: Callbacks

  private static let socketFunction: curl_socket_callback = { _, socket, what, context, _ in
    guard let context = unsafe context else { return 0 }
    // A partition calls libcurl, so it lives.
    let partition = unsafe Unmanaged<Partition>.fromOpaque(context).takeUnretainedValue()
    let events: UInt32? =
      switch what {
      case CURL_POLL_IN: vault_epoll_in
      case CURL_POLL_OUT: vault_epoll_out
      case CURL_POLL_INOUT: vault_epoll_in | vault_epoll_out
      default: nil
      }
    partition.loop.watch(socket, for: partition, events)
    return 0
  }

  private static let timerFunction: curl_multi_timer_callback = { _, milliseconds, context in
    guard let context = unsafe context else { return 0 }
    // As above.
    let partition = unsafe Unmanaged<Partition>.fromOpaque(context).takeUnretainedValue()
    partition.libcurlCall = milliseconds < 0 ? nil : Clock.now() + UInt64(milliseconds)
    partition.reckon()
    return 0
  }
}

/// A handle that has ended its request.
///
/// Safe: it is a partition's, which frees it.
@safe private struct SpareHandle {
  let handle: UnsafeMutableRawPointer
  /// The shape of the requests that it can send as it is; nil if it was reset.
  let shape: HandleShape?

  init(_ handle: UnsafeMutableRawPointer, _ shape: HandleShape?) {
    unsafe self.handle = handle
    self.shape = shape
  }
}

extension Partition: Hashable {
  static func == (left: Partition, right: Partition) -> Bool { left === right }

  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
