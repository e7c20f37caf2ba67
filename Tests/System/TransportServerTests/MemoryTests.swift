import CredentialVault
import Foundation
import ProgramTesting
import TLSCredentials
import Testing
import VaultModel
import VaultTransport

extension TransportOverTLS {
  /// A download over HTTP/2, which has windows of its own.
  @Suite("Memory") struct MemoryOverTLSTests {
    @Test(
      "a long download over HTTP/2 takes little memory",
      .disabled(if: MemoryTests.isSanitized, "a sanitizer's memory counts, too"))
    func download() async throws {
      let servers = try TransportServers.shared
      let count = MemoryTests.count
      let file = servers.sandbox.folder.appending(path: "plain/pages/long")
      #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
      let handle = try FileHandle(forWritingTo: file)
      try handle.truncate(atOffset: UInt64(count))
      try handle.close()
      let url = servers.url(servers.plain, "/long")
      let anchor = servers.sandbox.folder.appending(path: "root.pem").path
      await #expect(processExitsWith: .success) {
        [url = url as String, anchor = anchor as String, count = count as Int] in
        let bytes = try Array(Data(contentsOf: URL(filePath: anchor)))
        let policy = try TrustPolicy(anchors: TrustAnchors(Certificate.all(in: bytes)))
        let transport = try TransferTests.transport { $0.trustPolicy = policy }
        try await MemoryTests.download(url, of: count, "HTTP/2", over: transport)
      }
    }
  }
}

/// Downloads that are longer than the memory that they take.
@Suite("Memory") struct MemoryTests {
  /// Whether a sanitizer has memory of its own in the process.
  static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
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
  static let count =
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
      try await Self.download(server.url(), of: Self.count, "HTTP/1.1", over: transport)
    }
  }

  /// Downloads a body slowly at first, in a process of its own.
  static func download(
    _ url: String, of length: Int, _ version: String, over transport: Transport
  ) async throws {
    let before = try peak()
    let response = try await transport.send(TransportRequest(url))
    precondition(response.version == version, response.version)
    try await Task.sleep(for: .milliseconds(300))
    var count = 0
    for try await bytes in response.body { count += bytes.count }
    precondition(count == length, "\(count)")
    let growth = try peak() - before
    precondition(growth < 20 << 10, "\(growth) KiB")
  }
}
