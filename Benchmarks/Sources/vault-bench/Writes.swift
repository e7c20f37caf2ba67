import CredentialVault
import Glibc
import VaultModel

/// Adding, changing and deleting.
struct Writes {
  let stores: Stores
  let report: Report

  static let singleWorks = ["add one, durable", "modify one, durable", "delete one, durable"]

  func run() throws {
    let bulk = try bulk()
    report.add(
      "bulk add in one transaction, an item", stores.count, bulk.ours, bulk.peer, rate: 1.5)
    report.add(
      "the same; SQLite is given its items in the index's order", stores.count, bulk.ours,
      bulk.peerSorted)
    try single()
    report.add(
      bytes: "file size an item, added in one transaction", stores.count,
      Double(try Stores.byteCount("\(stores.folder)/bulk.vault")) / Double(stores.count),
      Double(try Stores.byteCount("\(stores.folder)/bulk.db")) / Double(stores.count), limit: 1.1)
    Stores.remove("\(stores.folder)/bulk.vault")
    Stores.remove("\(stores.folder)/bulk.db")
  }

  /// One transaction into a new store, its commit included; the items are at hand.
  private func bulk() throws -> (ours: Double, peer: Double, peerSorted: Double) {
    let samples = Sample.shuffled(0..<stores.count)
    let items = try samples.map { (sample) throws(VaultError) in try sample.item() }
    let peerItems = samples.map(PeerItem.init)
    let sortedItems = (0..<stores.count).map { PeerItem(Sample(number: $0)) }
    let (vaultPath, peerPath) = ("\(stores.folder)/bulk.vault", "\(stores.folder)/bulk.db")
    func peerPass(_ items: [PeerItem]) throws -> Double {
      Stores.remove(peerPath)
      let peer = try Peer(path: peerPath, creating: true)
      return try seconds { try peer.insertAll(items) } / Double(stores.count)
    }
    let rounds = stores.count > 10_000 ? 3 : 7
    let sorted = Times(try (0..<rounds).map { _ in try peerPass(sortedItems) })
    let (ours, peer) = try alternating(rounds) {
      Stores.remove(vaultPath)
      let subject = try Subject(path: vaultPath, key: stores.key, creating: true)
      defer { subject.close() }
      return try seconds { try subject.insertAll(items) } / Double(stores.count)
    } peer: {
      try peerPass(peerItems)
    }
    return (ours.median, peer.median, sorted.median)
  }

  /// Changes of one item that a commit makes durable, in turns.
  private func single() throws {
    let times = try Self.singles(stores)
    for (work, times) in zip(Self.singleWorks, times) {
      report.add(work, stores.count, times.ours.median, times.peer.median, limit: 1.3)
    }
    let disk = try DiskFloor(path: "\(stores.folder)/floor")
    let floor = try (0..<150).map { _ in try seconds { try disk.overwrite() } }
    report.add(
      "the disk itself: overwrite 4 KiB and fdatasync", stores.count, Times(floor).median, nil)
  }

  /// The same where syncing costs nothing: what the library and its system calls take.
  func withoutDisk() throws {
    let bulk = try bulk()
    report.add(
      "bulk add in one transaction, an item, no disk", stores.count, bulk.ours, bulk.peer)
    let works = ["add one, no disk", "modify one, no disk", "delete one, no disk"]
    for (work, times) in zip(works, try Self.singles(stores)) {
      report.add(work, stores.count, times.ours.median, times.peer.median)
    }
  }

  /// Adds, changes and deletes one item after another in both stores.
  private static func singles(_ stores: Stores) throws -> [(ours: Times, peer: Times)] {
    var times: (ours: [[Double]], peer: [[Double]]) = ([[], [], []], [[], [], []])
    let vault = stores.subject.vault
    for number in 0..<150 {
      let new = Sample(number: stores.count * 3 + number)
      let (item, peerItem) = (try new.item(), PeerItem(new))
      let known = stores.lookups[number]
      let secret = CText(Sample.freshSecretText())
      let stored = try vault.findAll(Sample.query(known.space, known.account)).first
      guard let stored else { throw Failure("not found") }
      times.ours[0].append(try seconds { try vault.add(item) })
      times.peer[0].append(try seconds { try stores.peer.insert(peerItem) })
      let fresh = Sample.freshSecret()
      times.ours[1].append(try seconds { try vault.modify(stored, [.secret(fresh)]) })
      times.peer[1].append(try seconds { try stores.peer.update(known.item, secret: secret) })
      times.ours[2].append(try seconds { try vault.remove(item) })
      times.peer[2].append(try seconds { try stores.peer.remove(peerItem) })
    }
    return zip(times.ours, times.peer).map { (Times($0), Times($1)) }
  }

  /// A store that came to be by single adds: what its file is then.
  func grown() throws {
    let (vaultPath, peerPath) = ("\(stores.folder)/grown.vault", "\(stores.folder)/grown.db")
    let subject = try Subject(path: vaultPath, key: stores.key, creating: true)
    defer {
      subject.close()
      Stores.remove(vaultPath)
      Stores.remove(peerPath)
    }
    let peer = try Peer(path: peerPath, creating: true)
    for sample in Sample.shuffled(0..<stores.count) {
      try subject.vault.add(sample.item())
      try peer.insert(PeerItem(sample))
    }
    report.add(
      bytes: "file size an item, added one by one", stores.count,
      Double(try Stores.byteCount(vaultPath)) / Double(stores.count),
      Double(try Stores.byteCount(peerPath)) / Double(stores.count), limit: 1.5)
  }
}

extension Subject {
  /// Closes the file; a failure shows in the next measurement.
  func close() {
    do {
      try vault.close()
    } catch {
      log("closing: \(error)")
    }
  }
}

/// The disk's time for the smallest durable write.
struct DiskFloor: ~Copyable {
  private let descriptor: Int32
  private let path: String
  private let block = [UInt8](repeating: 7, count: 4096)

  init(path: String) throws {
    self.path = path
    descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, mode_t(0o600))
    guard descriptor >= 0 else { throw Failure("no file at \(path)") }
    try overwrite()
  }

  deinit {
    close(descriptor)
    unsafe unlink(path)
  }

  func overwrite() throws {
    // The block has as many bytes as are written.
    let count = unsafe block.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard count == block.count, fdatasync(descriptor) == 0 else { throw Failure("disk") }
  }
}
