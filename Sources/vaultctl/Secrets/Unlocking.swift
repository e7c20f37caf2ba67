import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

extension Invocation {
  /// Whether prompting on the terminal is allowed at all.
  var mayPrompt: Bool {
    guard !arguments.has(.noPrompt), Environment.value("VAULTCTL_NO_PROMPT") == nil else {
      return false
    }
    return command.id != .gitCredential || GitInteraction.isAllowed
  }

  /// The path that was named; nil leaves it to the library's search.
  var vaultPath: String? { arguments.text(.vault) }

  /// Returns the key that the arguments name, nil if they name none.
  ///
  /// For slots that need both, a key file includes the passphrase, and a passphrase the key file,
  /// if the arguments or the environment name it. If a recovery code is to be typed, this prompts
  /// for it.
  func keyFromArguments() throws(VaultError) -> KeySource? {
    let passphrase = try passphraseFromArguments()
    if let path = arguments.text(.keyFile) {
      guard let passphrase else { return try KeySource.keyFile(path).completed() }
      return .both(.keyFile(path), passphrase)
    }
    if let passphrase { return try passphrase.completed() }
    if let path = arguments.text(.recoveryFile) { return .recoveryFile(path) }
    guard arguments.has(.recovery), command.id != .initialize else { return nil }
    return .recoveryCode(try ask("Recovery code for"))
  }

  /// Whether the key is a file that a variable names, without which the user would be prompted for
  /// a passphrase.
  var hasFoundKeyFile: Bool {
    let options: [GeneralOption] = [
      .keyFile, .passphraseFile, .passphraseFD, .recoveryFile, .recovery,
    ]
    guard mayPrompt, !options.contains(where: arguments.has),
      Environment.value("VAULTCTL_KEY_FILE") != nil
    else { return false }
    do throws(VaultError) {
      guard case .keyFile = try KeySource.find() else { return false }
      return true
    } catch {
      return false
    }
  }

  /// Returns the passphrase that the arguments name, nil if they name none.
  func passphraseFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.passphraseFile) { return .passphraseFile(path) }
    return try passphraseDescriptor(.passphraseFD)
  }

  /// Returns the passphrase on a descriptor that an option names.
  func passphraseDescriptor(_ name: GeneralOption) throws(VaultError) -> KeySource? {
    guard let number = try arguments.parsed(name, as: Values.descriptor) else { return nil }
    guard isatty(number) != 1 else {
      throw VaultError(
        .invalidArgument, "--\(name.rawValue): the passphrase would show on the terminal")
    }
    return .passphraseDescriptor(number)
  }

  /// Returns how long to wait for other programs.
  func lockTimeout() throws(VaultError) -> Duration {
    try arguments.parsed(.lockTimeout, as: Values.seconds) ?? .seconds(10)
  }

  /// Opens and unlocks the vault with the key that the arguments name, else one that the library
  /// finds, else a passphrase that the user is prompted for.
  ///
  /// - Throws: ``VaultError/Code/locked`` at once if there is no key and nobody can be asked; any
  ///   error of opening and unlocking.
  func openVault() throws(VaultError) -> Vault {
    try openVault(VaultLocation.vault(at: vaultPath))
  }

  /// Opens and unlocks a vault as a list has it; prompts name the file if it is given.
  func openVault(_ listed: ListedVault, named file: String? = nil) throws(VaultError) -> Vault {
    let vault = try openLocked(listed)
    try vault.unlock(with: key(for: file, of: vault))
    return vault
  }

  /// Opens the vault without a key.
  func openLocked() throws(VaultError) -> Vault {
    try openLocked(VaultLocation.vault(at: vaultPath))
  }

  private func openLocked(_ listed: ListedVault) throws(VaultError) -> Vault {
    let vault = try Vault.openLocked(
      listed, lockTimeout: lockTimeout(), acceptsAnother: arguments.has(.acceptVault))
    Clock.follow(vault)
    return vault
  }

  /// Returns the key to unlock with.
  ///
  /// - Parameters:
  ///   - file: The file that it opens, for the prompt; nil is the vault.
  ///   - vault: The vault, which may have no slot for a passphrase alone.
  /// - Returns: The key that the arguments name, else one that the library finds, else a passphrase
  ///   that the user is prompted for. With a key file alone, the user is prompted for a passphrase
  ///   when a slot needs both.
  /// - Throws: ``VaultError/Code/locked`` at once if nobody can be asked, or a passphrase alone is
  ///   not enough.
  func key(for file: String? = nil, of vault: Vault? = nil) throws(VaultError) -> KeySource {
    try key(keyFromArguments().orFound(), for: file, of: vault)
  }

  /// Returns the key to unlock with: the given one, else a passphrase that the user is prompted for,
  /// as ``key(for:of:)`` says.
  func key(
    _ given: KeySource?, for file: String?, of vault: Vault?
  ) throws(VaultError) -> KeySource {
    if let key = given {
      guard case .keyFile = key, mayPrompt else { return key }
      let path = if let file { file } else { try absolutePath() }
      return .both(key, .askedPassphrase { () throws(VaultError) in try Self.askOtherHalf(path) })
    }
    let path = if let file { file } else { try absolutePath() }
    try vault?.requireSlotForPassphraseAlone(path)
    return .passphrase(try askPassphrase(file))
  }

  /// Prompts for the passphrase of a slot that needs it together with the key file that was given.
  private static func askOtherHalf(_ path: String) throws(VaultError) -> Secret {
    guard let terminal = Terminal() else {
      throw VaultError(
        .locked,
        "\(path) needs a passphrase as well as the key file, and there is no terminal to ask on")
    }
    return try terminal.secret(prompt: "Passphrase for \(path): ")
  }

  /// Prompts for a passphrase.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked; ``VaultError/Code/invalidData``
  ///   if nothing is typed.
  func askPassphrase(_ file: String? = nil) throws(VaultError) -> Secret {
    let passphrase = try ask("Passphrase for", file)
    guard passphrase.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
    return passphrase
  }

  /// Prompts for a secret that opens a file.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked.
  func ask(_ question: String, _ file: String? = nil) throws(VaultError) -> Secret {
    let path = if let file { file } else { try absolutePath() }
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(.locked, "\(path) is locked and there is no terminal to ask on")
    }
    return try terminal.secret(prompt: "\(question) \(path): ")
  }
}

extension Vault {
  /// Requires a slot for a passphrase alone, so that no user is prompted in vain.
  ///
  /// - Parameter path: The vault's, for the message.
  /// - Throws: ``VaultError/Code/locked``, saying what is missing.
  fileprivate func requireSlotForPassphraseAlone(_ path: String) throws(VaultError) {
    let slots = try keys.slots()
    let kinds = Set(slots.map(\.kind))
    guard !kinds.contains(.passphrase) else { return }
    if let both = slots.first(where: { $0.kind == .both }) {
      throw VaultError(
        .locked, "slot \(both.id) needs a key file as well as the passphrase: --key-file")
    }
    if kinds.contains(.keyFile) {
      throw VaultError(
        .locked,
        "\(path) opens with a key file, and none was given: --key-file or VAULTCTL_KEY_FILE")
    }
    if kinds.contains(.recoveryCode) {
      throw VaultError(
        .locked, "\(path) opens with a recovery code, and none was given: --recovery")
    }
  }
}
