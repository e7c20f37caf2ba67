import SecureMemory
import VaultCommands
import VaultModel
import VaultTerminal

/// The passphrase of a file with keys, which is not the vault's.
struct FilePassphrase {
  private static let attempts = 3

  private let invocation: Invocation
  /// The passphrase that an option names; nil if the user is to be asked.
  let named: Secret?

  /// - Throws: ``VaultError/Code/invalidArgument`` for two options, or the vault's descriptor;
  ///   ``VaultError/Code/missingInput`` if nothing can be read.
  init(_ invocation: Invocation) throws(VaultError) {
    self.invocation = invocation
    let arguments = invocation.arguments
    let number = try arguments.parsed(.filePassphraseFD, as: Values.descriptor)
    let path = arguments.text(.filePassphraseFile)
    guard number == nil || path == nil else {
      throw VaultError(.invalidArgument, "more than one source for the file's passphrase")
    }
    if let number {
      guard try arguments.parsed(.passphraseFD, as: Values.descriptor) != number else {
        throw VaultError(
          .invalidArgument, "the vault's and the file's passphrase cannot come from one descriptor")
      }
      named = SecretInput.withoutLineEnd(try SecretInput.readAll(from: number))
    } else if let path {
      let option = "--\(GeneralOption.filePassphraseFile.rawValue)"
      named = SecretInput.withoutLineEnd(try InputFile.read(path, option))
    } else {
      named = nil
    }
  }

  /// Opens a file: without a passphrase, else with the one that was named, or with one that is
  /// asked for, three times at most.
  ///
  /// - Throws: ``VaultError/Code/authenticationFailed`` for a wrong passphrase;
  ///   ``VaultError/Code/missingInput`` if it needs one and nobody can be asked; any error of
  ///   `open`.
  func opening<R>(
    _ name: String, _ open: (Secret?) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    do throws(VaultError) {
      return try open(named)
    } catch {
      guard error.code == .authenticationFailed else { throw error }
      guard named == nil else { throw error.about(.otherFile) }
    }
    let terminal = try terminal()
    var attempt = 1
    while true {
      do throws(VaultError) {
        return try open(try terminal.secret(prompt: "Passphrase of \(name): "))
      } catch {
        guard error.code == .authenticationFailed else { throw error }
        guard attempt < Self.attempts else { throw error.about(.otherFile) }
        try terminal.show("Wrong passphrase; try again.")
        attempt += 1
      }
    }
  }

  /// Returns the passphrase for a new file: the one that was named, or one that is typed twice.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if nobody can be asked.
  func new(_ name: String) throws(VaultError) -> Secret {
    if let named { return named }
    return try terminal().newSecret(prompt: "New passphrase for \(name): ")
  }

  private func terminal() throws(VaultError) -> Terminal {
    guard invocation.mayPrompt, let terminal = Terminal() else {
      throw VaultError(
        .missingInput,
        "there is no terminal to ask for the file's passphrase on (--file-passphrase-file)")
    }
    return terminal
  }
}
