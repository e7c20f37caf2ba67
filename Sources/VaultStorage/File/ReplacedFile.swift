import VaultCrypto
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
    do throws(VaultError) {
      var row: (ident: [UInt8], head: [UInt8]) = ([], [])
      try connection.run(.selectVault) { row = ($0.blob(0), $0.blob(1)) }
      ident = try Ident(decoding: row.ident)
      headRow = row.head
      try connection.run(.selectSlots) { (row) throws(VaultError) in
        // More than there may be are somebody's who wants them to be tried: none of them is.
        guard slotRows.count < SlotLimits.mostSlots else {
          slotRows = []
          throw VaultError(.damaged, "there are too many slots")
        }
        slotRows.append((UInt32(truncatingIfNeeded: row.integer(0)), row.blob(1)))
      }
    } catch {
      guard error.code == .damaged else { throw error }
    }
    let header = try connection.header()
    guard ident != nil || header.isOurs else {
      throw VaultError(.notAVault, "the file is another program's database")
    }
  }

  /// The head and its tag; nil if the keys are not of its epoch, or it does not open.
  func head(with keys: EpochKeys) throws(VaultError) -> (head: Head, tag: Tag)? {
    guard ident == keys.ident else { return nil }
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
    /// Not even that its epoch is the one that the ident says.
    case nothing
    /// The epoch, since a slot is bound to it: but the head does not vouch for all slots. One that was removed, and
    /// put back by somebody else, must not come into force again.
    case epoch
    case vault(EpochKeys, slots: [VaultFile.SlotRow])

    var isOfEpoch: Bool {
      if case .nothing = self { false } else { true }
    }
  }

  /// Tries a key on each slot of its kind.
  func proof(by key: UnlockKey) throws(VaultError) -> Proof {
    guard let ident, hasPlausibleSlots else { return .nothing }
    for slot in slots where slot.takes(key) {
      do throws(VaultError) {
        let keys = try slot.open(with: key, ident: ident)
        guard let head = try head(with: keys)?.head,
          keys.authenticate(slots: slotRows) == head.slots
        else { return .epoch }
        return .vault(keys, slots: slotRows)
      } catch {
        guard [.authenticationFailed, .damaged].contains(error.code) else { throw error }
      }
    }
    return .nothing
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
