package import VaultModel

extension KeychainKey {
  /// The name of the custom attribute that says that a person is asked for each use of an item.
  static let attendedMark = "keychain-asks"
}

extension Item {
  /// Whether a person is asked for each use, because the item's access list names no program.
  package var asksEachTime: Bool {
    get { custom[KeychainKey.attendedMark] != nil }
    set { custom[KeychainKey.attendedMark] = newValue ? "1" : nil }
  }

  /// Checks that a program may have the secret without a person being asked.
  ///
  /// Nothing here can ask, so this is as on Apple's systems where no dialog can be shown.
  ///
  /// - Throws: ``VaultError/Code/interactionNotAllowed``.
  package func requireUnattended() throws(VaultError) {
    guard !asksEachTime else {
      throw VaultError(.interactionNotAllowed, "the item's access list names no program")
    }
  }
}
