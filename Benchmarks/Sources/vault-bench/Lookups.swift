import CredentialVault
import Glibc
import VaultModel

/// Finding and listing, in a process that has the store open.
struct Lookups {
  let stores: Stores
  let report: Report
  let program: String
  private let rounds = 7

  static let hitWork = "find, warm: hit, secret opened and read"
  static let firstWork = "first in a process: open, key file, find"

  func run() throws {
    try hit()
    try miss()
    try afterForeignCommits()
    try first()
    try list()
    try besideWriter()
  }

  /// Each pass looks every item of the sample up once; a first pass of each side warms it.
  func hit() throws {
    let (ours, peer) = try alternating(rounds) {
      try seconds {
        for lookup in stores.lookups {
          guard try stores.subject.find(lookup.space, lookup.account) != nil else {
            throw Failure("not found")
          }
        }
      } / Double(stores.lookups.count)
    } peer: {
      try seconds {
        for lookup in stores.lookups {
          guard try stores.peer.find(lookup.item) != nil else {
            throw Failure("not found")
          }
        }
      } / Double(stores.lookups.count)
    }
    report.add(Self.hitWork, stores.count, ours.median, peer.median, limit: 1)
    let users = try alternating(rounds) {
      try seconds {
        for lookup in stores.lookups {
          let found = try stores.subject.vault.credentials(for: lookup.space)
          guard found.count == 2, found.allSatisfy({ Subject.sum($0.secret) > 0 }) else {
            throw Failure("not both users")
          }
        }
      } / Double(stores.lookups.count)
    } peer: {
      try seconds {
        for lookup in stores.lookups {
          guard try stores.peer.findUsers(lookup.item) == 2 else { throw Failure("not both users") }
        }
      } / Double(stores.lookups.count)
    }
    report.add(
      "both credentials of a space, warm", stores.count, users.ours.median, users.peer.median,
      limit: 1)
  }

  /// Half of the misses are an unknown user of a known host, half an unknown host.
  private func miss() throws {
    let unknown = try stores.lookups.indices.map { index in
      let known = stores.lookups[index]
      let stranger = try Stores.Lookup(Sample(number: stores.count * 2 + index))
      return index.isMultiple(of: 2)
        ? stranger : Stores.Lookup(known, account: stranger.account)
    }
    let (ours, peer) = try alternating(rounds) {
      try seconds {
        for lookup in unknown {
          guard try stores.subject.find(lookup.space, lookup.account) == nil else {
            throw Failure("found")
          }
        }
      } / Double(unknown.count)
    } peer: {
      try seconds {
        for lookup in unknown {
          guard try stores.peer.find(lookup.item) == nil else {
            throw Failure("found")
          }
        }
      } / Double(unknown.count)
    }
    report.add("find, warm: miss", stores.count, ours.median, peer.median, limit: 1)
  }

  /// Before each lookup another process changes some other item; only the lookup is timed.
  ///
  /// For a new host, head, chunk and bucket are opened; for a known one, the head and changes.
  private func afterForeignCommits() throws {
    let sample = stores.lookups.prefix(300)
    // Locking forgets everything that was opened.
    try stores.subject.vault.lock()
    try stores.subject.vault.unlock(with: .keyFile(stores.key))
    let vaultWriter = try Child(
      program, [ChildMode.stepVault.rawValue, stores.vaultPath, "\(stores.count)", stores.key])
    let peerWriter = try Child(
      program, [ChildMode.stepPeer.rawValue, stores.peerPath, "\(stores.count)", "-"])
    // The writers' own opening is not waited for by the first lookup.
    try vaultWriter.step()
    try peerWriter.step()
    for work in [
      "find after another process's commit, host not seen before",
      "find after another process's commit, host seen before",
    ] {
      var times: (ours: [Double], peer: [Double]) = ([], [])
      for lookup in sample {
        try vaultWriter.step()
        times.ours.append(
          try seconds {
            _ = try Self.found(stores.subject.find(lookup.space, lookup.account))
          })
        try peerWriter.step()
        times.peer.append(
          try seconds { _ = try Self.found(stores.peer.find(lookup.item)) })
      }
      report.add(
        work, stores.count, Times(times.ours).median, Times(times.peer).median, limit: 4)
    }
    _ = try vaultWriter.finish()
    _ = try peerWriter.finish()
  }

