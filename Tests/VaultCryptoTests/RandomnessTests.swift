import CForkSupport
import Foundation
import Synchronization
import Testing

@testable import VaultCrypto

@Suite("Randomness")
struct RandomnessTests {
  @Test("a child that is forked while a thread draws bytes draws its own, and waits for nobody")
  func forkedWhileDrawing() async {
    await #expect(processExitsWith: .success) {
      // Before the fork: what Swift makes once, it makes under locks of its own.
      _ = Randomness.bytes(24)
      let hasDrawn = Atomic(false)
      Thread.detachNewThread {
        while true {
          _ = Randomness.bytes(24)
          hasDrawn.store(true, ordering: .relaxed)
        }
      }
      // The thread, too: under ThreadSanitizer it is still at that when a child is made at once.
      while !hasDrawn.load(ordering: .relaxed) { usleep(1000) }
      for _ in 0..<100 {
        let child = fork_by_library()
        if child == 0 {
          // A child that hangs fails the test instead of holding it up.
          end_after(10)
          _exit(Randomness.bytes(24).count == 24 ? 0 : 1)
        }
        var status: Int32 = 0
        // `status` is a local variable.
        guard child > 0, unsafe waitpid(child, &status, 0) == child else { exit(2) }
        guard status == 0 else { exit(3) }
      }
      exit(0)
    }
  }
}
