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

  /// The key that the arguments name, nil if they name none.
  ///
  /// A recovery code that is to be asked for is asked for here.
  func keyFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.keyFile) { return .keyFile(path) }
    if let path = arguments.text(.passphraseFile) { return .passphraseFile(path) }
    if let source = try passphraseDescriptor(.passphraseFD) { return source }
    if let path = arguments.text(.recoveryFile) { return .recoveryFile(path) }
    guard arguments.has(.recovery), command.id != .initialize else { return nil }
    return .recoveryCode(try ask("Recovery code for"))
  }

  /// The passphrase on a descriptor that an option names.
  func passphraseDescriptor(_ name: OptionName) throws(VaultError) -> KeySource? {
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
    try vault.unlock(with: key())
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
  /// - Parameter file: What it is to open, for the question; nil is the vault.
  /// - Returns: Where the key is, or the passphrase itself.
  /// - Returns: What the arguments name, else what the library finds, else a passphrase that is asked for.
  /// - Throws: ``VaultError/Code/locked`` at once if nobody can be asked.
  func key(for file: String? = nil) throws(VaultError) -> KeySource {
    if let key = try keyFromArguments() ?? KeySource.find() { return key }
    return .passphrase(try ask("Passphrase for", file))
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
