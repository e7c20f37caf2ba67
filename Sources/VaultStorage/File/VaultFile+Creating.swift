import Glibc
import VaultCrypto
import VaultModel

/// Creating a new vault.
extension VaultFile {
  /// Creates a vault; after a kill at any moment there is a complete vault or none.
  ///
  /// - Parameters:
  ///   - path: The path of the vault, whose folder exists.
  ///   - keys: The keys of epoch 1.
  ///   - slots: The first slots, wrapping those keys, in ascending order of id.
  ///   - recordKey: The key under which machines will remember the vault.
  ///   - chain: The migrations that create the schema; the keys' ident is their result.
  ///   - time: The time source of the first commit.
  ///   - fill: Writes the contents of the vault, and records them in the head; the vault is then
  ///     verified.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``.
  static func create(
    _ path: VaultPath, keys: EpochKeys, slots: [Slot], recordKey: RecordKey = RecordKey(),
    chain: MigrationChain, time: TimeSource = .system,
    filling fill: ((Connection, inout Head) throws(VaultError) -> Void)? = nil
  ) throws(VaultError) {
    try path.checkFolder()
    guard try Posix.information(path.path) == nil else {
      throw VaultError(.vaultExists, "there is something at \(path.path) already")
    }
    try SideFiles(of: path.path).checkAbsent()
    let temporary = path.temporary()
    try Posix.createFile(temporary)
    do throws(VaultError) {
      try write(
        temporary, keys: keys, slots: slots, recordKey, chain, VaultClock(time).now(), fill)
      if fill != nil { try verify(temporary, keys, chain) }
      try Posix.publish(temporary, as: path.path)
      try Posix.synchronize(folder: path.folder)
    } catch {
      unsafe unlink(temporary)
      unsafe unlink(temporary + "-journal")
      throw error
    }
  }

  /// Verifies the new vault.
  ///
  /// - Throws: ``VaultError/Code/internalError`` if it has a fault.
  private static func verify(
    _ path: String, _ keys: EpochKeys, _ chain: MigrationChain
  ) throws(VaultError) {
    let file = try VaultFile(
      path: VaultPath(path), stateFolder: nil, lockTimeout: .zero, chain: chain)
    try file.unlock(with: keys)
    guard let problem = try file.verify().problems.first else { return }
    throw VaultError(.internalError, "the new vault does not verify: \(problem)")
  }

  private static func write(
    _ path: String, keys: EpochKeys, slots: [Slot], _ recordKey: RecordKey,
    _ chain: MigrationChain, _ now: Timestamp,
    _ fill: ((Connection, inout Head) throws(VaultError) -> Void)?
  ) throws(VaultError) {
    let connection = try Connection(path: path, busyWait: BusyWait(timeout: .zero), chain: nil)
    try connection.configure()
    try connection.execute("PRAGMA page_size = 4096")
    try connection.execute("PRAGMA journal_mode = DELETE")
    try connection.run(.beginImmediate)
    var head = Head(
      ident: keys.ident, slots: keys.authenticate(slots: slots.map { ($0.id, $0.encoded) }))
    _ = try chain.run(after: 0, on: connection, keys, &head)
    try connection.execute("PRAGMA application_id = 0x564C5431")
    for slot in slots {
      try connection.run(.insertSlot, .integer(UInt64(slot.id)), .blob(slot.encoded))
    }
    head.recordKey = keys.seal(recordKey)
    head.generation = 1
    head.committed = now
    try fill?(connection, &head)
    let sealed = keys.seal(head.encoded, as: .head, id: 0)
    try connection.run(.insertVault, .blob(keys.ident.encoded), .blob(sealed))
    try connection.run(.commit)
  }
}
