package import Foundation
import Glibc
import SecureMemory

/// An HTTP/1.1 server on loopback in this process that answers as a closure says, and logs its
/// requests.
///
/// Connections are kept alive, a thread each; a script that waits delays only its own connection.
/// The server ends with its last reference.
package final class ScriptedServer: Sendable {
  package typealias Script = @Sendable (ScriptedRequest) -> ScriptedResponse

  package struct Failure: Error {
    package let errno: Int32
  }

  /// The state that the threads share, so that none of them keeps the server.
  final class Shared: Sendable {
    struct State {
      var requests: [ScriptedRequest] = []
      var connections: Set<Int32> = []
      var accepted = 0
      var isOver = false
    }

    let state = Lock(State())
    let script: Script

    init(_ script: @escaping Script) {
      self.script = script
    }
  }

  package let port: Int
  private let listener: Int32
  private let shared: Shared

  /// Begins to listen, on a port of the system's choice.
  package init(_ script: @escaping Script) throws {
    shared = Shared(script)
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(errno: errno) }
    do {
      port = try Self.listen(listener)
    } catch {
      close(listener)
      throw error
    }
    Thread.detachNewThread { [listener, shared] in Self.takeConnections(of: listener, shared) }
  }

  deinit {
    shared.state.withLock { state in
      state.isOver = true
      // The reader closes; closed connections are no longer in the list.
      for connection in state.connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }
    // It ends the `accept`, and its thread closes.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// The requests so far, in the order in which they were read.
  package var requests: [ScriptedRequest] { shared.state.withLock { $0.requests } }

  /// The number of connections so far.
  package var connections: Int { shared.state.withLock { $0.accepted } }

  /// Returns the URL of a path on this server.
  package func url(_ path: String = "/", user: String? = nil, password: String? = nil) -> URL {
    var components = URLComponents()
    components.scheme = "http"
    components.host = "127.0.0.1"
    components.port = port
    components.user = user
    components.password = password
    components.percentEncodedPath = String(path.prefix { $0 != "?" })
    components.percentEncodedQuery =
      path.contains("?") ? String(path.drop { $0 != "?" }.dropFirst()) : nil
    guard let url = components.url else { preconditionFailure("\(path) is no path") }
    return url
  }

  /// Starts to listen.
  ///
  /// - Returns: The port that the system chose.
  private static func listen(_ listener: Int32) throws -> Int {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // A sockaddr_in is a sockaddr of that length, and lives for the calls.
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(listener, pointer, length) == 0, Glibc.listen(listener, 128) == 0 else {
          return Int32(-1)
        }
        return unsafe getsockname(listener, pointer, &length)
      }
    }
    guard status == 0 else { throw Failure(errno: errno) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func takeConnections(of listener: Int32, _ shared: Shared) {
    while true {
      // No address is asked for.
      let connection = accept(listener, nil, nil)
      if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard connection >= 0 else { break }
      // Other programs do not inherit it.
      _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
      let number = shared.state.withLock { state -> Int? in
        guard !state.isOver else { return nil }
        state.accepted += 1
        state.connections.insert(connection)
        return state.accepted
      }
      guard let number else {
        close(connection)
        break
      }
      Thread.detachNewThread { serve(connection, number, shared) }
    }
    close(listener)
  }

  private static func serve(_ descriptor: Int32, _ number: Int, _ shared: Shared) {
    let connection = ScriptedConnection(descriptor, number)
    while let request = connection.read() {
      shared.state.withLock { $0.requests.append(request) }
      let response = shared.script(request)
      guard connection.write(response, to: request), !response.closes else { break }
    }
    shared.state.withLock { _ = $0.connections.remove(descriptor) }
    close(descriptor)
  }
}
