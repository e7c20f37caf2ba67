import Foundation
import ProgramTesting
import TestTraits
import Testing

/// Requests to a real server of which many are cancelled at random instants, in processes of their
/// own: no trap, no hang, and no descriptor or thread that stays; of the transport, no memory
/// either.
@Suite("Cancellation at a real server", .waiting) struct SoakTests {
  /// `make test-long` sends all requests, in ten processes of each kind.
  private static let isLong = ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil
  static let seeds = isLong ? 1...10 : 1...1
  static let count = isLong ? 5000 : 500

  /// A sanitizer has a `malloc` of its own, which tells nothing.
  private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // A null handle stands for everything that is loaded.
    unsafe dlsym(nil, name) != nil
  }

  @Test(
    "of requests over HTTP/1.1 and HTTP/2 30 % and 80 % are cancelled",
    arguments: ["transport", "protocol"], [30, 80])
  func random(_ kind: String, percent: Int) throws {
    let sandbox = try Sandbox()
    let folder = sandbox.folder.appending(path: "server")
    let certificate = folder.appending(path: "server.pem")
    try FileManager.default.createDirectory(
      at: folder.appending(path: "pages"), withIntermediateDirectories: true)
    for (page, count) in [("page", 100), ("large", 1 << 20)] {
      try Data(repeating: 0x61, count: count).write(to: folder.appending(path: "pages/\(page)"))
    }
    let made = try sandbox.run([
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-days", "2", "-subj", "/CN=soak", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
      folder.appending(path: "server.key").path, "-out", certificate.path,
    ])
    try #require(made.status == 0, "\(made.errors)")
    for (scheme, listening) in [("http", "backlog=511"), ("https", "ssl http2")] {
      let server = try HTTPServer(
        "soak", in: sandbox, values: ["TLS": listening], users: ["ann": "right"])
      let driver = Project.products.appending(path: "URLSessionTestDriver").path
      for seed in Self.seeds {
        let result = try sandbox.run(
          [
            driver, "cancelled-over-transport", kind, "\(Self.count)", "\(percent)", "\(seed)",
            "\(scheme)://127.0.0.1:\(server.port)", certificate.path,
          ], limit: 300)
        let text = "\(scheme), seed \(seed): \(result.lines) \(result.errors)"
        #expect(
          result.lines.first == "all ended" && result.lines.last == "unrelated 200", "\(text)")
        if kind == "transport", !Self.isSanitized {
          #expect(result.lines.dropFirst().first == "nothing stays", "\(text)")
        }
      }
    }
  }
}
