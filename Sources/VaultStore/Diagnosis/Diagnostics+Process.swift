import VaultReports
import Glibc
import SecureMemory
import VaultCrypto
import VaultModel

/// Checks of this process and its libraries.
extension Diagnostics {
  mutating func examineProcess() {
    // Made before the report, so that there is memory to report.
    let sample = Secret("sample")
    let report = withExtendedLifetime(sample) { MemoryProtection.report }
    let limit = MemoryProtection.lockLimit.map { "\($0 / 1024) KiB" } ?? "no limit"
    if report.unlockedBytes > 0 {
      add(
        .lockedMemory, .warning,
        "\(report.unlockedBytes) bytes for secrets may be swapped out; the limit is \(limit)",
        remedy: .raiseLockedMemoryLimit)
    } else {
      add(
        .lockedMemory, .ok,
        "\(report.lockedBytes) bytes for secrets are locked; the limit is \(limit)")
    }
    switch (MemoryProtection.isDumpable, MemoryProtection.coreLimit) {
    case (false, 0):
      add(.coreDumps, .ok, "neither a core nor a debugger of this user sees this process")
    case (false, _):
      add(.coreDumps, .ok, "no core is written, and no debugger of this user sees this process")
    case (true, 0):
      add(.coreDumps, .note, "no core file is written, but a debugger of this user can attach")
    default:
      add(
        .coreDumps, .note,
        "a crash may write a core: secrets are left out of it, but attributes are not")
    }
    if MemoryProtection.wipesKeysInChildren {
      add(.forkedChildren, .ok, "the kernel wipes the keys in a forked child")
    } else {
      add(
        .forkedChildren, .note,
        "the keys are wiped in a forked child by the C library's fork alone")
    }
  }

  mutating func examineLibraries() {
    let libraries = [
      ("libsodium", CryptoLibrary.version, CryptoLibrary.builtVersion),
      ("SQLite", SQLiteLibrary.version, SQLiteLibrary.builtVersion),
      ("libidn2", HostLibrary.version, HostLibrary.builtVersion),
    ]
    for (name, running, built) in libraries {
      add(
        .libraries, .ok,
        "\(name) \(running)" + (running == built ? "" : ", built with \(built)"))
    }
    for fault in SQLiteLibrary.faults {
      add(.libraries, VaultError(.unsupported, "SQLite \(fault)"))
    }
  }
}

/// Checks of the vault's lock.
extension Diagnostics {
  mutating func examineLocks(on place: VaultPath, _ connection: Connection) {
    do throws(VaultError) {
      let holders = try Self.holders(of: place)
      guard try connection.isReserved() || holders.contains(where: \.isWriting) else {
        let readers = holders.isEmpty ? "" : ", \(holders.count) are reading"
        return add(.locks, .ok, "no program is writing\(readers)")
      }
      let writers = holders.filter(\.isWriting).map(\.name)
      let who = writers.isEmpty ? "another program" : writers.joined(separator: ", ")
      add(
        .locks, .warning, "\(who) holds the write lock: writers wait for it",
        remedy: .waitLonger)
    } catch {
      add(.locks, error)
    }
  }

  private struct Holder {
    let name: String
    let isWriting: Bool
  }

  /// The offset of SQLite's reserved lock byte in a file.
  ///
  /// Source: <https://sqlite.org/lockingv3.html>, `os_unix.c`.
  private static let reservedByte: UInt64 = 0x4000_0001

  /// Returns the processes with a lock on the file, as far as proc(5) shows them to this user.
  private static func holders(of place: VaultPath) throws(VaultError) -> [Holder] {
    guard let information = try Posix.information(place.path) else { return [] }
    let inode = ":\(information.identity.inode)"
    var writing: [Substring: Bool] = [:]
    for line in SystemText.lines("/proc/locks") {
      // 1: POSIX  ADVISORY  WRITE 4711 08:01:131090 1073741825 1073741825
      let words = line.split(separator: " ")
      guard words.count >= 8, words[1] == "POSIX", words[5].hasSuffix(inode),
        words[4] != "\(getpid())", let first = UInt64(words[6])
      else { continue }
      let isWriting = words[3] == "WRITE" && first >= reservedByte - 1
      writing[words[4], default: false] = writing[words[4]] ?? false || isWriting
    }
    return writing.sorted { $0.key < $1.key }.map { process, isWriting in
      let program = SystemText.lines("/proc/\(process)/comm").first
      return Holder(
        name: "process \(process)" + (program.map { " (\($0))" } ?? ""), isWriting: isWriting)
    }
  }
}

/// Files of proc(5), which have no size.
enum SystemText {
  private static let longest = 1 << 20

  /// Returns the lines of a file; none if it cannot be read.
  static func lines(_ path: String) -> [Substring] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 14)
    while bytes.count < longest {
      // The buffer has as many bytes as are read at most.
      let count = unsafe read(descriptor, &piece, piece.count)
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
