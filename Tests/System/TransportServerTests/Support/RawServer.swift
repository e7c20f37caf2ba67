import Foundation
import Glibc

/// A server on loopback that does with each connection what a closure says, in a thread of its own.
final class RawServer: Sendable {
  struct Failure: Error { let errno: Int32 }

  let port: Int
  private let listener: Int32

  init(_ serve: @escaping @Sendable (RawConnection) -> Void) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard listener >= 0 else { throw Failure(errno: errno) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // A sockaddr_in is a sockaddr of that length, and lives for the calls.
    let status = unsafe withUnsafeMutablePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        guard unsafe bind(listener, pointer, length) == 0, listen(listener, 128) == 0 else {
          return Int32(-1)
        }
        return unsafe getsockname(listener, pointer, &length)
      }
    }
    guard status == 0 else {
      close(listener)
      throw Failure(errno: errno)
    }
    self.listener = listener
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread.detachNewThread {
      while true {
        // No address is asked for.
        let connection = accept(listener, nil, nil)
        if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
        guard connection >= 0 else { break }
        Thread.detachNewThread {
          serve(RawConnection(descriptor: connection))
          close(connection)
        }
      }
      close(listener)
    }
  }

  // It ends the `accept`, and its thread closes.
  deinit { shutdown(listener, Int32(SHUT_RDWR)) }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }
}

/// One connection, used by one thread.
struct RawConnection {
  let descriptor: Int32

  /// Reads to the end of a request's head; nil at the end of the connection.
  func head() -> String? {
    var text: [UInt8] = []
    while !text.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      var byte: UInt8 = 0
      // One byte of ours.
      guard unsafe recv(descriptor, &byte, 1, 0) == 1 else { return nil }
      text.append(byte)
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads that many bytes of a body.
  func body(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    // As many bytes as the array has.
    let read = unsafe recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
    return Array(bytes.prefix(max(0, read)))
  }

  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  /// Sends bytes; returns whether the client still takes them.
  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    var sent = 0
    while sent < bytes.count {
      // The rest of the array. A client that went away raises no signal.
      let count = unsafe bytes[sent...].withUnsafeBytes {
        unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Waits until the client closes the connection.
  func waitForEnd() {
    var byte: UInt8 = 0
    // One byte of ours.
    while unsafe recv(descriptor, &byte, 1, 0) > 0 {}
  }
}
