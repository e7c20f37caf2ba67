import Glibc

/// One whole process for one lookup: `vaultctl find` against a C program with SQLite.
struct Processes {
  let stores: Stores
  let report: Report
  let vaultctl: String
  let lookup: String

  /// A single start takes now half, now twice as long as another: many are needed.
  static let rounds = 401

  func run() throws {
    unsafe setenv("VAULTCTL_VAULT", stores.vaultPath, 1)
    unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
    defer {
      unsafe unsetenv("VAULTCTL_VAULT")
      unsafe unsetenv("VAULTCTL_KEY_FILE")
    }
    func find(_ sample: Sample) throws -> Double {
      try time(Self.isSecret) {
        try Child.run(vaultctl, ["find", "-s", sample.server, "-a", sample.account, "-w"])
      }
    }
    func helper(_ sample: Sample) throws -> Double {
      let question = """
        protocol=https
        host=\(sample.server)
        username=\(sample.account)
        path=\(Sample.path.dropFirst())\n\n
        """
      return try time({ $0.contains("username=\(sample.account)\npassword=") }) {
        try Child.run(vaultctl, ["git-credential", "get"], input: Array(question.utf8))
      }
    }
    func peer(_ sample: Sample) throws -> Double {
      try time(Self.isSecret) {
        try Child.run(lookup, [stores.peerPath, sample.server, sample.account])
      }
    }
    try compare("one process: `vaultctl find -w`; C program with SQLite", 1.2, find, peer)
    try compare(
      "one process: `vaultctl git-credential get`; C program with SQLite", 1.2, helper, peer)
    let remembered = "one process: `vaultctl find -w` after `unlock`; with a key file"
    do {
      _ = try Child.run(vaultctl, ["unlock", "-q"])
    } catch {
      // The kernel's keyrings are denied here.
      return report.note(remembered, stores.count)
    }
    // With the key that the kernel keeps, against the key file.
    try compare(remembered, 1.05) { sample in
      unsafe unsetenv("VAULTCTL_KEY_FILE")
      return try find(sample)
    } _: { sample in
      unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
      return try find(sample)
    }
    _ = try Child.run(vaultctl, ["lock", "-q"])
  }

  /// Starts both in turns; the processes of a pair look for the same item.
  private func compare(
    _ work: String, _ limit: Double, _ ours: (Sample) throws -> Double,
    _ peer: (Sample) throws -> Double
  ) throws {
    var pairs = Pairs()
    for round in 0...Self.rounds {
      let sample = Sample(number: (round &* 7919) % stores.count)
      let (ours, peer) = (try ours(sample), try peer(sample))
      // The first pair is not counted.
      if round > 0 { pairs.append(ours, peer) }
    }
    report.add(work, stores.count, pairs, .ratio(limit))
  }

  /// Returns the seconds from the start of a process to its end.
  private func time(
    _ isExpected: (String) -> Bool, _ run: () throws -> String
  ) throws -> Double {
    var output = ""
    let time = try seconds { output = try run() }
    guard isExpected(output) else { throw Failure("a process with another output") }
    return time
  }

  /// Returns whether a line is a secret: 20 bytes, which other measurements may have changed.
  private static func isSecret(_ output: String) -> Bool { output.utf8.count == 21 }
}
