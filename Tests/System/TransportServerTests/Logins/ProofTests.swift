import Foundation
import Glibc
import HTTPTesting
import ProgramTesting
import Testing

extension LoginsOnConnections {
  @Suite("The server's proof")
  struct ProofTests {
    let client: LoginClient

    init() throws { client = try LoginClient() }

    /// Relays to the server, and changes the server's tokens in responses with a status.
    private func relay(_ change: @escaping @Sendable (String) -> String) throws -> RawServer {
      let port = client.servers.apache.port
      return try RawServer { connection in
        guard let server = RawConnection(connectingTo: port) else { return }
        defer { close(server.descriptor) }
        while let head = connection.head(), server.send(head), let answer = server.head() {
          let length = answer.split(separator: "\r\n").compactMap { line in
            line.hasPrefix("Content-Length: ") ? Int(line.dropFirst(16)) : nil
          }.first
          connection.send(answer.contains(" 200 OK") ? change(answer) : answer)
          connection.send(server.body(length ?? 0))
        }
      }
    }

    @Test("a token that somebody has changed is no proof, and the response is not the server's")
    func tampered() throws {
      try client.store("ann", "annpw")
      let relay = try relay { head in
        let name = "WWW-Authenticate: Negotiate "
        guard let token = head.range(of: name)?.upperBound else { return head }
        // Within the part that only the server can make.
        let place = head.index(token, offsetBy: 90)
        let other = head[place] == "A" ? "B" : "A"
        return String(head[..<place]) + other + String(head[head.index(after: place)...])
      }
      try client.vaultctl(
        "modify", "-s", "localhost", "--set-port", "\(relay.port)")
      let lines = try client.get(["url=http://localhost:\(relay.port)/nego/tampered"])
      #expect(lines == ["[401, 200] unproven a page"])
    }

    @Test("a missing token is no proof where one is required", arguments: [false, true])
    func missing(isRequired: Bool) throws {
      try client.store("ann", "annpw")
      let relay = try relay { head in
        head.split(separator: "\r\n", omittingEmptySubsequences: false)
          .filter { !$0.hasPrefix("WWW-Authenticate:") }.joined(separator: "\r\n")
      }
      try client.vaultctl("modify", "-s", "localhost", "--set-port", "\(relay.port)")
      let lines = try client.get(
        ["url=http://localhost:\(relay.port)/nego/missing"] + (isRequired ? ["proof"] : []))
      #expect(
        isRequired
          ? lines.first?.hasPrefix("[401, 200] error ") == true
          : lines == ["[401, 200] done a page"], "\(lines)")
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
