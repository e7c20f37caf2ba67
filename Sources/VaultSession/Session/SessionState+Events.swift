package import VaultModel

/// What observers are told of a session's changes.
extension SessionStore.State {
  func isDefault(_ user: String?, of space: ProtectionSpace) -> Bool {
    let present = defaults[space]
    guard let user, let present else { return user == present }
    return present.utf8.elementsEqual(user.utf8)
  }

  /// The events of forgetting everything.
  var removals: [VaultEvent] {
    let entries = groups.values.joined() + loose
    return entries.map { .removed(VaultEvent.Subject($0.item)) }
      + defaults.keys.map(VaultEvent.defaultChanged)
  }
}

extension SessionStore {
  /// Notes a change of the session that was made quietly.
  package func note(_ event: @autoclosure () -> VaultEvent) {
    events.post(event())
  }
}
