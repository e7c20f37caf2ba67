import Glibc

/// One whole process that imports a table, against SQLite that is given its rows in memory.
struct Imports {
  let stores: Stores
  let report: Report
  let vaultctl: String

  private var table: String { "\(stores.folder)/import.csv" }
  private var vaultPath: String { "\(stores.folder)/import.vault" }
  private var peerPath: String { "\(stores.folder)/import.db" }

  /// Imports into a vault that is made anew each time.
  ///
  /// - Parameter limit: The most memory, in MiB, if it is to be measured.
  func run(memoryAtMost limit: Double? = nil) throws {
    let rounds = stores.count > 100_000 ? 3 : stores.count > 10_000 ? 15 : 201
    let samples = Sample.shuffled(0..<stores.count)
    let peerItems = samples.map(PeerItem.init)
    try write(samples)
    unsafe setenv("VAULTCTL_VAULT", vaultPath, 1)
    unsafe setenv("VAULTCTL_KEY_FILE", stores.key, 1)
    defer {
      unsafe unsetenv("VAULTCTL_VAULT")
      unsafe unsetenv("VAULTCTL_KEY_FILE")
      for path in [table, vaultPath, peerPath] { Stores.remove(path) }
    }
    let pairs = try alternating(rounds) {
      try createVault()
      return try seconds { _ = try Child.run(vaultctl, ["import", "-q", "firefox", table]) }
        / Double(stores.count)
    } peer: {
      Stores.remove(peerPath)
      let peer = try Peer(path: peerPath, creating: true)
      return try seconds { try peer.insertAll(peerItems) } / Double(stores.count)
    }
    report.add(
      "one process: `vaultctl import` of a table, a row; SQLite: rows in memory", stores.count,
      pairs, .rate(0.5))
    if let limit {
      try createVault()
      let text = try Child.run(
        Options.ownPath(), ["memory-of", vaultctl, "import", "-q", "firefox", table])
      guard let kilobytes = Double(text.filter(\.isNumber)) else { throw Failure("no memory") }
      report.add(
        megabytes: "memory of `vaultctl import` of a table", stores.count, kilobytes / 1024,
        atMost: limit)
    }
  }

  private func createVault() throws {
    Stores.remove(vaultPath)
    try Subject(path: vaultPath, key: stores.key, creating: true).close()
  }

  private func write(_ samples: [Sample]) throws {
    guard let file = unsafe fopen(table, "w") else { throw Failure("\(table): errno \(errno)") }
    unsafe fputs("url,username,password,httpRealm\n", file)
    for sample in samples {
      let row = "https://\(sample.server)\(Sample.path),\(sample.account),\(sample.secret)"
      unsafe fputs("\(row),\(Sample.realm)\n", file)
    }
    guard unsafe fclose(file) == 0 else { throw Failure("\(table): errno \(errno)") }
  }
}
