import Foundation
import Glibc
import ProgramTesting

extension LoginClient {
  /// Relays requests to Apache, and changes the heads of its responses.
  func relay(_ change: @escaping @Sendable (String) -> String) throws -> RawServer {
    let port = servers.apache.port
    return try RawServer { connection in
      guard let server = RawConnection(connectingTo: port) else { return }
      defer { close(server.descriptor) }
      while let head = connection.head(), server.send(head), let answer = server.head() {
        let length = answer.split(separator: "\r\n").compactMap { line in
          line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
        }.first
        connection.send(change(answer))
        connection.send(server.body(length ?? 0))
      }
    }
  }
}

extension RawConnection {
  /// Connects to a server on loopback.
  init?(connectingTo port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    // A sockaddr_in is a sockaddr of that length, and lives for the call.
    let status = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, length)
      }
    }
    guard status == 0 else {
      close(descriptor)
      return nil
    }
    self.init(descriptor: descriptor)
  }
}
