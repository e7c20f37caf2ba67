import Foundation
import TestSupport
import Testing

@testable import VaultCrypto

/// Machines and containers as the kernel would describe them.
@Suite("AvailableMemory")
struct AvailableMemoryTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try put(
      "/proc/meminfo", "MemTotal: 4194304 kB\nMemAvailable:    2097152 kB\nSwapFree: 1024 kB\n")
    try put("/proc/self/status", "Name:\tx\nVmSize:\t    4096 kB\n")
  }

  private func put(_ path: String, _ text: String) throws {
    let file = URL(filePath: folder.path + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func group(_ path: String, limit: String, used: Int, cache: Int = 0) throws {
    try put("/sys/fs/cgroup\(path)/memory.max", limit + "\n")
    try put("/sys/fs/cgroup\(path)/memory.current", "\(used)\n")
    try put(
      "/sys/fs/cgroup\(path)/memory.stat",
      "anon 1\ninactive_file \(cache / 2)\nactive_file \(cache - cache / 2)\n")
  }

  private func memory(addressSpaceLimit: UInt64? = nil) -> AvailableMemory {
    AvailableMemory(root: folder.path, addressSpaceLimit: addressSpaceLimit)
  }

  @Test("a machine without groups has what it calls available, and its free swap besides")
  func machine() {
    #expect(memory().machine == 2 << 30)
    #expect(memory().withoutSwap == 2 << 30)
    #expect(memory().total == 2 << 30 + 1 << 20)
    #expect(memory().controlGroup == nil && memory().addressSpace == nil)
  }

  @Test("a group leaves its limit less what it uses")
  func group() throws {
    try put("/proc/self/cgroup", "0::/service\n")
    try group("/service", limit: "\(300 << 20)", used: 100 << 20)
    #expect(memory().controlGroup == 200 << 20)
    #expect(memory().withoutSwap == 200 << 20 && memory().total == 200 << 20)
  }

  @Test("the cache of files in a group is given back")
  func cache() throws {
    try put("/proc/self/cgroup", "0::/service\n")
    try group("/service", limit: "\(300 << 20)", used: 299 << 20, cache: 199 << 20)
    #expect(memory().controlGroup == 200 << 20)
    try group("/service", limit: "\(300 << 20)", used: 1 << 20, cache: 2 << 20)
    #expect(memory().controlGroup == 300 << 20)
  }

  @Test("the strictest group on the way to the root counts")
  func nested() throws {
    try put("/proc/self/cgroup", "0::/a/b/c\n")
    try group("/a/b/c", limit: "max", used: 5)
    try group("/a/b", limit: "\(500 << 20)", used: 0)
    try group("/a", limit: "\(400 << 20)", used: 300 << 20)
    #expect(memory().controlGroup == 100 << 20)
  }

  @Test("a group that uses more than its limit leaves nothing")
  func exhausted() throws {
    try put("/proc/self/cgroup", "0::/\n")
    try group("", limit: "\(1 << 20)", used: 2 << 20)
    #expect(memory().controlGroup == 0 && memory().total == 0)
  }

  @Test("in a container the path may be the host's, and the root holds the limit")
  func container() throws {
    try put("/proc/self/cgroup", "0::/system.slice/docker-1.scope\n")
    try group("", limit: "\(64 << 20)", used: 0)
    #expect(memory().controlGroup == 64 << 20)
    try put("/proc/self/cgroup", "0::/../../other\n")
    #expect(memory().controlGroup == 64 << 20)
  }

  @Test(
    "groups of version 1 count where they rule memory, and their way to say \"no limit\" is none")
  func versionOne() throws {
    try put("/proc/self/cgroup", "9:name=systemd:/x\n4:cpu,memory:/docker/1\n0::/\n")
    let folder = "/sys/fs/cgroup/memory/docker"
    try put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    try put("\(folder)/1/memory.limit_in_bytes", "\(96 << 20)\n")
    try put("\(folder)/1/memory.usage_in_bytes", "\(80 << 20)\n")
    try put(
      "\(folder)/1/memory.stat", "total_inactive_file \(1 << 20)\ntotal_active_file \(2 << 20)\n")
    #expect(memory().controlGroup == 19 << 20)
    try put("\(folder)/1/memory.limit_in_bytes", "9223372036854771712\n")
    #expect(memory().controlGroup == nil)
  }

  @Test("a limit of the address space leaves what is not mapped yet")
  func addressSpace() {
    #expect(memory(addressSpaceLimit: 104 << 20).addressSpace == 100 << 20)
    #expect(memory(addressSpaceLimit: 104 << 20).total == 100 << 20)
    #expect(memory(addressSpaceLimit: 1 << 20).total == 0)
  }

  @Test("what is missing or no number limits nothing")
  func unknown() throws {
    for path in ["/proc/meminfo", "/proc/self/cgroup", "/sys/fs/cgroup/memory.max"] {
      for text in ["", "nonsense", ":::", "MemAvailable: many kB", "0::/\n0::", "-1\n"] {
        try put(path, text)
        #expect(memory().controlGroup == nil)
      }
    }
    let nothing = AvailableMemory(root: folder.file("none"), addressSpaceLimit: nil)
    #expect(nothing.total == nil && nothing.withoutSwap == nil)
  }

  @Test("of this machine at least something is known")
  func here() throws {
    let memory = AvailableMemory()
    let total = try #require(memory.total)
    #expect(total > 0)
    #expect(try #require(memory.withoutSwap) <= total)
  }
}
