import VaultModel

/// One transaction into a new store, its commit included; the items are at hand.
struct Bulk {
  let count: Int
  let folder: String
  let key: String
  private let items: [Item]
  private let peerItems: [PeerItem]
  /// In the order of the peer's index.
  private let sortedItems: [PeerItem]

  var vaultPath: String { "\(folder)/bulk.vault" }
  var peerPath: String { "\(folder)/bulk.db" }

  init(count: Int, folder: String, key: String) throws {
    self.count = count
    self.folder = folder
    self.key = key
    let samples = Sample.shuffled(0..<count)
    items = try samples.map { (sample) throws(VaultError) in try sample.item() }
    peerItems = samples.map(PeerItem.init)
    sortedItems = (0..<count).map { PeerItem(Sample(number: $0)) }
  }

  /// Returns the seconds for all items in each round: the vault, SQLite, and SQLite with sorted
  /// items.
  func inTurns() throws -> [[Double]] {
    let rounds = count > 100_000 ? 3 : count > 10_000 ? 7 : 31
    // The first round is not counted.
    return try (0...rounds).map { _ in
      [try insertAll(), try peerInsertsAll(peerItems), try peerInsertsAll(sortedItems)]
    }.suffix(rounds)
  }

  func remove() {
    Stores.remove(vaultPath)
    Stores.remove(peerPath)
  }

  private func insertAll() throws -> Double {
    Stores.remove(vaultPath)
    let subject = try Subject(path: vaultPath, key: key, creating: true)
    defer { subject.close() }
    return try seconds { try subject.insertAll(items) }
  }

  private func peerInsertsAll(_ items: [PeerItem]) throws -> Double {
    Stores.remove(peerPath)
    let peer = try Peer(path: peerPath, creating: true)
    return try seconds { try peer.insertAll(items) }
  }
}

/// The time that an item took in such rounds.
struct BulkTimes {
  /// Against items in the vault's own order.
  private(set) var shuffled = Pairs()
  /// Against items in the order of the peer's index.
  private(set) var sorted = Pairs()

  init(_ rounds: [[Double]], count: Int) throws {
    for times in rounds {
      guard times.count == 3 else { throw Failure("no times") }
      let each = times.map { $0 / Double(count) }
      shuffled.append(each[0], each[1])
      sorted.append(each[0], each[2])
    }
  }
}