  private static func found(_ sum: Int?) throws -> Int {
    guard let sum else { throw Failure("not found") }
    return sum
  }

  /// From the beginning of `main` in a new process to the secret, by the process's own clock.
  func first() throws {
    func measure(_ mode: ChildMode, _ path: String, _ key: String) throws -> Double {
      let number = Int.random(in: 0..<stores.count)
      let output = try Child.run(program, [mode.rawValue, path, "\(number)", key])
      guard let nanoseconds = Int(output.filter(\.isNumber)) else { throw Failure("no time") }
      return Double(nanoseconds) * 1e-9
    }
    let (ours, peer) = try alternating(41) {
      try measure(.firstVault, stores.vaultPath, stores.key)
    } peer: {
      try measure(.firstPeer, stores.peerPath, "-")
    }
    report.add(Self.firstWork, stores.count, ours.median, peer.median, limit: 1.5)
  }

  func list() throws {
    func passes(sorted: Bool) throws -> (ours: Times, peer: Times) {
      try alternating(5) {
        try seconds {
          let items = try stores.subject.vault.findAll(ItemQuery())
          guard items.count == stores.count, items.reduce(0, { $0 + $1.label.utf8.count }) > 0
          else { throw Failure("not all") }
        }
      } peer: {
        try seconds {
          guard try stores.peer.list(sorted: sorted) == stores.count else {
            throw Failure("not all")
          }
        }
      }
    }
    let scan = try passes(sorted: false)
    report.add(
      "list all attributes, in the key's order; SQLite: unsorted scan", stores.count,
      scan.ours.median, scan.peer.median, limit: 3)
    let sorted = try passes(sorted: true)
    report.add(
      "list all attributes; SQLite in the key's order too", stores.count, sorted.ours.median,
      sorted.peer.median)
    let cold = try alternating(5) {
      try stores.subject.vault.lock()
      try stores.subject.vault.unlock(with: .keyFile(stores.key))
      return try seconds {
        guard try stores.subject.vault.findAll(ItemQuery()).count == stores.count else {
          throw Failure("not all")
        }
      }
    } peer: {
      let peer = try Peer(path: stores.peerPath)
      return try seconds {
        guard try peer.list(sorted: false) == stores.count else { throw Failure("not all") }
      }
    }
    report.add(
      "the same, first after opening; SQLite: unsorted scan", stores.count, cold.ours.median,
      cold.peer.median, limit: 3)
  }

  /// One lookup now and then, so that each meets the writer at another moment of its commit.
  private func besideWriter() throws {
    func measure(
      _ mode: ChildMode, _ path: String, _ find: (Stores.Lookup) throws -> Int?
    ) throws -> (lookups: Times, commits: [Double]) {
      let writer = try Child(program, [mode.rawValue, path, "\(stores.count)", stores.key])
      // The writer opens its store first.
      usleep(300_000)
      var times: [Double] = []
      for index in 0..<500 {
        let lookup = stores.lookups[index % stores.lookups.count]
        usleep(.random(in: 100...1500))
        times.append(try seconds { _ = try Self.found(find(lookup)) })
      }
      let commits = try writer.finish().split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
      guard commits.count == 2 else { throw Failure("no commit times") }
      return (Times(times), commits.map { Double($0) * 1e-9 })
    }
    let ours = try measure(.busyVault, stores.vaultPath) {
      try stores.subject.find($0.space, $0.account)
    }
    let peer = try measure(.busyPeer, stores.peerPath) {
      try stores.peer.find($0.item)
    }
    report.add(
      "find beside one busy writer: median", stores.count, ours.lookups.median, peer.lookups.median)
    let commits = ours.commits.map(Report.time)
    report.add(
      "find beside one busy writer: 99th percentile (writer's commits: median \(commits[0]), 99th "
        + "percentile \(commits[1]))",
      stores.count, ours.lookups.quantile(0.99),
      peer: Report.time(peer.lookups.quantile(0.99)), atMost: 2 * ours.commits[0],
      "≤ 2 commits")
  }
}

extension Stores.Lookup {
  /// Another user of the same space.
  init(_ known: Self, account: String) {
    number = known.number
    space = known.space
    self.account = account
    item = PeerItem(known.item, account: CText(account))
  }
}

extension PeerItem {
  init(_ known: Self, account: CText) {
    server = known.server
    self.account = account
    label = known.label
    secret = known.secret
  }
}
