import Glibc

/// How much memory this process can still get, by each of those that give it.
///
/// A passphrase's cost is held against it before anything is derived: without, a container would be
/// killed for a vault that was made on a larger machine. Sources: proc(5); the kernel's
/// `admin-guide/cgroup-v2.rst` and `cgroup-v1/memory.rst`; getrlimit(2).
package struct AvailableMemory: Equatable, Sendable {
  /// What the machine can give without swapping, in bytes; nil if it does not say.
  package let machine: UInt64?
  /// What it can swap out besides, in bytes.
  package let swap: UInt64
  /// What the strictest control group around this process leaves, in bytes; nil without a limit.
  package let controlGroup: UInt64?
  /// What `RLIMIT_AS` leaves, in bytes; nil without a limit.
  package let addressSpace: UInt64?

  /// What can be had without swapping, in bytes; nil if nothing is known of it.
  package var withoutSwap: UInt64? { least([machine]) }

  /// What can be had at all, in bytes; nil if nothing is known of it.
  package var total: UInt64? { least([machine.map { $0 + swap }]) }

  private func least(_ others: [UInt64?]) -> UInt64? {
    (others + [controlGroup, addressSpace]).compactMap { $0 }.min()
  }

  /// - Parameters:
  ///   - root: What `proc` and `sys` are looked for below; another folder in tests.
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

  /// The limit on this process's address space in bytes; nil if there is none.
  package static func addressSpaceLimit() -> UInt64? {
    var limit = rlimit()
    // The structure is ours.
    guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0,
      limit.rlim_cur != rlim_t.max
    else { return nil }
    return UInt64(limit.rlim_cur)
  }
}

/// A group of processes that share a limit on memory, and those around it.
private struct ControlGroup {
  /// Where the hierarchy of groups is mounted.
  let mount: String
  let path: String
  /// The files of the limit and of what is used, and the lines of `memory.stat` that are cache.
  let names: (limit: String, used: String, cache: [String])

  /// The groups of this process: of version 2, and of version 1 where that rules memory.
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

  /// What the strictest group on the way to the root leaves.
  ///
  /// In a container the path may be that of the host, of which only the root is mounted here.
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
    // "max" is no number, and version 1 says "no limit" with one that no machine has.
    guard let limit = files.number("\(folder)/\(names.limit)"), limit < 1 << 60 else { return nil }
    let used = files.number("\(folder)/\(names.used)") ?? 0
    // The cache of files counts as used, but is given back before anybody is killed.
    let breakdown = files.numbers("\(folder)/memory.stat")
    let cache = names.cache.reduce(0) { $0 + (breakdown[$1[...]] ?? 0) }
    let held = used > cache ? used - cache : 0
    return limit > held ? limit - held : 0
  }
}

/// The small text files in which the kernel tells its numbers.
private struct SystemFiles {
  let root: String

  /// A file with one number; nil if there is none.
  func number(_ path: String) -> UInt64? {
    lines(path).first.flatMap { UInt64($0) }
  }

  /// A file with a name and a number a line; a unit behind them is left out.
  func numbers(_ path: String) -> [Substring: UInt64] {
    var numbers: [Substring: UInt64] = [:]
    for line in lines(path) {
      let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
      guard words.count > 1, let number = UInt64(words[1]) else { continue }
      numbers[words[0]] = number
    }
    return numbers
  }

  /// No line at all of a file that cannot be read: what is not known limits nothing.
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
