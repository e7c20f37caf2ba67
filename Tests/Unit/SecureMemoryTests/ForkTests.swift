import CForkSupport
import Foundation
import Synchronization
import Testing

@testable import SecureMemory

/// Runs `body` in a forked child; returns its exit code, or 128 and the signal that ended it.
private func inForkedChild(_ fork: () -> pid_t, _ body: () -> Int32) -> Int32 {
  let child = fork()
  if child == 0 {
    // A child that hangs fails the test instead of holding it up.
    end_after(120)
    _exit(body())
  }
  var status: Int32 = 0
  // `status` is a local variable.
  guard child > 0, unsafe waitpid(child, &status, 0) == child else { return -1 }
  return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
}

private func isZero(_ key: borrowing KeyBuffer) -> Bool {
  // The key's bytes, and one pass.
  unsafe key.withUnsafeBytes { unsafe $0.allSatisfy { $0 == 0 } }
}

/// Checks everything that a fork promises; returns a bit for each promise that the child finds
/// broken.
private func brokenPromises(after fork: () -> pid_t) -> Int32 {
  let canary = ForkCanary()
  let key = KeyBuffer(random: 32)
  let large = KeyBuffer(random: 10_000)
  let secret = Secret("handed to both")
  let expected = Secret("handed to both")
  guard !canary.isForkedChild, !isZero(key), !isZero(large) else { return -1 }
  let broken = inForkedChild(fork) {
    var broken: Int32 = 0
    if !canary.isForkedChild { broken |= 1 }
    if !isZero(key) || !isZero(large) { broken |= 2 }
    if !secret.isEqual(to: expected) { broken |= 4 }
    let own = ForkCanary()
    if own.isForkedChild || !canary.isForkedChild || ForkCanary().isForkedChild { broken |= 8 }
    let grandchild = inForkedChild(fork) { own.isForkedChild && canary.isForkedChild ? 0 : 1 }
    if grandchild != 0 { broken |= 16 }
    if isZero(KeyBuffer(random: 32)) { broken |= 32 }
    return broken
  }
  // The parent is as it was.
  return canary.isForkedChild || isZero(key) || isZero(large) ? -2 : broken
}

@Suite("Fork")
struct ForkTests {
  @Test("a forked child knows it, sees its keys as zeros and its secrets as they were")
  func byLibrary() async {
    await #expect(processExitsWith: .success) {
      #expect(brokenPromises(after: fork_by_library) == 0)
    }
  }

  @Test("so does a child made without the C library")
  func bySystemCall() async {
    await #expect(processExitsWith: .success) {
      #expect(brokenPromises(after: fork_by_system_call) == 0)
    }
  }

  @Test("so does a child on a kernel that cannot wipe memory in it")
  func withoutKernelSupport() async {
    await #expect(processExitsWith: .success) {
      #expect(refuse_wipe_on_fork() == 0)
      // The positive control: without a handler, and without the kernel, nothing is noticed.
      #expect(brokenPromises(after: fork_by_system_call) == 1 | 2 | 8 | 16)
      #expect(brokenPromises(after: fork_by_library) == 0)
    }
  }

  @Test("a child reports that what its parent locked is not locked in it")
  func report() async {
    await #expect(processExitsWith: .success) {
      let secrets = [Secret("small"), Secret(pattern(seed: 1, count: 9000))]
      let before = MemoryProtection.report
      let code = inForkedChild(fork_by_library) {
        let inherited = MemoryProtection.report
        guard inherited.lockedBytes == 0, inherited.lockErrno == before.lockErrno else { return 1 }
        let total = before.lockedBytes + before.unlockedBytes
        return inherited.unlockedBytes == total && secrets[0].count == 5 ? 0 : 2
      }
      #expect(code == 0)
    }
  }

  @Test(
    "a child can use secrets and keys whatever its parent's threads were doing",
    .disabled(
      if: isRunning(sanitizer: "tsan"),
      "under TSan Swift locks at each use of a global, and a child may be born with that lock"))
  func whileThreadsAllocate() async {
    await #expect(processExitsWith: .success) {
      // Swift holds a lock of its own while a global is made at its first use, and nobody can take
      // that one around a fork.
      _ = (Secret("first").count, KeyBuffer(random: 0).count)
      let stop = Atomic(false)
      let done = DispatchGroup()
      for _ in 0..<2 {
        done.enter()
        Thread.detachNewThread {
          while !stop.load(ordering: .relaxed) {
            for _ in 0..<100 { _ = (Secret("busy").count, KeyBuffer(random: 0).count) }
          }
          done.leave()
        }
      }
      for _ in 0..<200 {
        let code = inForkedChild(fork_by_library) {
          let secret = Secret("in the child")
          return secret.count == 12 && KeyBuffer(random: 0).count == 0 ? 0 : 1
        }
        guard code == 0 else {
          #expect(code == 0)
          break
        }
      }
      stop.store(true, ordering: .relaxed)
      done.wait()
    }
  }
}
