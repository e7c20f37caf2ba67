import VaultAdministration
import Glibc
import VaultModel

/// The modes in which this program starts itself as another process beside the measured one.
enum ChildMode: String {
  /// Opens, finds one item and prints the nanoseconds since its start.
  case firstVault = "first-vault"
  case firstPeer = "first-sqlite"
  /// Changes one item, durably, for each byte of standard input.
  case stepVault = "step-vault"
  case stepPeer = "step-sqlite"
  /// Changes items without a pause until its input ends; prints the median, nanoseconds.
  case busyVault = "busy-vault"
  case busyPeer = "busy-sqlite"
  /// Reads and writes everything, and prints the most memory that it took, KiB.
  case memoryVault = "memory-vault"
  /// Opens, finds items, and prints the same.
  case memoryFind = "memory-find"
  /// Adds all items to new stores in a folder, in turns, and prints nanoseconds, a pair on a line.
  case bulk

  /// Runs with the store's path, the number of items (or of the item), and a vault's key file.
  func run(_ arguments: [String]) throws {
    let start = ContinuousClock.now
    guard arguments.count == 3, let count = Int(arguments[1]) else { throw Failure("arguments") }
    let (path, key) = (arguments[0], arguments[2])
    switch self {
    case .firstVault:
      let sample = Sample(number: count)
      let found = try Subject(path: path, key: key).find(
        sample.space(), sample.account)
      try Self.printTime(since: start, found)
    case .firstPeer:
      let item = PeerItem(Sample(number: count))
      try Self.printTime(since: start, Peer(path: path).find(item))
    case .memoryVault:
      let vault = try Subject(path: path, key: key).vault
      guard try vault.findAll(ItemQuery()).count == count, try vault.maintenance.verify().isClean
      else { throw Failure("not whole") }
      let copy = path + ".copy"
      try vault.maintenance.backup(to: copy)
      try VaultMaintenance.restore(from: copy, to: path + ".restored", key: .keyFile(key))
      _ = try vault.keys.rekey(keeping: [.keyFile(key)])
      Stores.remove(copy)
      Stores.remove(path + ".restored")
      print(try peakMemory())
    case .memoryFind:
      let subject = try Subject(path: path, key: key)
      for sample in Sample.shuffled(0..<count).prefix(Stores.mostLookups) {
        guard try subject.find(sample.space(), sample.account) != nil else {
          throw Failure("not found")
        }
      }
      print(try peakMemory())
    case .bulk:
      let bulk = try Bulk(count: count, folder: path, key: key)
      defer { bulk.remove() }
      try bulk.inTurns().forEach { print($0.map { String(Int($0 * 1e9)) }.joined(separator: " ")) }
    case .stepVault, .busyVault:
      let subject = try Subject(path: path, key: key)
      try loop(count) { try subject.change($0) }
    case .stepPeer, .busyPeer:
      let peer = try Peer(path: path)
      try loop(count) { try peer.change($0) }
    }
  }

  private static func printTime(since start: ContinuousClock.Instant, _ sum: Int?) throws {
    let duration = ContinuousClock.now - start
    guard sum != nil else { throw Failure("nothing found") }
    print(duration.components.attoseconds / 1_000_000_000)
  }

  private func loop(_ count: Int, _ change: (Sample) throws -> Void) throws {
    var order = SplitMix(state: 99)
    let isStepping = self == .stepVault || self == .stepPeer
    var times: [Double] = []
    while try Self.goesOn(waiting: isStepping) {
      let sample = Sample(number: Int.random(in: 0..<count, using: &order))
      times.append(try seconds { try change(sample) })
      if isStepping {
        var byte: UInt8 = 1
        guard unsafe write(1, &byte, 1) == 1 else { return }
      }
    }
    guard !isStepping else { return }
    print(Int(Times(times).median * 1e9))
  }

  /// Returns whether input has a byte (taken off it) or, if not waiting, has at least not ended.
  private static func goesOn(waiting: Bool) throws -> Bool {
    var poll = pollfd(fd: 0, events: Int16(POLLIN), revents: 0)
    if !waiting, unsafe Glibc.poll(&poll, 1, 0) == 0 { return true }
    var byte: UInt8 = 0
    return unsafe read(0, &byte, 1) == 1
  }
}

extension Subject {
  /// Gives an item another secret, durably.
  func change(_ sample: Sample) throws {
    let space = try sample.space()
    guard let item = try vault.findAll(Sample.query(space, sample.account)).first else {
      throw Failure("nothing to change")
    }
    try vault.modify(item, [.secret(Sample.freshSecret())])
  }
}

extension Peer {
  /// Gives an item another secret, durably.
  func change(_ sample: Sample) throws {
    let item = PeerItem(sample)
    guard try find(item) != nil else { throw Failure("nothing to change") }
    try update(item, secret: CText(Sample.freshSecretText()))
  }
}
