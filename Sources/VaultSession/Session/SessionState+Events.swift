package import VaultModel

/// The events of a session's changes.
extension SessionStore.State {
  func isDefault(_ user: String?, of space: ProtectionSpace) -> Bool {
    let present = defaults[space]
    guard let user, let present else { return user == present }
    return present.utf8.elementsEqual(user.utf8)
  }

  /// The events for dropping everything.
  var removals: [VaultEvent] {
    let entries = groups.values.joined() + loose
    return entries.map { .removed(VaultEvent.Subject($0.item)) }
      + defaults.keys.map(VaultEvent.defaultChanged)
  }
}

extension SessionStore {
  /// Posts the event of a change that was made without one.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    events.post(event())
  }
}
