import SealedTree
import VaultCrypto
import VaultModel

/// The readable parts of a file that a restore replaces, in any state.
struct ReplacedFile {
  /// The ident; nil if it is damaged.
  private(set) var ident: Ident?
  /// The slots that can be read.
  private(set) var slotRows: [VaultFile.SlotRow] = []
  private var headRow: [UInt8] = []
  private let connection: Connection

  /// Reads a copy of the file.
  ///
  /// - Throws: ``VaultError/Code/tooNew``; ``VaultError/Code/notAVault`` if it is another program's
  ///   database.
  init(_ path: String) throws(VaultError) {
    connection = try Connection(
      path: path, busyWait: BusyWait(timeout: .zero), isReadOnly: true, chain: .current)
    try connection.configure()
    // Either may be damaged without the other.
    try Self.unlessDamaged { () throws(VaultError) in
      var row: (ident: [UInt8], head: [UInt8]) = ([], [])
      try connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
      headRow = row.head
      ident = try Ident(decoding: row.ident, knowing: MigrationChain.current.features)
    }
    try Self.unlessDamaged { () throws(VaultError) in
      try connection.run(.selectSlots) { (row) throws(VaultError) in
        // No vault has such a slot, and no head verifies it.
        guard let id = UInt32(exactly: row.integer(0)) else { return }
        // Surplus slots were planted to be tried: none of them is.
        guard slotRows.count < SlotLimits.mostSlots + SlotLimits.mostMachines else {
          slotRows = []
          throw VaultError(.damaged, "there are too many slots")
        }
        slotRows.append((id, row.blob(1)))
      }
    }
    let header = try connection.header()
    guard ident != nil || header.isOurs else {
      throw VaultError(.notAVault, "the file is another program's database")
    }
  }

  private static func unlessDamaged(_ body: () throws(VaultError) -> Void) throws(VaultError) {
    do throws(VaultError) {
      try body()
    } catch {
      guard error.code == .damaged else { throw error }
    }
  }

  /// Returns the head and its tag; nil if the keys are not of its epoch, or it does not open.
  ///
  /// The epoch in the unencrypted ident does not matter: the head is sealed with the right one.
  func head(with keys: EpochKeys) throws(VaultError) -> (head: Head, tag: Tag)? {
    do throws(VaultError) {
      let head = try Head(decoding: keys.open(headRow, as: .head, id: 0))
      return head.ident == keys.ident.encoded ? (head, Tag(ofSealed: headRow)) : nil
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// Returns the blocks of ancestors of its head; none if one is damaged, since nothing is known
  /// then of the generations before.
  func ancestors(of head: Head, _ keys: EpochKeys) throws(VaultError) -> [AncestorBlock] {
    let reader = TreeReader(
      keys: keys, root: head.directory, rows: connection, clock: VaultClock(),
      beforeReading: { () throws(VaultError) in })
    var blocks: [AncestorBlock] = []
    try Self.unlessDamaged { () throws(VaultError) in blocks = try reader.ancestors(of: head) }
    return blocks
  }

  /// The proof that a key gives about the file.
  enum Proof {
    /// Not even that its epoch is one of those that were tried.
    case nothing
    /// The epoch, since a slot is bound to it; but the head does not verify all slots. A removed
    /// slot that somebody else restored must not become valid again.
    case epoch(UInt64)
    case vault(EpochKeys, slots: [VaultFile.SlotRow], roster: Roster?)

    /// The proven epoch; 0 if there is none.
    var epoch: UInt64 {
      switch self {
      case .nothing: 0
      case .epoch(let epoch): epoch
      case .vault(let keys, _, _): keys.ident.epoch
      }
    }
  }

  /// Tries a key on each slot of its kind, for each of some epochs.
  func proof(
    by key: UnlockKey, of vault: VaultID, _ epochs: [UInt64]
  ) throws(VaultError) -> Proof {
    // A passphrase is not tried without need.
    guard !epochs.isEmpty, hasPlausibleSlots else { return .nothing }
    let idents = epochs.map { epoch in
      var ident = ident ?? Ident(vaultID: vault, epoch: epoch)
      ident.epoch = epoch
      return ident
    }
    var proof = Proof.nothing
    for slot in slots where slot.takes(key) {
      do throws(VaultError) {
        let keys = try slot.open(with: key, idents: idents)
        let head = try head(with: keys)?.head
        // Anybody can wrap a key of his own for a machine, whose public key is in the file.
        if case .machine(let machine) = key, !machine.believes(head?.roster?.admins) { continue }
        if let head, keys.authenticate(slots: slotRows) == head.slots,
          VaultFile.isSigned(slotRows, by: head.roster, of: keys.ident)
        {
          return .vault(keys, slots: slotRows, roster: head.roster)
        }
        // An old slot that somebody restored is not conclusive.
        if keys.ident.epoch > proof.epoch { proof = .epoch(keys.ident.epoch) }
        if proof.epoch == epochs.max() { return proof }
      } catch {
        guard [.authenticationFailed, .damaged].contains(error.code) else { throw error }
      }
    }
    return proof
  }

  /// The slots that are not damaged.
  var slots: [Slot] { VaultFile.readable(slotRows) }

  /// Whether the slots may be tried.
  private var hasPlausibleSlots: Bool {
    do throws(VaultError) {
      try SlotLimits.check(slots)
      return true
    } catch {
      return false
    }
  }
}
