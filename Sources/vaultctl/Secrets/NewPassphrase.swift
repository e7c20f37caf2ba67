import CredentialVault
import VaultModel
import VaultTerminal

/// Reading of a new passphrase and its Argon2id cost.
extension Invocation {
  /// Returns the cost that `--kdf` names; if nil, it is measured on the machine.
  func costFromArguments() throws(VaultError) -> PassphraseCost? {
    try arguments.parsed(.kdf, as: Values.cost)
  }

  /// Returns the new passphrase that the arguments name, nil if the user is to be prompted.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for a terminal, or for the descriptor that the
  ///   present passphrase comes from.
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

  /// Prompts for a new passphrase, twice.
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

  /// Returns the vault's path, for prompts.
  func absolutePath() throws(VaultError) -> String {
    if let path = vaultPath { return path }
    return try VaultLocation.find()
  }
}
