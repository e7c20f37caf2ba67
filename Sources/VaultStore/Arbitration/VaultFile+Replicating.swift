import CVaultSystem
import Glibc
import SealedTree
package import VaultCrypto
package import VaultModel

/// The first copy, from an arbiter to a new file.
extension VaultFile {
  /// Makes a replica of what an arbiter has; a kill at any moment leaves the whole replica or none.
  ///
  /// Each row is verified and written while the next ones are under way.
  ///
  /// - Parameters:
  ///   - path: Its path; the folder exists.
  ///   - arbiter: Has the vault.
  ///   - opening: The result of ``Arbiter/opening()``.
  ///   - id: The vault that it has to be.
  ///   - key: Opens it, so that every row is verified before the file has its name.
  ///   - stateFolder: The folder with the rollback records; nil for none.
  ///   - isAccepted: Whether an older or other state than the one that was seen at the path is
  ///     taken on purpose.
  ///   - chain: Creates the schema.
  ///   - publish: Calls its closure, which gives the file its name.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/damaged``,
  ///   ``VaultError/Code/authenticationFailed``, ``VaultError/Code/tooNew``;
  ///   ``VaultError/Code/rolledBack`` and ``VaultError/Code/forked`` by the rollback record;
  ///   ``VaultError/Code/busy`` if the vault was rekeyed since; as ``Arbiter/copy(head:row:)``.
  package static func create(
    _ path: VaultPath, copying arbiter: any Arbiter, from opening: RowDelta, of id: VaultID,
    key: UnlockKey, recordedIn stateFolder: String? = nil, accepted isAccepted: Bool = false,
    chain: MigrationChain = .current,
    publishing publish: Publishing = { (name) throws(VaultError) in try name() }
  ) throws(VaultError) {
    let ident = try Ident(decoding: opening.ident, knowing: chain.features)
    guard ident.vaultID == id, ident.isArbitrated else {
      throw VaultError(.damaged, "the fleet's server sent the rows of another vault")
    }
    let slots = try slotRows(among: opening.rows)
    guard !slots.isEmpty else { throw VaultError(.damaged, "the vault has no slots") }
    let opened = try keys(
      for: key, among: slots, of: ident, noKey: "the vault has no slot for this kind of key",
      checking: {})
    let fill = { (temporary: String) throws(VaultError) in
      var written = try WrittenFile(temporary)
      var (nodes, slotCount): (IncomingRows?, Int) = (nil, 0)
      try write(temporary, chain) { (connection) throws(VaultError) in
        try arbiter.copy { (vault) throws(VaultError) in
          guard vault.ident == opening.ident else {
            throw VaultError(.busy, "the vault was rekeyed while it was being copied")
          }
          let head = try Head(decoding: opened.keys.open(vault.head, as: .head, id: 0))
          guard head.generation == vault.generation else {
            throw VaultError(.damaged, "the fleet's server names another generation than its head")
          }
          nodes = IncomingRows(opened.keys, below: head)
          try connection.run(.insertVault, .blob(vault.ident), .blob(vault.head))
        } row: { (row) throws(VaultError) in
          guard let sealed = row.sealed else { return }
          if row.table == .node {
            guard let nodes else { throw noHead }
            try nodes.take(row.id, sealed)
          } else {
            slotCount += 1
            guard slotCount <= SlotLimits.mostSlots + SlotLimits.mostMachines,
              sealed.count <= SlotLimits.mostBytes
            else {
              throw VaultError(.damaged, "the fleet's server has more slots than a vault")
            }
          }
          try connection.put([row])
          written.grow(by: sealed.count)
        }
      }
      written.begin()
      let file = try VaultFile(
        path: VaultPath(temporary), stateFolder: nil, lockTimeout: .zero, chain: chain)
      try file.unlock(with: opened.keys, as: CommitSigner(key, of: opened.slot))
      // The slot that opened was asked for before the copy, and the head proves only the copy's.
      guard let used = slots.first(where: { $0.id == opened.slot.id }),
        try file.slotRows().contains(where: { $0 == used })
      else { throw VaultError(.busy, "the vault's keys were changed while it was being copied") }
      guard let tree = try nodes?.finish() else { throw noHead }
      try file.read { (reader) throws(VaultError) in
        try file.checkCommits()
        try tree.check(file.requireUnlocked().head, with: reader)
      }
      try file.judge(asReplicaAt: path, recordedIn: stateFolder, accepted: isAccepted)
      try written.finish()
    }
    try make(path, fill, publishing: publish)
  }

