import CVaultCurl
import CVaultSystem
import Glibc
import SecureMemory
import VaultModel

/// The one thread on which libcurl runs: it waits for all sockets of all partitions.
///
/// Nothing on it waits for anything else, so that one server, vault or person never holds up the
/// requests to others.
// Proof: `inbox` has its own lock; all else is set in `init`, or touched by the thread alone.
@safe final class TransportLoop: @unchecked Sendable {
  /// A message to the thread.
  enum Command: Sendable {
    case start(Transfer)
    /// A reader has taken what was there, or a body has more to send.
    case resume(Transfer)
    case cancel(Transfer)
    /// The transport with this number has ended: its idle connections are of no more use.
    case close(transport: Int)
    /// The connection of a login is not used again.
    case discard(LoginPlace.Number)
  }

  private struct Inbox {
    var commands: [Command] = []
    /// Whether the thread waits for events and has to be woken.
    var isWaiting = false
  }

  private static let started = Lock<Result<TransportLoop, VaultError>?>(nil)

  private let inbox = Lock(Inbox())
  private let epoll: Int32
  private let wake: Int32
  private let process = getpid()
  private var partitions: [Route: Partition] = [:]
  /// The partition of each socket; libcurl closes a socket only after it has said so.
  private var sockets: [Int32: Partition] = [:]
  /// The partitions that are to be called at a certain time.
  private var timed: Set<Partition> = []
  private var nextSweep: UInt64 = 0

  /// Returns the loop of this process, which is started when it is first needed, and never ends.
  ///
  /// - Throws: ``VaultError/Code/unsupported`` for a libcurl that cannot be used;
  ///   ``VaultError/Code/unavailable`` without descriptors or threads; ``VaultError/Code/closed``
  ///   in a forked child, which has no such thread.
  static func shared() throws(VaultError) -> TransportLoop {
    let loop = try started.withLock { (started) throws(VaultError) in
      if let started { return try started.get() }
      let loop = try TransportLoop()
      started = .success(loop)
      return loop
    }
    guard loop.process == getpid() else {
      throw VaultError(.closed, "transport: not in a forked process")
    }
    return loop
  }

  private init() throws(VaultError) {
    try Libcurl.require()
    epoll = vault_epoll_create()
    wake = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    guard epoll >= 0, wake >= 0, vault_epoll_watch(epoll, wake, vault_epoll_in) == 0 else {
      let number = errno
      close(epoll)
      close(wake)
      throw VaultError(.unavailable, "transport: a descriptor", underlying: .errno(number))
    }
    let number = LoopThread.start { [self] in run() }
    guard number == 0 else {
      close(epoll)
      close(wake)
      throw VaultError(.unavailable, "transport: a thread", underlying: .errno(number))
    }
  }

  /// Gives the thread a message.
  func send(_ command: Command) {
    let isWaiting = inbox.withLock { inbox in
      inbox.commands.append(command)
      defer { inbox.isWaiting = false }
      return inbox.isWaiting
    }
    // It fails only if it is readable already.
    if isWaiting { _ = eventfd_write(wake, 1) }
  }
}

/// The thread's work.
extension TransportLoop {
  private func run() -> Never {
    var ready = [vault_epoll_ready_t](repeating: vault_epoll_ready_t(), count: 64)
    while true {
      let commands = inbox.withLock { inbox in
        let commands = inbox.commands
        inbox.commands.removeAll(keepingCapacity: commands.count < 1024)
        inbox.isWaiting = commands.isEmpty
        return commands
      }
      for command in commands { perform(command) }
      callTimed()
      // The array has the 64 elements that the call may write.
      let count = unsafe vault_epoll_wait(epoll, &ready, commands.isEmpty ? patience : 0)
      for index in 0..<max(0, Int(count)) { handle(ready[index]) }
      sweep()
    }
  }

  private func perform(_ command: Command) {
    switch command {
    case .start(let transfer):
      guard !transfer.isEnded else { return }
      let partition =
        partitions[transfer.attempt.route]
        ?? Partition(
          transfer.attempt.route, in: self, mostConnections: transfer.attempt.mostConnections)
      guard let partition else { return transfer.end(.outOfMemory) }
      partitions[transfer.attempt.route] = partition
      partition.start(transfer)
    case .resume(let transfer): transfer.partition?.resume(transfer)
    case .cancel(let transfer):
      guard let partition = transfer.partition else { return transfer.end(.cancelled) }
      partition.cancel(transfer, .cancelled)
    case .close(let number):
      for (route, partition) in partitions where route.transport == number {
        partition.isClosing = true
      }
      nextSweep = 0
    case .discard(let place):
      for (route, partition) in partitions where route.place == place {
        partition.isClosing = true
      }
      nextSweep = 0
    }
  }

  private func handle(_ event: vault_epoll_ready_t) {
    guard event.descriptor != wake else {
      var count: eventfd_t = 0
      // Eight bytes of ours; the number is of no interest.
      _ = unsafe eventfd_read(wake, &count)
      return
    }
    // A partition that closed it a moment ago has left no event that matters.
    guard let partition = sockets[event.descriptor] else { return }
    var actions: Int32 = 0
    if event.events & vault_epoll_in != 0 { actions |= CURL_CSELECT_IN }
    if event.events & vault_epoll_out != 0 { actions |= CURL_CSELECT_OUT }
    if event.events & vault_epoll_failed != 0 { actions |= CURL_CSELECT_ERR }
    partition.act(on: event.descriptor, actions)
  }

  /// The time in milliseconds to wait for events.
  private var patience: Int32 {
    var first: UInt64?
    for partition in timed {
      if let call = partition.nextCall { first = min(first ?? call, call) }
    }
    guard let first else { return partitions.isEmpty ? -1 : Self.sweepInterval }
    let now = Clock.now()
    return first <= now ? 0 : Int32(clamping: min(first - now, UInt64(Self.sweepInterval)))
  }

  private func callTimed() {
    guard !timed.isEmpty else { return }
    let now = Clock.now()
    for partition in timed where partition.nextCall.map({ $0 <= now }) ?? false {
      partition.callTimed(now)
    }
  }

  private static let sweepInterval: Int32 = 10_000

  /// Closes partitions that have been idle.
  private func sweep() {
    let now = Clock.now()
    guard now >= nextSweep else { return }
    nextSweep = now + UInt64(Self.sweepInterval)
    for (route, partition) in partitions where partition.mayClose(now) {
      partitions[route] = nil
      timed.remove(partition)
      partition.close()
    }
  }
}

/// Reports of partitions to the loop, on its thread.
extension TransportLoop {
  /// Watches a socket for a partition, or no longer.
  func watch(_ socket: Int32, for partition: Partition, _ events: UInt32?) {
    guard let events else {
      vault_epoll_forget(epoll, socket)
      sockets[socket] = nil
      return
    }
    sockets[socket] = partition
    // It fails without memory only; then the transfer ends by its time limits.
    _ = vault_epoll_watch(epoll, socket, events)
  }

  /// Notes whether a partition is to be called at a certain time.
  func time(_ partition: Partition) {
    if partition.nextCall == nil { timed.remove(partition) } else { timed.insert(partition) }
  }
}

/// The clock that limits count by.
enum Clock {
  /// Returns a monotonic time in milliseconds.
  static func now() -> UInt64 {
    var time = timespec()
    // A struct of ours.
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1000 + UInt64(time.tv_nsec) / 1_000_000
  }
}
