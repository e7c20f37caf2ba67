import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultTerminal

extension Invocation {
  /// Whether the terminal may be asked at all.
  var mayPrompt: Bool {
    guard !arguments.has(.noPrompt), Environment.value("VAULTCTL_NO_PROMPT") == nil else {
      return false
    }
    return command.id != .gitCredential || GitInteraction.isAllowed
  }

  /// The path that was named; nil leaves it to the library's search.
  var vaultPath: String? { arguments.text(.vault) }

  /// The key that the arguments name, nil if they name none; a passphrase with a key file, and a key file with a passphrase,
  /// for slots that need both, where the arguments or the environment have one.
  ///
  /// A recovery code that is to be asked for is asked for here.
  func keyFromArguments() throws(VaultError) -> KeySource? {
    let passphrase = try passphraseFromArguments()
    if let path = arguments.text(.keyFile) {
      guard let passphrase else { return KeySource.keyFile(path).completed() }
      return .both(.keyFile(path), passphrase)
    }
    if let passphrase { return passphrase.completed() }
    if let path = arguments.text(.recoveryFile) { return .recoveryFile(path) }
    guard arguments.has(.recovery), command.id != .initialize else { return nil }
    return .recoveryCode(try ask("Recovery code for"))
  }

  /// Whether the key is a file that a variable names, where a passphrase would be asked for without it.
  var hasFoundKeyFile: Bool {
    let options: [GeneralOption] = [
      .keyFile, .passphraseFile, .passphraseFD, .recoveryFile, .recovery,
    ]
    guard mayPrompt, !options.contains(where: arguments.has), case .keyFile = KeySource.find()
    else { return false }
    return Environment.value("VAULTCTL_KEY_FILE") != nil
  }

  /// The passphrase that the arguments name, nil if they name none.
  func passphraseFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.passphraseFile) { return .passphraseFile(path) }
    return try passphraseDescriptor(.passphraseFD)
  }

  /// The passphrase on a descriptor that an option names.
  func passphraseDescriptor(_ name: GeneralOption) throws(VaultError) -> KeySource? {
    guard let number = try arguments.parsed(name, as: Values.descriptor) else { return nil }
    guard isatty(number) != 1 else {
      throw VaultError(
        .invalidArgument, "--\(name.rawValue): the passphrase would show on the terminal")
    }
    return .passphraseDescriptor(number)
  }

  /// How long to wait for other programs.
  func lockTimeout() throws(VaultError) -> Duration {
    try arguments.parsed(.lockTimeout, as: Values.seconds) ?? .seconds(10)
  }

  /// Opens and unlocks the vault: by what the arguments name, else by what the library finds, else
  /// by asking.
  ///
  /// - Throws: ``VaultError/Code/locked`` at once if there is no key and nobody can be asked; what
  ///   opening and unlocking throw.
  func openVault() throws(VaultError) -> Vault {
    let vault = try openLocked()
    try vault.unlock(with: key(of: vault))
    return vault
  }

  /// Opens the vault without a key.
  func openLocked() throws(VaultError) -> Vault {
    let vault = try Vault.openLocked(
      path: vaultPath, lockTimeout: lockTimeout(), acceptsAnother: arguments.has(.acceptVault))
    Clock.follow(vault)
    return vault
  }

  /// The key to unlock with.
  ///
  /// - Parameters:
  ///   - file: What it is to open, for the question; nil is the vault.
  ///   - vault: The vault, which may have no slot for a passphrase alone.
  /// - Returns: What the arguments name, else what the library finds, else a passphrase that is asked for. With a key file
  ///   alone a passphrase is asked for when a slot needs both.
  /// - Throws: ``VaultError/Code/locked`` at once if nobody can be asked, or a passphrase alone is not enough.
  func key(for file: String? = nil, of vault: Vault? = nil) throws(VaultError) -> KeySource {
    if let key = try keyFromArguments() ?? KeySource.find() {
      guard case .keyFile = key, mayPrompt else { return key }
      let path = if let file { file } else { try absolutePath() }
      return .both(key, .askedPassphrase { () throws(VaultError) in try Self.askOtherHalf(path) })
    }
    try vault?.requireSlotForPassphraseAlone(absolutePath())
    return .passphrase(try askPassphrase(file))
  }

  /// Asks for the passphrase of a slot that needs a key file, too, which was given.
  private static func askOtherHalf(_ path: String) throws(VaultError) -> Secret {
    guard let terminal = Terminal() else {
      throw VaultError(
        .locked,
        "\(path) needs a passphrase as well as the key file, and there is no terminal to ask on")
    }
    return try terminal.secret(prompt: "Passphrase for \(path): ")
  }

  /// Asks for a passphrase.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked; ``VaultError/Code/invalidData`` if nothing is typed.
  func askPassphrase(_ file: String? = nil) throws(VaultError) -> Secret {
    let passphrase = try ask("Passphrase for", file)
    guard passphrase.count > 0 else { throw VaultError(.invalidData, "nothing was typed") }
    return passphrase
  }

  /// Asks for what opens a file.
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
  /// Nobody is asked for a passphrase that no slot takes, or none without a key file.
  ///
  /// - Parameter path: The vault's, for the message.
  /// - Throws: ``VaultError/Code/locked``, saying what is missing.
  fileprivate func requireSlotForPassphraseAlone(_ path: String) throws(VaultError) {
    let slots = try slots()
    let kinds = Set(slots.map(\.kind))
    guard !kinds.contains("passphrase") else { return }
    if let both = slots.first(where: { $0.kind == "both" }) {
      throw VaultError(
        .locked, "slot \(both.id) needs a key file as well as the passphrase: --key-file")
    }
    if kinds.contains("key-file") {
      throw VaultError(
        .locked,
        "\(path) opens with a key file, and none was given: --key-file or VAULTCTL_KEY_FILE")
    }
    if kinds.contains("recovery") {
      throw VaultError(
        .locked, "\(path) opens with a recovery code, and none was given: --recovery")
    }
  }
}
