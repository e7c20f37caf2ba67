import CredentialVault
import Glibc
import VaultModel

/// Operations that read or write everything: verifying, copying, restoring, rekeying.
struct Whole {
  let stores: Stores
  let report: Report
  let program: String

  private static let rounds = 5

  func run() throws {
    try verify()
    try copies()
    try rotate()
    try memory(limit: 200)
  }

  /// Verify opens every secret and runs SQLite's check; a list reads the same buckets.
  private func verify() throws {
    let vault = stores.subject.vault
    let times = try alternating(Self.rounds) {
      try seconds {
        guard try vault.maintenance.verify().isClean else { throw Failure("not clean") }
      }
    } peer: {
      try seconds {
        guard try vault.findAll(ItemQuery()).count == stores.count else { throw Failure("count") }
      }
    }
    report.add(
      "verify: every secret opened, and SQLite's integrity check; against the vault's own list",
      stores.count, times.ours.median, times.peer.median, limit: 4)
  }

  /// The copy is verified, SQLite's is not.
  private func copies() throws {
    let vault = stores.subject.vault
    let (copy, peerCopy) = ("\(stores.folder)/copy", "\(stores.folder)/copy.db")
    let backup = try alternating(Self.rounds) {
      Stores.remove(copy)
      return try seconds {
        guard try vault.maintenance.backup(to: copy).itemCount == stores.count else {
          throw Failure("count")
        }
      }
    } peer: {
      Stores.remove(peerCopy)
      return try seconds { try stores.peer.execute("VACUUM INTO '\(peerCopy)'") }
    }
    report.add(
      "backup, the copy verified and durable; SQLite: VACUUM INTO", stores.count,
      backup.ours.median, backup.peer.median, limit: 2)
    try restore(copy, peerCopy)
    Stores.remove(copy)
    Stores.remove(peerCopy)
  }

  /// Restores into a vault with as many items; the backup is verified, and the old file is kept.
  private func restore(_ copy: String, _ peerCopy: String) throws {
    let target = "\(stores.folder)/restored"
    let key = KeySource.keyFile(stores.key)
    try VaultMaintenance.restore(from: copy, to: target, key: key)
    let times = try alternating(Self.rounds) {
      var kept: String?
      let time = try seconds {
        kept = try VaultMaintenance.restore(from: copy, to: target, key: key).keptPath
      }
      kept.map(Stores.remove)
      return time
    } peer: {
      Stores.remove(peerCopy)
      return try seconds { try stores.peer.execute("VACUUM INTO '\(peerCopy)'") }
    }
    Stores.remove(target)
    report.add(
      "restore over the vault: verified before, the old file kept, durable; SQLite: VACUUM INTO",
      stores.count, times.ours.median, times.peer.median, limit: 2)
  }

  /// A new key, everything sealed anew, in one durable transaction.
  private func rotate() throws {
    let times = Times(
      try (0..<Self.rounds).map { _ in
        try seconds { _ = try stores.subject.vault.keys.rekey(keeping: [.keyFile(stores.key)]) }
      })
    report.add(
      "rotate the vault's key, an item", stores.count, times.median / Double(stores.count),
      peer: "–", atMost: 5e-6, "≤ 5 µs")
  }

  /// Returns the peak memory of a process that opens the vault with a key file and does all this.
  func memory(limit: Double?) throws {
    let text = try Child.run(
      program, [ChildMode.memoryVault.rawValue, stores.vaultPath, "\(stores.count)", stores.key])
    guard let kilobytes = Double(text.filter(\.isNumber)) else { throw Failure("no memory") }
    report.add(
      megabytes: "memory of a process that lists, verifies, copies, restores and rotates",
      stores.count,
      kilobytes / 1024, limit: limit)
  }
}

/// The most memory that this process has had at once, in KiB.
///
/// Not by getrusage(2), whose figure a program takes over from the one that started it.
func peakMemory() throws -> Int {
  guard let file = unsafe fopen("/proc/self/status", "r") else { throw Failure("no status") }
  // The stream is open until the end of this function.
  defer { unsafe fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 8192)
  // The buffer has as many bytes as are read.
  let count = unsafe fread(&bytes, 1, bytes.count, file)
  let lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n")
  guard let line = lines.first(where: { $0.hasPrefix("VmHWM:") }),
    let kilobytes = Int(line.filter(\.isNumber))
  else { throw Failure("no peak of memory") }
  return kilobytes
}
