import SealedTree
import VaultCrypto
import VaultFile
import VaultModel

/// What a file that a restore replaces says of itself, in whatever state it is.
struct ReplacedFile {
  /// Nil if it is damaged.
  private(set) var ident: Ident?
  /// As many as can be read.
  private(set) var slotRows: [VaultFile.SlotRow] = []
  private var headRow: [UInt8] = []

  /// Looks at a copy of it.
  ///
  /// - Throws: ``VaultError/Code/tooNew``; ``VaultError/Code/notAVault`` if it is another program's database.
  init(_ path: String) throws(VaultError) {
    let connection = try Connection(
      path: path, busyWait: BusyWait(timeout: .zero), isReadOnly: true, chain: .current)
    try connection.configure()
    // Each may be damaged without the other.
    try Self.unlessDamaged { () throws(VaultError) in
      var row: (ident: [UInt8], head: [UInt8]) = ([], [])
      try connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
      headRow = row.head
      ident = try Ident(decoding: row.ident)
    }
    try Self.unlessDamaged { () throws(VaultError) in
      try connection.run(.selectSlots) { (row) throws(VaultError) in
        // No vault has such a slot, and no head vouches for it.
        guard let id = UInt32(exactly: row.integer(0)) else { return }
        // More than there may be are somebody's who wants them to be tried: none of them is.
        guard slotRows.count < SlotLimits.mostSlots else {
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

  /// The head and its tag; nil if the keys are not of its epoch, or it does not open.
  ///
  /// What the clear ident says of the epoch does not matter: the head is sealed with the right one.
  func head(with keys: EpochKeys) throws(VaultError) -> (head: Head, tag: Tag)? {
    do throws(VaultError) {
      let head = try Head(decoding: keys.open(headRow, as: .head, id: 0))
      return head.ident == keys.ident.encoded ? (head, Tag(ofSealed: headRow)) : nil
    } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// What a key proves of the file.
  enum Proof {
    /// Not even that its epoch is one of those that were tried.
    case nothing
    /// The epoch, since a slot is bound to it: but the head does not vouch for all slots. One that was removed, and
    /// put back by somebody else, must not come into force again.
    case epoch(UInt64)
    case vault(EpochKeys, slots: [VaultFile.SlotRow])

    /// 0 if none is proven.
    var epoch: UInt64 {
      switch self {
      case .nothing: 0
      case .epoch(let epoch): epoch
      case .vault(let keys, _): keys.ident.epoch
      }
    }
  }

  /// Tries a key on each slot of its kind, for each of some epochs.
  func proof(
    by key: UnlockKey, of vault: VaultID, _ epochs: [UInt64]
  ) throws(VaultError) -> Proof {
    // A passphrase is not tried for nothing.
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
        if let head = try head(with: keys)?.head,
          keys.authenticate(slots: slotRows) == head.slots
        {
          return .vault(keys, slots: slotRows)
        }
        // An old slot that somebody put back is not the last word.
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

  /// Whether they may be tried.
  private var hasPlausibleSlots: Bool {
    do throws(VaultError) {
      try SlotLimits.check(slots)
      return true
    } catch {
      return false
    }
  }
}
