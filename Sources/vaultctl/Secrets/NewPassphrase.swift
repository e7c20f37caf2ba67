import CredentialVault
import VaultModel
import VaultTerminal

/// A passphrase that is set, and what trying it costs.
extension Invocation {
  /// The cost that `--kdf` names; nil leaves it to the machine.
  func costFromArguments() throws(VaultError) -> PassphraseCost? {
    try arguments.parsed(.kdf, as: Values.cost)
  }

  /// The new passphrase that the arguments name, nil if it is to be asked for.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a terminal, or for the descriptor that the present
  ///   passphrase comes from.
  func newPassphraseFromArguments() throws(VaultError) -> KeySource? {
    if let path = arguments.text(.newPassphraseFile) { return .passphraseFile(path) }
    let new = try arguments.parsed(.newPassphraseFD, as: Values.descriptor)
    let old = try arguments.parsed(.passphraseFD, as: Values.descriptor)
    guard new == nil || new != old else {
      throw VaultError(
        .invalidArgument, "the old and the new passphrase cannot come from one descriptor")
    }
    return try passphraseDescriptor(.newPassphraseFD)
  }

  /// Asks for a new passphrase, twice.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if nobody can be asked.
  func askNewPassphrase() throws(VaultError) -> KeySource {
    let path = try absolutePath()
    guard mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput,
        "there is no terminal to ask for the new passphrase on (give it with --new-passphrase-file)"
      )
    }
    return try .passphrase(terminal.newSecret(prompt: "New passphrase for \(path): "))
  }

  /// The vault's path, for questions.
  func absolutePath() throws(VaultError) -> String {
    if let path = vaultPath { return path }
    return try VaultLocation.find()
  }
}
