import Foundation
import HTTPTesting
import ProgramTesting
import TestSupport
import Testing

extension RealServers {
  @Suite("Cancellation over the transport")
  struct CancellationTests {
    /// Long tests make all requests, in ten processes.
    private static let isLong = ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil

    @Test(
      "against a real server no request that is cancelled traps, hangs or leaves anything",
      arguments: ["transport", "protocol"], [30, 80])
    func random(_ kind: String, percent: Int) async throws {
      let url = try Client().url("open/1")
      let driver = Project.products.appending(path: "URLSessionTestDriver").path
      for seed in Self.isLong ? 1...10 : 1...1 {
        let result = try await inThread {
          try Sandbox().run(
            [
              driver, "cancelled-over-transport", kind, Self.isLong ? "5000" : "300", "\(percent)",
              "\(seed)", url,
            ], limit: 300)
        }
        #expect(result.lines == ["all ended", "unrelated 200"], "seed \(seed): \(result.errors)")
      }
    }
  }
}
