import CredentialVault
import Glibc
import VaultModel

/// Finding and listing, in a process that has the store open.
struct Lookups {
  let stores: Stores
  let report: Report
  let program: String
  private static let rounds = 21

  static let hitWork = "find, warm: hit, secret opened and read"
  static let firstWork = "first in a process: open, key file, find"

  func run() throws {
    try hit()
    try miss()
    try afterForeignCommits()
    try first()
    try list()
    try BusyWriters(stores: stores, report: report, program: program).run()
  }

  /// Measures passes that look up every item of the sample once; a first pass of each side warms
  /// it.
  func hit() throws {
    let hits = try alternating(Self.rounds) {
      try Self.pass(stores)
    } peer: {
      try seconds {
        for lookup in stores.lookups {
          guard try stores.peer.find(lookup.item) != nil else {
            throw Failure("not found")
          }
        }
      } / Double(stores.lookups.count)
    }
    report.add(Self.hitWork, stores.count, hits, .ratio(0.45))
    let users = try alternating(Self.rounds) {
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
    report.add("both credentials of a space, warm", stores.count, users, .ratio(1))
  }

  /// Looks every item of the sample up once.
  static func pass(_ stores: Stores) throws -> Double {
    try seconds {
      for lookup in stores.lookups {
        guard try stores.subject.find(lookup.space, lookup.account) != nil else {
          throw Failure("not found")
        }
      }
    } / Double(stores.lookups.count)
  }

  /// Measures misses, half of an unknown user of a known host, half of an unknown host.
  private func miss() throws {
    let unknown = try stores.lookups.indices.map { index in
      let known = stores.lookups[index]
      let stranger = try Stores.Lookup(Sample(number: stores.count * 2 + index))
      return index.isMultiple(of: 2)
        ? stranger : Stores.Lookup(known, account: stranger.account)
    }
    let misses = try alternating(Self.rounds) {
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
    report.add("find, warm: miss", stores.count, misses, .ratio(0.45))
  }

  /// Measures lookups before each of which another process changes some other item; only the lookup
  /// is timed.
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
      var pairs = Pairs()
      for lookup in sample {
        try vaultWriter.step()
        let ours = try seconds {
          _ = try Self.found(stores.subject.find(lookup.space, lookup.account))
        }
        try peerWriter.step()
        pairs.append(ours, try seconds { _ = try Self.found(stores.peer.find(lookup.item)) })
      }
      report.add(work, stores.count, pairs, .ratio(4))
    }
    _ = try vaultWriter.finish()
    _ = try peerWriter.finish()
  }

  static func found(_ sum: Int?) throws -> Int {
    guard let sum else { throw Failure("not found") }
    return sum
  }

  /// Measures from the beginning of `main` in a new process to the secret, by the process's own
  /// clock.
  func first() throws {
    let pairs = try alternating(Processes.rounds) {
      try Self.first(.firstVault, stores.vaultPath, stores, program)
    } peer: {
      try Self.first(.firstPeer, stores.peerPath, stores, program)
    }
    report.add(Self.firstWork, stores.count, pairs, .ratio(1.5))
  }

  static func first(
    _ mode: ChildMode, _ path: String, _ stores: Stores, _ program: String
  ) throws -> Double {
    let number = Int.random(in: 0..<stores.count)
    let output = try Child.run(program, [mode.rawValue, path, "\(number)", stores.key])
    guard let nanoseconds = Int(output.filter(\.isNumber)) else { throw Failure("no time") }
    return Double(nanoseconds) * 1e-9
  }

  func list() throws {
    let rounds = stores.count > 100_000 ? 5 : 15
    func passes(sorted: Bool) throws -> Pairs {
      try alternating(rounds) {
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
    report.add(
      "list all attributes, in the key's order; SQLite: unsorted scan", stores.count,
      try passes(sorted: false), .ratio(2.5))
    report.add(
      "list all attributes; SQLite in the key's order too", stores.count, try passes(sorted: true))
    let cold = try alternating(rounds) {
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
      "the same, first after opening; SQLite: unsorted scan", stores.count, cold, .ratio(2.5))
  }
}

extension Stores.Lookup {
  /// Creates a lookup of another user of the same space.
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
