import CredentialVault
import Glibc
import SecureMemory
import VaultModel

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
  func keyFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.keyFile) { return .keyFile(path) }
    if let path = arguments.text(.passphraseFile) { return .passphraseFile(path) }
    guard let number = try arguments.parsed(.passphraseFD, as: Values.descriptor) else {
      return nil
    }
    guard isatty(number) != 1 else {
      throw VaultError(
        .invalidArgument, "--passphrase-fd: the passphrase would show on the terminal")
    }
    return .passphraseDescriptor(number)
  }

  /// How long to wait for other programs.
  func lockTimeout() throws(VaultError) -> Duration {
    try arguments.parsed(.lockTimeout, as: Values.seconds) ?? .seconds(10)
  }

  /// What opens another file than the vault: what the arguments name, else what the library finds, else
  /// what is typed.
  ///
  /// - Throws: ``VaultError/Code/locked`` at once if nobody can be asked.
  func key(for file: String) throws(VaultError) -> KeySource {
    if let key = try keyFromArguments() { return key }
    if let key = KeySource.find() { return key }
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(.locked, "\(file) is locked and there is no terminal to ask on")
    }
    return .passphrase(try terminal.secret(prompt: "Passphrase for \(file): "))
  }

  /// Opens and unlocks the vault: by what the arguments name, else by what the library finds, else
  /// by asking.
  ///
  /// - Throws: ``VaultError/Code/locked`` at once if there is no key and nobody can be asked; what
  ///   opening and unlocking throw.
  func openVault() throws(VaultError) -> Vault {
    let vault = try Vault.open(
      path: vaultPath, key: keyFromArguments(), lockTimeout: lockTimeout())
    guard try vault.state == .locked else { return vault }
    let path = vault.path ?? "the vault"
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(.locked, "\(path) is locked and there is no terminal to ask on")
    }
    let passphrase = try terminal.secret(prompt: "Passphrase for \(path): ")
    try vault.unlock(with: .passphrase(passphrase))
    return vault
  }
}
