import VaultModel

/// The parts of a snapshot that must be read again.
struct Staleness {
  var isAll = false
  var spaces: Set<ProtectionSpace> = []
  /// The items that no longer answer a space.
  ///
  /// They were removed at once, but a read that had begun earlier may have added them again.
  var withoutSpace: Set<ItemID> = []

  /// Records that an item of the file was changed.
  mutating func note(_ subject: VaultEvent.Subject, from place: Persistence = .none) {
    guard subject.persistence == .permanent || place == .permanent, let space = subject.space else {
      return
    }
    spaces.insert(space)
  }
}
