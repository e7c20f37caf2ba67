import Glibc

/// The memory that this process can still get, by source.
///
/// A passphrase's cost is checked against it before anything is derived. Otherwise a container
/// would be killed for a vault that was made on a larger machine. Sources: proc(5); the kernel's
/// `admin-guide/cgroup-v2.rst` and `cgroup-v1/memory.rst`; getrlimit(2).
package struct AvailableMemory: Equatable, Sendable {
  /// The memory that the machine can give without swapping, in bytes; nil if unknown.
  package let machine: UInt64?
  /// The swap space that is free in addition, in bytes.
  package let swap: UInt64
  /// The memory that the strictest control group of this process leaves, in bytes; nil without a
  /// limit.
  package let controlGroup: UInt64?
  /// The memory that `RLIMIT_AS` leaves, in bytes; nil without a limit.
  package let addressSpace: UInt64?

  /// The memory available without swapping, in bytes; nil if unknown.
  package var withoutSwap: UInt64? { least([machine]) }

  /// The memory available in total, in bytes; nil if unknown.
  package var total: UInt64? { least([machine.map { $0 + swap }]) }

  private func least(_ others: [UInt64?]) -> UInt64? {
    (others + [controlGroup, addressSpace]).compactMap { $0 }.min()
  }

  /// Reads the available memory.
  ///
  /// - Parameters:
  ///   - root: The folder that contains `proc` and `sys`; another one in tests.
  ///   - addressSpaceLimit: `RLIMIT_AS` in bytes; nil if there is none.
  package init(root: String = "", addressSpaceLimit: UInt64? = Self.addressSpaceLimit()) {
    let files = SystemFiles(root: root)
    let meminfo = files.numbers("/proc/meminfo")
    machine = meminfo["MemAvailable:"].map { $0 * 1024 }
    swap = (meminfo["SwapFree:"] ?? 0) * 1024
    controlGroup = ControlGroup.all(files).compactMap { $0.available(files) }.min()
    addressSpace = addressSpaceLimit.map { limit in
      // VmSize counts KiB.
      let used = (files.numbers("/proc/self/status")["VmSize:"] ?? 0) * 1024
      return limit > used ? limit - used : 0
    }
  }

  /// Returns the limit on this process's address space in bytes; nil if there is none.
  package static func addressSpaceLimit() -> UInt64? {
    var limit = rlimit()
    // The structure is ours.
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}

/// A group of processes that share a memory limit, with the groups that contain it.
private struct ControlGroup {
  /// The mount point of the hierarchy of groups.
  let mount: String
  let path: String
  /// The files of the limit and of the usage, and the lines of `memory.stat` that are cache.
  let names: (limit: String, used: String, cache: [String])

  /// Returns the groups of this process: that of version 2, and that of version 1 if it controls
  /// memory.
  static func all(_ files: SystemFiles) -> [ControlGroup] {
    files.lines("/proc/self/cgroup").compactMap { line in
      let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count == 3 else { return nil }
      if parts[0] == "0" {
        return ControlGroup(
          mount: "/sys/fs/cgroup", path: String(parts[2]),
          names: ("memory.max", "memory.current", ["inactive_file", "active_file"]))
      }
      guard parts[1].split(separator: ",").contains("memory") else { return nil }
      return ControlGroup(
        mount: "/sys/fs/cgroup/memory", path: String(parts[2]),
        names: (
          "memory.limit_in_bytes", "memory.usage_in_bytes",
          ["total_inactive_file", "total_active_file"]
        ))
    }
  }

  /// Returns the memory that the strictest group on the path to the root leaves.
  ///
  /// In a container, the path may be that of the host, of which only the root is mounted.
  func available(_ files: SystemFiles) -> UInt64? {
    var components = path.split(separator: "/").filter { $0 != ".." }
    var least: UInt64?
    while true {
      let folder = ([mount[...]] + components).joined(separator: "/")
      if let left = available(folder, files) { least = min(least ?? left, left) }
      guard components.popLast() != nil else { return least }
    }
  }

  private func available(_ folder: String, _ files: SystemFiles) -> UInt64? {
    // "max" is not a number, and version 1 expresses "no limit" as a number beyond any machine's
    // memory.
    guard let limit = files.number("\(folder)/\(names.limit)"), limit < 1 << 60 else { return nil }
    let used = files.number("\(folder)/\(names.used)") ?? 0
    // The file cache counts as used, but is released before any process is killed.
    let breakdown = files.numbers("\(folder)/memory.stat")
    let cache = names.cache.reduce(0) { $0 + (breakdown[$1[...]] ?? 0) }
    let held = used > cache ? used - cache : 0
    return limit > held ? limit - held : 0
  }
}

/// The small text files with the kernel's numbers.
private struct SystemFiles {
  let root: String

  /// Returns the number in a file; nil if there is none.
  func number(_ path: String) -> UInt64? {
    lines(path).first.flatMap { UInt64($0) }
  }

  /// Returns the numbers in a file with a name and a number on each line, without their units.
  func numbers(_ path: String) -> [Substring: UInt64] {
    var numbers: [Substring: UInt64] = [:]
    for line in lines(path) {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count > 1, let number = UInt64(words[1]) else { continue }
      numbers[words[0]] = number
    }
    return numbers
  }

  /// Returns the lines of a file; none if it cannot be read, since an unknown limit does not apply.
  func lines(_ path: String) -> [Substring] {
    let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 1 << 14)
    var count = 0
    while count < bytes.count {
      // The rest of the buffer, from `count` on.
      let read = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
      }
      guard read > 0 else { break }
      count += read
    }
    return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
  }
}
