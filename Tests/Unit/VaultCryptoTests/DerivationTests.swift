import CForkSupport
import Foundation
import SecureMemory
import Synchronization
import TestSupport
import Testing
import VaultModel

@testable import VaultCrypto

/// Argon2id derivations of one process.
@Suite("Derivation")
struct DerivationTests {
  private static func derive(memoryKiB: Int) {
    let salt = [UInt8](repeating: 1, count: SlotKey.saltSize)
    let cost = PassphraseCost(unchecked: memoryKiB, 1)
    guard (try? SlotKey(passphrase: Secret("p"), salt: salt, cost: cost)) != nil else { exit(4) }
  }

  /// Returns the largest resident memory of the process so far, in KiB.
  private static func peak() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? .max
  }

  /// Whether a sanitizer has memory and locks of its own in the process.
  private static let isSanitized = ["__asan_init", "__tsan_init"].contains { (name: String) in
    // A null handle stands for everything that is loaded.
    unsafe dlsym(nil, name) != nil
  }

  @Test(
    "four at once need the memory of one",
    .disabled(if: isSanitized, "a sanitizer's memory counts, too"))
  func memory() async {
    await #expect(processExitsWith: .success) {
      let one = 96 << 10
      Self.derive(memoryKiB: one)
      let before = Self.peak()
      let done = DispatchGroup()
      for _ in 0..<4 {
        let thread = Thread {
          Self.derive(memoryKiB: one)
          done.leave()
        }
        done.enter()
        thread.start()
      }
      done.wait()
      exit(Self.peak() < before + one / 2 ? 0 : 3)
    }
  }

  @Test(
    "a child that is forked during one derives keys of its own, and waits for nobody",
    .disabled(if: isSanitized, "a child may be born with a sanitizer's lock"))
  func forkedWhileDeriving() async {
    await #expect(processExitsWith: .success) {
      Self.derive(memoryKiB: 8192)
      let count = Atomic(0)
      Thread.detachNewThread {
        while true {
          Self.derive(memoryKiB: 8192)
          count.add(1, ordering: .relaxed)
        }
      }
      while count.load(ordering: .relaxed) == 0 { usleep(1000) }
      for _ in 0..<10 {
        let child = fork_by_library()
        if child == 0 {
          // A child that hangs fails the test instead of holding it up.
          end_after(120)
          Self.derive(memoryKiB: 8192)
          _exit(0)
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
