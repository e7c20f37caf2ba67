import Foundation
import ProgramTesting
import Testing

/// Requests that are cancelled at random instants, in processes of their own: Foundation traps and
/// hangs there, and all sessions of the process with it.
@Suite("Cancellation over the transport") struct ProtocolCancellationTests {
  /// Long tests make all requests, in ten processes of each kind.
  private static let isLong = ProcessInfo.processInfo.environment["VAULT_LONG_TESTS"] != nil
  static let seeds = isLong ? 1...10 : 1...2
  static let count = isLong ? 5000 : 300

  @Test(
    "no trap, no hang and nothing that stays, by the transport and by URLSession",
    arguments: ["transport", "protocol"], [30, 80])
  func random(_ kind: String, percent: Int) throws {
    let driver = Project.products.appending(path: "URLSessionTestDriver").path
    for seed in Self.seeds {
      let result = try Sandbox().run(
        [driver, "cancelled-over-transport", kind, "\(Self.count)", "\(percent)", "\(seed)"],
        limit: 300)
      #expect(result.lines == ["all ended", "unrelated 200"], "seed \(seed): \(result.errors)")
    }
  }
}
