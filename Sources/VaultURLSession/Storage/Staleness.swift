import VaultModel

/// What a snapshot has to read again.
struct Staleness {
  var isAll = false
  var spaces: Set<ProtectionSpace> = []
  /// Items that answer no space any more.
  ///
  /// They were taken out at once; a reading that had begun before may have put them back.
  var withoutSpace: Set<ItemID> = []

  /// Notes that an item of the file was changed.
  mutating func note(_ subject: VaultEvent.Subject, from place: Persistence = .none) {
    guard subject.persistence == .permanent || place == .permanent, let space = subject.space else {
      return
    }
    spaces.insert(space)
  }
}
