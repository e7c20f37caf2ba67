import CredentialVault
import Foundation
import Testing
import VaultModel
import VaultTransport

/// Downloads that are longer than the memory that they take.
@Suite("Memory") struct MemoryTests {
  /// Whether a sanitizer has memory of its own in the process.
  private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // A null handle stands for everything that is loaded.
    unsafe dlsym(nil, name) != nil
  }

  /// Returns the largest resident memory of the process so far, in KiB.
  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? .max
  }

  /// `make test-long` downloads 3 GB.
  private static let count =
    ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] == nil ? 300 << 20 : 3000 << 20

  @Test(
    "a long download takes little memory, also if its reader is slow",
    .disabled(if: isSanitized, "a sanitizer's memory counts, too"))
  func download() async {
    await #expect(processExitsWith: .success) {
      let piece = [UInt8](repeating: 5, count: 1 << 20)
      let server = try RawServer { connection in
        guard connection.head() != nil else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(Self.count)\r\n\r\n")
        for _ in 0..<(Self.count >> 20) { guard connection.send(piece) else { return } }
      }
      let transport = try TransferTests.transport()
      let before = try Self.peak()
      let response = try await transport.send(TransportRequest(server.url()))
      try await Task.sleep(for: .milliseconds(300))
      var count = 0
      for try await bytes in response.body { count += bytes.count }
      precondition(count == Self.count, "\(count)")
      let growth = try Self.peak() - before
      precondition(growth < 20 << 10, "\(growth) KiB")
    }
  }
}
