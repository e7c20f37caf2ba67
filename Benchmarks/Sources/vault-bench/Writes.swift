import CredentialVault
import Glibc
import VaultModel

/// Adding, changing and deleting.
struct Writes {
  let stores: Stores
  let report: Report

  private static let singleWorks = [
    "add one, durable", "modify one, durable", "delete one, durable",
  ]
  /// The number of items that are added, changed and deleted, each for itself.
  static let changes = 301

  func run() throws {
    let work = "bulk add in one transaction, an item"
    let bulk = try Bulk(count: stores.count, folder: stores.folder, key: stores.key)
    let times = try BulkTimes(bulk.inTurns(), count: stores.count)
    report.add(work, stores.count, times.shuffled, .rate(1.5))
    report.add(
      "the same; SQLite is given its items in the index's order", stores.count, times.sorted)
    let sizes = try [bulk.vaultPath, bulk.peerPath].map {
      Double(try Stores.byteCount($0)) / Double(stores.count)
    }
    bulk.remove()
    let alone = try onOneProcessor()
    report.add("\(work), on one processor", stores.count, alone.shuffled, .rate(1))
    try single()
    report.add(
      bytes: "file size an item, added in one transaction", stores.count, sizes[0], sizes[1],
      .ratio(1.1))
  }

  /// Measures the same in a process that is given one processor only.
  private func onOneProcessor() throws -> BulkTimes {
    let lines = try Child.run(
      "/usr/bin/taskset",
      [
        "-c", try processStatus("Cpus_allowed_list").prefix(while: \.isNumber).description,
        Options.ownPath(), ChildMode.bulk.rawValue, stores.folder, "\(stores.count)", stores.key,
      ]
    ).split(separator: "\n")
    return try BulkTimes(
      lines.map { $0.split(separator: " ").compactMap { Double($0) }.map { $0 * 1e-9 } },
      count: stores.count)
  }

  /// Changes of one item that a commit makes durable, in turns.
  private func single() throws {
    for (work, pairs) in zip(Self.singleWorks, try Self.singles(stores)) {
      report.add(work, stores.count, pairs, .ratio(1.2))
    }
    let disk = try DiskFloor(path: "\(stores.folder)/floor")
    let floor = try (0..<Self.changes).map { _ in try seconds { try disk.overwrite() } }
    report.add(
      alone: "the disk itself: overwrite 4 KiB and fdatasync", stores.count, Times(floor).median)
  }

  /// Measures the same where syncing costs nothing: what the library and its system calls take.
  func withoutDisk() throws {
    let bulk = try Bulk(count: stores.count, folder: stores.folder, key: stores.key)
    report.add(
      "bulk add in one transaction, an item, no disk", stores.count,
      try BulkTimes(bulk.inTurns(), count: stores.count).shuffled)
    bulk.remove()
    let works = ["add one, no disk", "modify one, no disk", "delete one, no disk"]
    for (work, pairs) in zip(works, try Self.singles(stores)) {
      report.add(work, stores.count, pairs)
    }
  }

  /// Adds, changes and deletes one item after another in both stores.
  private static func singles(_ stores: Stores) throws -> [Pairs] {
    var (adds, changes, removals) = (Pairs(), Pairs(), Pairs())
    let vault = stores.subject.vault
    for number in 0..<Self.changes {
      let new = Sample(number: stores.count * 3 + number)
      let (item, peerItem) = (try new.item(), PeerItem(new))
      let known = stores.lookups[number]
      let secret = CText(Sample.freshSecretText())
      let stored = try vault.findAll(Sample.query(known.space, known.account)).first
      guard let stored else { throw Failure("not found") }
      adds.append(
        try seconds { try vault.add(item) }, try seconds { try stores.peer.insert(peerItem) })
      let fresh = Sample.freshSecret()
      changes.append(
        try seconds { try vault.modify(stored, [.secret(fresh)]) },
        try seconds { try stores.peer.update(known.item, secret: secret) })
      removals.append(
        try seconds { try vault.remove(item) }, try seconds { try stores.peer.remove(peerItem) })
    }
    return [adds, changes, removals]
  }

  /// Measures the file of a store that was filled by single adds.
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
      Double(try Stores.byteCount(peerPath)) / Double(stores.count), .ratio(1.5))
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
