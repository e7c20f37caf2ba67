import SecureMemory
import VaultModel

/// Advice about a new passphrase, which is taken as it is.
extension Invocation {
  /// Below this length, words and names that people choose are found by trying, whatever the cost
  /// of one try.
  private static let shortest = 12
  /// Fewer different characters are one key held down, or a pattern.
  private static let fewestCharacters = 5

  /// Says that a new passphrase is easily found, once it was typed.
  func advise(on passphrase: Secret) throws(VaultError) {
    guard !isQuiet, !isJSON else { return }
    let isWeak = passphrase.withBytes { bytes in
      // Compared where they are, because a set of them would be a copy outside guarded memory.
      var different = 0
      for index in 0..<bytes.count where different < Self.fewestCharacters {
        if !(0..<index).contains(where: { bytes[$0] == bytes[index] }) { different += 1 }
      }
      return bytes.count < Self.shortest || different < Self.fewestCharacters
    }
    guard isWeak else { return }
    try hint(
      "anyone who copies the vault can try short passphrases until one opens it; vaultctl generate"
        + " --words 6 makes a long one")
  }
}
