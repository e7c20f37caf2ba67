import Foundation
import Glibc
import SecureMemory

/// A TCP proxy before a server, which fails at a chosen message.
///
/// A client's first message begins its session, its second begins a write, and its third commits
/// one, however slow the machine is: see ``Repetition``.
final class Proxy: Sendable {
  /// The treatment of a message from the client.
  enum Action: Sendable {
    case pass
    /// It is not passed on, and both connections end.
    case drop
    /// It is passed on, and both connections end before the answer.
    case cutAnswer
    /// It is not passed on, and nothing ends.
    case hold
    /// It is passed on, and the answer is not.
    case holdAnswer
    /// It is passed on, and the client's connection ends once `passed` has returned.
    case passWithoutAnswer
    /// It is passed on, and answers come one byte at a time from then on.
    case trickle
  }

  private struct State {
    var sockets: [Int32] = []
    var isClosed = false
    var messages = 0
    var repetitions = 0
  }

  let port: Int
  private let listener: Int32
  private let server: Int
  private let state = Lock(State())
  /// Returns what happens to the message with a number, counted over all connections.
  private let decide: @Sendable (Int) -> Action
  /// Called when a message with a number was passed on.
  private let passed: @Sendable (Int) -> Void
  /// The delay of a message, in each direction.
  private let delay: Duration

  init(
    before server: Int, delay: Duration = .zero,
    passed: @escaping @Sendable (Int) -> Void = { _ in },
    _ decide: @escaping @Sendable (Int) -> Action
  ) throws {
    (self.server, self.delay) = (server, delay)
    (self.decide, self.passed) = (decide, passed)
    (listener, port) = try Self.listen()
    Thread.detachNewThread { [self] in accept() }
  }

  /// Returns a socket that listens on loopback, which the caller closes, and its port.
  static func listen() throws -> (socket: Int32, port: Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    // The structure is ours, and the calls get its size.
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        unsafe bind(listener, pointer, size) | Glibc.listen(listener, 64)
          | getsockname(listener, pointer, &size)
      }
    }
    guard status == 0 else { throw POSIXError(.EADDRINUSE) }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// The number of messages of clients so far, without repetitions.
  var messages: Int { state.withLock { $0.messages } }
  /// The number of all messages of clients so far.
  var allMessages: Int { state.withLock { $0.messages + $0.repetitions } }

  /// Ends all connections, and takes no more.
  func close() {
    let sockets = state.withLock { state in
      state.isClosed = true
      return state.sockets
    }
    for socket in sockets + [listener] { shutdown(socket, Int32(SHUT_RDWR)) }
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    address.sin_port = in_port_t(port).bigEndian
    return address
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { return }
      let other = socket(
        AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      var address = Self.loopback(server)
      // The structure is ours, and the call gets its size.
      let status = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          unsafe connect(other, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      let isClosed = state.withLock { state in
        state.sockets += [client, other]
        return state.isClosed
      }
      guard status == 0, !isClosed else {
        for socket in [client, other] { shutdown(socket, Int32(SHUT_RDWR)) }
        continue
      }
      let (isHeld, isTrickling) = (Lock(false), Lock(false))
      Thread.detachNewThread { [self] in forward(client, other, isHeld, isTrickling) }
      Thread.detachNewThread { [self] in answer(other, client, isHeld, isTrickling) }
    }
  }

  /// Passes a client's messages on; one is what a single read returns.
  private func forward(
    _ client: Int32, _ server: Int32, _ isHeld: Lock<Bool>, _ isTrickling: Lock<Bool>
  ) {
    var repetition = Repetition()
    while let bytes = Self.read(client) {
      if repetition.has(bytes) {
        state.withLock { $0.repetitions += 1 }
        wait()
        Self.write(bytes, server)
        continue
      }
      let number = state.withLock { state in
        state.messages += 1
        return state.messages
      }
      wait()
      let action = decide(number)
      switch action {
      case .pass:
        Self.write(bytes, server)
        passed(number)
      case .drop:
        for socket in [client, server] { shutdown(socket, Int32(SHUT_RDWR)) }
      case .cutAnswer:
        isHeld.withLock { $0 = true }
        Self.write(bytes, server)
        // The server answers when it is done; nothing of that is passed on.
        shutdown(server, Int32(SHUT_WR))
        shutdown(client, Int32(SHUT_RDWR))
      case .passWithoutAnswer:
        isHeld.withLock { $0 = true }
        Self.write(bytes, server)
        passed(number)
        shutdown(client, Int32(SHUT_RDWR))
      case .hold: break
      case .holdAnswer:
        isHeld.withLock { $0 = true }
        Self.write(bytes, server)
      case .trickle:
        isTrickling.withLock { $0 = true }
        Self.write(bytes, server)
      }
    }
    shutdown(server, Int32(SHUT_RDWR))
  }

  private func answer(
    _ server: Int32, _ client: Int32, _ isHeld: Lock<Bool>, _ isTrickling: Lock<Bool>
  ) {
    while let bytes = Self.read(server) {
      wait()
      if isTrickling.withLock({ $0 }) {
        for byte in bytes where !state.withLock(\.isClosed) {
          Self.write([byte], client)
          usleep(20_000)
        }
        continue
      }
      if !isHeld.withLock({ $0 }) { Self.write(bytes, client) }
    }
    if !isHeld.withLock({ $0 }) { shutdown(client, Int32(SHUT_RDWR)) }
  }

  private func wait() {
    if delay > .zero { usleep(UInt32(delay / .microseconds(1))) }
  }

  private static func read(_ socket: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    // The buffer has as many bytes as are read.
    let count = unsafe bytes.withUnsafeMutableBytes { buffer in
      unsafe recv(socket, buffer.baseAddress, buffer.count, 0)
    }
    return count > 0 ? Array(bytes.prefix(count)) : nil
  }

  private static func write(_ bytes: [UInt8], _ socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // The buffer has as many bytes as are written.
      let count = unsafe rest.withUnsafeBytes { buffer in
        unsafe send(socket, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }
}
