import VaultAdministration
import VaultModel

extension RememberedTime {
  /// The time without a use, and the time in any case, in words: `15m without use, 8h at most`.
  var text: String { "\(Self.span(idle)) without use, \(Self.span(most)) at most" }

  /// The value that means it in an option, a variable or the configuration.
  var setting: String {
    self == .oneUse ? "operation" : "\(Self.span(idle)),\(Self.span(most))"
  }

  /// Returns a span of time in its two largest units: `7h59m`.
  static func span(_ seconds: UInt32) -> String {
    var (rest, words) = (seconds, [String]())
    for (unit, length) in [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)] as [(String, UInt32)] {
      if rest >= length, words.count < 2 { words.append("\(rest / length)\(unit)") }
      rest %= length
    }
    return words.isEmpty ? "0s" : words.joined()
  }
}

extension Invocation {
  /// Returns how long the key of a passphrase that is typed is remembered; nil for not at all.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an option that means nothing; as
  ///   `RememberedTime.configured()`.
  func remembering() throws(VaultError) -> RememberedTime? {
    guard arguments.has(.remember) else {
      // A program of the desktop asks through this one.
      return try command.id == .askpass
        ? RememberedTime.afterDesktopPrompt() : RememberedTime.configured()
    }
    return try arguments.parsed(.remember, as: RememberedTime.setting) ?? nil
  }

  /// Returns the same; nil also where the kernel's keyrings are denied or full.
  func rememberingIfPossible() throws(VaultError) -> RememberedTime? {
    do throws(VaultError) {
      try RememberedKey.require()
    } catch {
      return nil
    }
    return try remembering()
  }

  /// Lets the kernel remember the key of a vault that a typed passphrase opened.
  ///
  /// An obstacle (the vault's own limit, keyrings that are denied or full) only means another
  /// prompt next time.
  func remember(_ vault: Vault, for time: RememberedTime?) throws(VaultError) {
    guard let time, time != .oneUse || hasFollower else { return }
    do throws(VaultError) {
      try RememberedKey(vault).remember(for: time)
    } catch {
      guard [.policyRefused, .unavailable, .outOfMemory].contains(error.code) else { throw error }
    }
  }
}
