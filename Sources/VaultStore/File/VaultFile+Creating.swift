import Glibc
package import SealedTree
package import VaultCrypto
package import VaultModel
import VaultReports

/// Creating a new vault.
extension VaultFile {
  /// Makes a vault; a kill at any moment leaves the whole vault or none.
  ///
  /// - Parameters:
  ///   - path: Its path; the folder exists.
  ///   - keys: The keys of epoch 1.
  ///   - slots: The first slots, wrapping those keys, in ascending order of id.
  ///   - recordKey: The key of the records that machines will keep of it.
  ///   - chain: Creates the schema; the keys' ident is that of its result.
  ///   - time: The source of the first commit's date.
  ///   - logDays: The number of days for which changes are logged.
  ///   - fill: Writes the vault's content, and notes it in the head.
  ///   - check: Checks the finished vault before it gets its name, unlocked; nil for an empty one.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``.
  package static func create(
    _ path: VaultPath, keys: EpochKeys, slots: [Slot], recordKey: RecordKey = RecordKey(),
    chain: MigrationChain, time: TimeSource = .system, logDays: Int = LoggedChange.defaultDays,
    filling fill: ((Connection, inout Head) throws(VaultError) -> Void)? = nil,
    checking check: ((VaultFile) throws(VaultError) -> Void)? = nil
  ) throws(VaultError) {
    try path.requireNoAddress()
    try make(path) { (temporary) throws(VaultError) in
      try write(
        temporary, keys: keys, slots: slots, recordKey: recordKey, chain: chain,
        at: VaultClock(time).now(), logDays: logDays, filling: fill)
      guard let check else { return }
      let file = try VaultFile(
        path: VaultPath(temporary), stateFolder: nil, lockTimeout: .zero, chain: chain)
      try file.unlock(with: keys)
      try check(file)
    }
  }

  package typealias Publishing = (
    _ name: () throws(VaultError) -> Void
  ) throws(VaultError) -> Void

  /// Makes a file under a temporary name, and gives it its own name once it is whole.
  ///
  /// - Parameters:
  ///   - path: Its path, where nothing is yet; the folder exists.
  ///   - fill: Gets the temporary name of an empty file, and makes it whole.
  ///   - publish: Calls its closure, which gives the file its name.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``; the errors of `fill`.
  static func make(
    _ path: VaultPath, _ fill: (_ temporary: String) throws(VaultError) -> Void,
    publishing publish: Publishing = { (name) throws(VaultError) in try name() }
  ) throws(VaultError) {
    try path.checkFolder()
    guard try Posix.information(path.path) == nil else { throw exists(path) }
    do throws(VaultError) {
      try SideFiles(of: path.path).checkAbsent()
    } catch {
      // Another program may have made the vault since, and begun a commit.
      guard try Posix.information(path.path) == nil else { throw exists(path) }
      throw error
    }
    // Removed in its `deinit`, unless it is published by then.
    let draft = try Draft(for: path)
    try fill(draft.path.path)
    try publish { () throws(VaultError) in try Posix.publish(draft.path.path, as: path.path) }
    try Posix.synchronize(folder: path.folder)
  }

  private static func exists(_ path: VaultPath) -> VaultError {
    VaultError(.vaultExists, "\(path.path) exists already")
  }

  private static func write(
    _ path: String, keys: EpochKeys, slots: [Slot], recordKey: RecordKey, chain: MigrationChain,
    at now: Timestamp, logDays: Int,
    filling fill: ((Connection, inout Head) throws(VaultError) -> Void)?
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
    head.logDays = UInt16(logDays)
    try fill?(connection, &head)
    let sealed = keys.seal(head.encoded, as: .head, id: 0)
    try connection.run(.insertVault, .blob(keys.ident.encoded), .blob(sealed))
    try connection.run(.commit)
  }
}

extension FileStore {
  /// Makes a vault without slots: only who is given its key can open it.
  ///
  /// It keeps neither a trash nor a log: what is removed is gone.
  ///
  /// - Parameters:
  ///   - path: Its path, where nothing is yet.
  ///   - id: Its id.
  ///   - time: The source of the first commit's date.
  /// - Returns: The keys.
  /// - Throws: As `FileStore.create`, but for the errors of a key.
  package static func createKeyless(
    _ path: VaultPath, id: VaultID, time: TimeSource = .system
  ) throws(VaultError) -> EpochKeys {
    let chain = MigrationChain.current
    let keys = EpochKeys(VaultKey(), ident: chain.ident(of: id))
    try VaultFile.create(
      path, keys: keys, slots: [], chain: chain, time: time, logDays: 0,
      filling: { (_, head) throws(VaultError) in head.trashDays = 0 })
    return keys
  }
}
