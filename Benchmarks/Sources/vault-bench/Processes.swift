import Glibc

/// One whole process for one lookup: `vaultctl find` against a C program with SQLite.
struct Processes {
  let stores: Stores
  let report: Report
  let vaultctl: String
  let lookup: String

  func run() throws {
    unsafe setenv("VAULTCTL_VAULT", stores.vaultPath, 1)
    unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
    defer {
      unsafe unsetenv("VAULTCTL_VAULT")
      unsafe unsetenv("VAULTCTL_KEY_FILE")
    }
    let work = "one process: `vaultctl find -w`; C program with SQLite"
    var number = 0
    func measure(_ run: (Sample) throws -> String) throws -> Double {
      number += 1
      // From the end of the sample: items that no other measurement has changed.
      let sample = Sample(number: (number &* 7919) % stores.count)
      return try seconds {
        guard try run(sample).utf8.count == 21 else { throw Failure("\(work): wrong output") }
      }
    }
    func find() throws -> Double {
      try measure { try Child.run(vaultctl, ["find", "-s", $0.server, "-a", $0.account, "-w"]) }
    }
    let (ours, peer) = try alternating(101) {
      try find()
    } peer: {
      try measure { try Child.run(lookup, [stores.peerPath, $0.server, $0.account]) }
    }
    report.add(work, stores.count, ours.median, peer.median, limit: 1.5)
    try remembered(find)
  }

  /// The same with the key that the kernel keeps, against the key file.
  private func remembered(_ find: () throws -> Double) throws {
    let work = "one process: `vaultctl find -w` after `unlock`; with a key file"
    do {
      _ = try Child.run(vaultctl, ["unlock", "-q"])
    } catch {
      // The kernel's keyrings are denied here.
      return report.note(work, stores.count, "–")
    }
    let (ours, peer) = try alternating(101) {
      unsafe unsetenv("VAULTCTL_KEY_FILE")
      return try find()
    } peer: {
      unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
      return try find()
    }
    _ = try Child.run(vaultctl, ["lock", "-q"])
    report.add(work, stores.count, ours.median, peer.median, limit: 1.05)
  }
}
