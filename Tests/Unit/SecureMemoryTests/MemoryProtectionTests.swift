import CForkSupport
import Foundation
import Testing

@testable import SecureMemory

/// Returns the number of bytes that the kernel counts as locked by this process.
private func lockedBytesByKernel() throws -> Int {
  let line = try #require(try linesOfOwnProcess("status").first { $0.hasPrefix("VmLck:") })
  return try #require(Int(line.filter(\.isNumber))) * 1024
}

@Suite(
  "MemoryProtection",
  .disabled(
    if: isRunning(sanitizer: "asan") || isRunning(sanitizer: "tsan"),
    "sanitizers replace mlock by a function that does nothing and succeeds"))
struct MemoryProtectionTests {
  @Test("100 000 secrets of 20 bytes are locked within 8 MiB, distinct and right")
  func manySecrets() async {
    await #expect(processExitsWith: .success) {
      #expect(limit_locked_memory(8 << 20) == 0)
      func word(_ number: Int) -> Secret {
        // Bytes 9 to 16 of 20.
        unsafe Secret(count: 20) { unsafe $0.storeBytes(of: number, toByteOffset: 9, as: Int.self) }
      }
      let secrets = (0..<100_000).map(word)
      let wrong = secrets.enumerated().count { !$1.isEqual(to: word($0)) }
      #expect(wrong == 0)
      let report = MemoryProtection.report
      #expect(report.lockedBytes >= 100_000 * 20 && report.lockedBytes <= 8 << 20)
      #expect(report.unlockedBytes == 0)
      #expect(report.lockErrno == nil)
      let kernelsCount = try lockedBytesByKernel()
      #expect(kernelsCount == report.lockedBytes)
    }
  }

  @Test("memory that may not be locked is used, and reported")
  func nothingLocked() async {
    await #expect(processExitsWith: .success) {
      #expect(limit_locked_memory(0) == 0)
      let secret = Secret("still works")
      let key = KeyBuffer(random: 10_000)
      #expect(secret.isEqual(to: Secret("still works")) && key.count == 10_000)
      let report = MemoryProtection.report
      #expect(report.lockedBytes == 0)
      #expect(report.unlockedBytes > 10_000)
      #expect(report.lockErrno == EPERM)
      let kernelsCount = try lockedBytesByKernel()
      #expect(kernelsCount == 0)
    }
  }

  @Test("beyond the limit the rest is used unlocked, and reported")
  func partlyLocked() async {
    await #expect(processExitsWith: .success) {
      #expect(limit_locked_memory(64 * 1024) == 0)
      let small = (0..<100).map { Secret("secret \($0)") }
      let large = Secret(pattern(seed: 1, count: 100_000))
      #expect(small.count == 100 && large.count == 100_000)
      let report = MemoryProtection.report
      #expect(report.lockedBytes > 0 && report.lockedBytes <= 64 * 1024)
      #expect(report.unlockedBytes >= 100_000)
      #expect(report.lockErrno == ENOMEM)
      let kernelsCount = try lockedBytesByKernel()
      #expect(kernelsCount == report.lockedBytes)
    }
  }

  @Test("the process's limits and whether it can be dumped are told as they are")
  func limits() async {
    await #expect(processExitsWith: .success) {
      #expect(limit_locked_memory(64 * 1024) == 0)
      #expect(MemoryProtection.lockLimit == 64 * 1024)
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      // The structure is this test's.
      #expect(unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) == 0)
      #expect(MemoryProtection.coreLimit == 0)
      #expect(MemoryProtection.isDumpable)
      #expect(forbid_dumps() == 0)
      #expect(!MemoryProtection.isDumpable)
    }
  }

  @Test("whether the kernel wipes keys in a child is tried, not assumed")
  func wiping() async {
    await #expect(processExitsWith: .success) { #expect(MemoryProtection.wipesKeysInChildren) }
    await #expect(processExitsWith: .success) {
      #expect(refuse_wipe_on_fork() == 0)
      #expect(!MemoryProtection.wipesKeysInChildren)
    }
  }
}
