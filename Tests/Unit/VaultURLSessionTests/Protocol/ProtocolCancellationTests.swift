import Foundation
import ProgramTesting
import Testing

/// Requests that are cancelled at random instants, in processes of their own: Foundation traps and
/// hangs there, and all sessions of the process with it.
@Suite("Cancellation over the transport") struct ProtocolCancellationTests {
  @Test(
    "no trap, no hang, and no thread or descriptor that stays, by the transport and by URLSession",
    arguments: ["transport", "protocol"], [30, 80])
  func random(_ kind: String, percent: Int) throws {
    let driver = Project.products.appending(path: "URLSessionTestDriver").path
    for seed in 1...2 {
      let result = try Sandbox().run(
        [driver, "cancelled-over-transport", kind, "300", "\(percent)", "\(seed)"],
        limit: 300)
      #expect(result.lines == ["all ended", "unrelated 200"], "seed \(seed): \(result.errors)")
    }
  }
}
