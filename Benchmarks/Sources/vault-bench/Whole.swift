import VaultAdministration
import Glibc
import VaultModel

/// Operations that read or write everything: verifying, copying, restoring, rekeying.
struct Whole {
  let stores: Stores
  let report: Report
  let program: String

  private static let rounds = 15

  func run() throws {
    try verify()
    try copies()
    try rekey()
    try memory(atMost: 200)
  }

  /// Measures `verify`, which opens every secret and runs SQLite's check, against a list, which
  /// reads the same buckets.
  private func verify() throws {
    let vault = stores.subject.vault
    let pairs = try alternating(Self.rounds) {
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
      stores.count, pairs, .ratio(4))
  }

  /// Measures copies: the vault's is verified, SQLite's is not.
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
      "backup, the copy verified and durable; SQLite: VACUUM INTO", stores.count, backup,
      .ratio(2))
    try restore(copy, peerCopy)
    Stores.remove(copy)
    Stores.remove(peerCopy)
  }

  /// Restores into a vault with as many items; the backup is verified, and the old file is kept.
  private func restore(_ copy: String, _ peerCopy: String) throws {
    let target = "\(stores.folder)/restored"
    let key = KeySource.keyFile(stores.key)
    try VaultMaintenance.restore(from: copy, to: target, key: key)
    let pairs = try alternating(Self.rounds) {
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
      stores.count, pairs, .ratio(2))
  }

  /// Measures a rekey: a new key, and everything resealed, in one durable transaction.
  private func rekey() throws {
    let times = Times(
      try (0..<Self.rounds).map { _ in
        try seconds { _ = try stores.subject.vault.keys.rekey(keeping: [.keyFile(stores.key)]) }
      })
    report.add(
      alone: "rekey the vault, an item", stores.count, times.median / Double(stores.count),
      .time(5e-6))
  }

  /// Measures the peak memory of a process that opens the vault with a key file and does all this.
  func memory(atMost limit: Double) throws {
    try memory(
      .memoryVault, "memory of a process that lists, verifies, copies, restores and rekeys", limit)
  }

  /// Measures the peak memory of a process that only looks items up.
  func memoryOfLookups(atMost limit: Double) throws {
    try memory(
      .memoryFind, "memory of a process that finds up to 10 000 items, one after another", limit)
  }

  private func memory(_ mode: ChildMode, _ work: String, _ limit: Double) throws {
    let text = try Child.run(
      program, [mode.rawValue, stores.vaultPath, "\(stores.count)", stores.key])
    guard let kilobytes = Double(text.filter(\.isNumber)) else { throw Failure("no memory") }
    report.add(megabytes: work, stores.count, kilobytes / 1024, atMost: limit)
  }
}
