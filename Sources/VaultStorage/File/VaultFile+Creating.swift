import Glibc
import VaultCrypto
import VaultModel

/// Making a new vault.
extension VaultFile {
  /// Makes a vault with one slot; a kill at any moment leaves the whole vault or none.
  ///
  /// - Parameters:
  ///   - path: Where it is to lie; its folder exists.
  ///   - keys: The keys of epoch 1.
  ///   - slot: The first slot, wrapping those keys.
  ///   - chain: Makes the schema; the keys' ident is the one that it leads to.
  /// - Throws: ``VaultError/Code/vaultExists``, ``VaultError/Code/cannotCreate``,
  ///   ``VaultError/Code/unsafePermissions``.
  static func create(
    _ path: VaultPath, keys: EpochKeys, slot: Slot, chain: MigrationChain
  ) throws(VaultError) {
    try path.checkFolder()
    guard try Posix.information(path.path) == nil else {
      throw VaultError(.vaultExists, "there is something at \(path.path) already")
    }
    let temporary = path.temporary()
    try Posix.createFile(temporary)
    do throws(VaultError) {
      try fill(temporary, keys: keys, slot: slot, chain)
      try Posix.publish(temporary, as: path.path)
      try Posix.synchronize(folder: path.folder)
    } catch {
      unsafe unlink(temporary)
      throw error
    }
  }

  private static func fill(
    _ path: String, keys: EpochKeys, slot: Slot, _ chain: MigrationChain
  ) throws(VaultError) {
    let connection = try Connection(path: path, busyWait: BusyWait(timeout: .zero))
    try connection.configure()
    try connection.execute("PRAGMA page_size = 4096")
    try connection.execute("PRAGMA journal_mode = DELETE")
    try connection.run(.beginImmediate)
    let body = slot.encoded
    var head = Head(
      ident: keys.ident, slots: keys.authenticate(slots: [(id: slot.id, body: body)]))
    _ = try chain.run(after: 0, on: connection, keys, &head)
    try connection.execute("PRAGMA application_id = 0x564C5431")
    try connection.run(.insertSlot, .integer(UInt64(slot.id)), .blob(body))
    head.generation = 1
    head.committed = .now()
    let sealed = keys.seal(head.encoded, as: .head, id: 0)
    try connection.run(.insertVault, .blob(keys.ident.encoded), .blob(sealed))
    try connection.run(.commit)
  }
}