  /// Compares a new replica with the rollback record of the place that it is for: once it is there,
  /// the record would refuse it.
  private func judge(
    asReplicaAt path: VaultPath, recordedIn stateFolder: String?, accepted isAccepted: Bool
  ) throws(VaultError) {
    let now = try requireUnlocked()
    let (key, ident) = (try now.requireRecordKey(), now.keys.ident)
    let record = RollbackRecord(folder: stateFolder, vault: ident.vaultID, at: path.path)
    guard let seen = record.memory(key), let verdict = try verdict(after: seen) else { return }
    guard isAccepted else {
      throw VaultError(
        verdict == .forked ? .forked : .rolledBack,
        "the fleet's server is at generation \(now.head.generation) of \(now.head.committed), which"
          + " does not continue generation \(seen.generation), which was seen here"
      ).about(.arbiter)
    }
    record.replace(
      with: RollbackRecord.Memory(
        epoch: ident.epoch, generation: now.head.generation, head: now.headTag), key)
  }

  private static var noHead: VaultError {
    VaultError(.damaged, "the fleet's server sent rows before their head")
  }

  /// Writes a new file with a schema, and what `fill` writes into it.
  ///
  /// It has no journal on the disk, and is not synchronized: nobody knows it yet, and a part of it
  /// is worth nothing.
  private static func write(
    _ path: String, _ chain: MigrationChain, filling fill: (Connection) throws(VaultError) -> Void
  ) throws(VaultError) {
    let connection = try Connection(path: path, busyWait: BusyWait(timeout: .zero), chain: nil)
    try connection.configure()
    try connection.execute("PRAGMA synchronous = OFF")
    try connection.execute("PRAGMA page_size = 4096")
    try connection.execute("PRAGMA journal_mode = MEMORY")
    try connection.run(.beginImmediate)
    try chain.makeSchema(on: connection)
    try connection.execute("PRAGMA application_id = 0x564C5431")
    try fill(connection)
    try connection.run(.commit)
  }
}

/// A new file that the disk writes while more of it comes.
///
/// No lock of SQLite matters on it that closing the descriptor would release: nobody else knows it.
private struct WrittenFile: ~Copyable {
  /// Measured with 19 MB: 1, 4 and 8 MiB took a little longer.
  private static let batchSize = 2 << 20

  private let path: String
  private let descriptor: Int32
  private var growth = 0

  /// - Throws: ``VaultError/Code/inputOutput``.
  init(_ path: String) throws(VaultError) {
    self.path = path
    // The path is a C string during the call.
    descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else { throw Posix.failure(path, .inputOutput) }
  }

  deinit { close(descriptor) }

  /// Lets the disk begin with what the file has now.
  func begin() { vault_start_writing(descriptor, 0, 0) }

  /// Notes so many new bytes, and lets the disk begin when there are many.
  mutating func grow(by count: Int) {
    growth += count
    guard growth >= Self.batchSize else { return }
    growth = 0
    begin()
  }

  /// Waits until the disk has all of it.
  ///
  /// - Throws: ``VaultError/Code/inputOutput``.
  func finish() throws(VaultError) {
    guard fsync(descriptor) == 0 else { throw Posix.failure(path, .inputOutput) }
  }
}
