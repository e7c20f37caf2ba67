public import CredentialVault
import Glibc
import SecureMemory
public import VaultModel
import VaultTerminal

extension Invocation {
  /// Whether prompting on the terminal is allowed at all.
  package var mayPrompt: Bool {
    !isSilent && !arguments.has(.noPrompt) && Environment.value("VAULTCTL_NO_PROMPT") == nil
      && command.mayPrompt()
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

  /// The variable that names the key; nil if an option does, or nothing.
  var keyVariable: String? {
    let options: [GeneralOption] = [
      .keyFile, .passphraseFile, .passphraseFD, .recoveryFile, .recovery,
    ]
    return options.contains(where: arguments.has) ? nil : setKeyVariable
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
    // No program that is started inherits it.
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    return .passphraseDescriptor(number)
  }

  /// Returns how long to wait for other programs.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for an option that is no time.
  public func lockTimeout() throws(VaultError) -> Duration {
    try arguments.parsed(.lockTimeout, as: Values.wait) ?? .seconds(10)
  }

  /// Opens and unlocks the vault with the key that the arguments name, else one that the library
  /// finds or the kernel remembers, else a passphrase that the user is prompted for.
  ///
  /// - Throws: ``VaultError/Code/locked`` at once if there is no key and nobody can be asked; any
  ///   error of opening and unlocking.
  public func openVault() throws(VaultError) -> Vault {
    try openVault(VaultLocation.vault(at: vaultPath))
  }

  /// Opens and unlocks a vault as a list has it; prompts name the file if it is given.
  func openVault(_ listed: ListedVault, named file: String? = nil) throws(VaultError) -> Vault {
    let vault = try openLocked(listed)
    try unlock(vault, with: keyFromArguments().orFound(), named: file)
    return vault
  }

  /// Opens the vault without a key.
  func openLocked() throws(VaultError) -> Vault {
    try openLocked(VaultLocation.vault(at: vaultPath))
  }

  func openLocked(_ listed: ListedVault) throws(VaultError) -> Vault {
    let vault = try Vault.openLocked(
      listed, lockTimeout: lockTimeout(), acceptingAnotherVault: arguments.has(.acceptVault),
      withSharedSession: command.sharesSession)
    Clock.follow(vault)
    return vault
  }

  /// Unlocks a vault with the given key, else with the one that the kernel remembers, else with a
  /// passphrase that the user is prompted for, as ``withKey(for:of:_:)`` does.
  ///
  /// - Throws: Any error of unlocking; of a prompt only if the kernel remembers nothing.
  func unlock(
    _ vault: Vault, with given: KeySource?, named file: String? = nil
  ) throws(VaultError) {
    // Read once: a variable is wiped when it is read.
    let given = try given?.hasPassphrase == true ? given : given?.loaded()
    if given?.hasPassphrase != true, try opensUnasked(vault, with: given) { return }
    let time = try remembering()
    try withKey(given, for: file, of: .vault(vault)) { (key) throws(VaultError) in
      try vault.unlock(with: key)
    }
    if given?.hasPassphrase != true { try remember(vault, for: time) }
  }

  /// Unlocks a vault as ``Vault/opensUnasked(with:)`` does.
  ///
  /// A key that is wrong, half of one, or was found and cannot be used is not an error yet: the
  /// prompt is still to come, and without it the same error.
  private func opensUnasked(_ vault: Vault, with key: KeySource?) throws(VaultError) -> Bool {
    do throws(VaultError) {
      return try vault.opensUnasked(with: key)
    } catch {
      guard
        [.locked, .authenticationFailed].contains(error.code)
          || key?.isFound == true && error.code != .busy
      else { throw error }
      return false
    }
  }

  /// Opens something with the key that the arguments name, else one that the library finds, else a
  /// passphrase that the user is prompted for, three times at most.
  ///
  /// - Parameters:
  ///   - file: The file that is opened, for the prompt; nil is the vault.
  ///   - holder: The file with the slots; of nil it is not known which keys they need.
  ///   - open: Opens it; called again with the next key that was found or typed.
  /// - Returns: The result of `open`.
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked, or no slot needs a passphrase;
  ///   any error of `open`, which is ``VaultError/Code/authenticationFailed`` for a wrong key.
  func withKey<R>(
    for file: String? = nil, of holder: SlotHolder? = nil,
    _ open: (KeySource) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try withKey(keyFromArguments().orFound(), for: file, of: holder, open)
  }

  /// Opens a file that is made only once a key opens it.
  ///
  /// - Parameters:
  ///   - file: The file, for the prompt.
  ///   - open: Opens it; called again with the next key that was found or typed.
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked; any error of `open`, which is
  ///   ``VaultError/Code/authenticationFailed`` for a wrong key.
  public func withKey(
    ofNew file: String, _ open: (KeySource) throws(VaultError) -> Void
  ) throws(VaultError) {
    try withKey(for: file, of: nil, open)
  }

  /// Opens something with the given key, else with a passphrase, as ``withKey(for:of:_:)`` says.
  func withKey<R>(
    _ given: KeySource?, for file: String?, of holder: SlotHolder?,
    _ open: (KeySource) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    let path = if let file { file } else { try absolutePath() }
    return try withPassphrase(for: path, of: holder) { (prompt) throws(VaultError) in
      let key: KeySource
      switch given {
      case let file? where file.isKeyFile && mayPrompt:
        key = .both(file, prompt.source(.secondHalf))
      case .found(let files) where !files.contains(where: \.hasPassphrase):
        let passphrase = prompt.source(.besideFound(files))
        let halves = files.filter { !$0.isMachineFile }
        key = .found(files + (halves.isEmpty ? [passphrase] : halves.map { .both(passphrase, $0) }))
      case let given?: key = given
      case nil: key = prompt.source(.alone)
      }
      guard let opened = try key.firstThatOpens(open) else { throw PassphrasePrompt.locked(path) }
      return opened
    }
  }

  /// Calls `open` with a prompt for a passphrase, and again after a wrong one, three times at most.
  ///
  /// - Throws: Any error of `open`, among them those of ``PassphrasePrompt/source(_:)``.
  func withPassphrase<R>(
    for path: String, of holder: SlotHolder?, _ open: (PassphrasePrompt) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    var attempt = 1
    // A program of the desktop asks, whose user has not said how long.
    let remembered = command.id == .askpass ? try rememberingIfPossible() : nil
    while true {
      let prompt = PassphrasePrompt(
        path, of: holder, self, followsWrong: attempt > 1, remembered: remembered)
      do throws(VaultError) {
        return try open(prompt)
      } catch {
        guard error.code == .authenticationFailed, prompt.wasAnswered,
          attempt < PassphrasePrompt.attempts
        else { throw error }
        attempt += 1
      }
    }
  }

  /// Prompts for a secret that opens a file.
  ///
  /// - Throws: ``VaultError/Code/locked`` if nobody can be asked.
  func ask(_ question: String, _ file: String? = nil) throws(VaultError) -> Secret {
    let path = if let file { file } else { try absolutePath() }
    guard mayPrompt, let terminal = Terminal() else { throw PassphrasePrompt.locked(path) }
    return try terminal.secret(prompt: "\(question) \(path) (\(work)): ")
  }
}
