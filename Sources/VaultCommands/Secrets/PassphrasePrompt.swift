import VaultAdministration
import SecureMemory
import VaultModel
import VaultTerminal

/// A file whose slots say which keys can open it.
enum SlotHolder {
  case vault(Vault)
  case backup(String, lockTimeout: Duration)

  func slots() throws(VaultError) -> [SlotInformation] {
    switch self {
    case .vault(let vault): try vault.keys.slots()
    case .backup(let path, let timeout):
      try VaultMaintenance.slots(ofBackup: path, lockTimeout: timeout)
    }
  }
}

/// One question for the passphrase of a vault, which is asked when the answer is needed, and once.
final class PassphrasePrompt: Sendable {
  /// The number of times that a passphrase can be typed.
  static let attempts = 3

  /// The other keys beside the passphrase, which decide whether it can open the vault.
  enum Role {
    case alone
    /// Key files were found and open nothing without it; none if they are not known yet.
    case besideFound([KeySource])
    /// A slot needs it together with the key file that was named.
    case secondHalf

    var isSecondHalf: Bool { if case .secondHalf = self { true } else { false } }
    var isAlone: Bool { if case .alone = self { true } else { false } }

    /// Whether a key file can be read, so that a slot that needs both may open.
    var hasKeyFile: Bool {
      switch self {
      case .alone: false
      case .besideFound(let files): files.isEmpty || files.contains { $0.faultOfFile() == nil }
      case .secondHalf: true
      }
    }
  }

  private let path: String
  private let holder: SlotHolder?
  private let question: String
  private let isAllowed: Bool
  private let followsWrong: Bool
  private let remembered: RememberedTime?
  private let typed = Lock<Secret?>(nil)

  /// - Parameters:
  ///   - path: The vault's path.
  ///   - holder: The file with the slots; of nil it is not known which keys they need.
  ///   - invocation: Whether the user may be asked, and for which work.
  ///   - followsWrong: Whether the passphrase that was typed before was wrong.
  ///   - remembered: How long the key is remembered afterwards, which the prompt says; nil for a
  ///     user who asked for that, or not at all.
  init(
    _ path: String, of holder: SlotHolder?, _ invocation: Invocation, followsWrong: Bool,
    remembered: RememberedTime? = nil
  ) {
    self.path = path
    self.holder = holder
    question = "Passphrase for \(path) (\(invocation.work)): "
    isAllowed = invocation.mayPrompt
    self.followsWrong = followsWrong
    self.remembered = remembered
  }

  /// Whether the user has typed a passphrase.
  var wasAnswered: Bool { typed.withLock { $0 != nil } }

  /// Returns the passphrase as a source.
  ///
  /// Reading it is ``VaultError/Code/locked`` if nobody can be asked or no slot of the vault needs
  /// it, which names what is missing; ``VaultError/Code/invalidData`` if nothing is typed;
  /// ``VaultError/Code/interrupted``; ``VaultError/Code/missingInput`` if the terminal's input
  /// ends.
  func source(_ role: Role) -> KeySource {
    .askedPassphrase { () throws(VaultError) in
      try self.typed.withLock { (typed) throws(VaultError) in
        if let typed { return typed }
        let passphrase = try self.ask(role)
        typed = passphrase
        return passphrase
      }
    }
  }

  private func ask(_ role: Role) throws(VaultError) -> Secret {
    if !role.isSecondHalf, let slots = try holder?.slots() {
      try Self.require(role, slots, path)
    }
    guard isAllowed, let terminal = Terminal() else {
      guard role.isSecondHalf else { throw Self.locked(path) }
      throw VaultError(
        .locked,
        "\(path) needs a passphrase as well as the key file, and there is no terminal to ask on")
    }
    if followsWrong {
      try terminal.show("Wrong passphrase or key; try again.")
    } else if let remembered {
      try terminal.show(
        "Your other programs can then open it too, for \(remembered.text).")
    }
    let passphrase = try terminal.secret(prompt: question)
    guard passphrase.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
    return passphrase
  }

  /// Requires a slot that a passphrase opens, so that nobody is asked in vain.
  ///
  /// - Throws: ``VaultError/Code/locked``, saying what is missing.
  private static func require(
    _ role: Role, _ slots: [SlotInformation], _ path: String
  ) throws(VaultError) {
    let kinds = Set(slots.map(\.kind))
    guard !kinds.contains(.passphrase) else { return }
    if let both = slots.first(where: { $0.kind == .both }) {
      guard !role.hasKeyFile else { return }
      throw VaultError(
        .locked, "slot \(both.id) needs a key file as well as the passphrase: --key-file"
      ).about(.otherHalf)
    }
    if kinds.contains(.keyFile) {
      throw VaultError(
        .locked,
        "\(path) opens with a key file, and "
          + (role.isAlone ? "none was given" : "none that was found opens it")
          + ": --key-file or VAULTCTL_KEY_FILE")
    }
    if kinds.contains(.recoveryCode) {
      throw VaultError(
        .locked, "\(path) opens with a recovery code, and none was given: --recovery")
    }
  }

  /// Returns the error for a vault whose passphrase nobody can be asked for.
  static func locked(_ path: String) -> VaultError {
    VaultError(.locked, "\(path) is locked and there is no terminal to ask on")
      .about(.passphrase)
  }
}

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
