import VaultAdministration
import VaultModel

/// `vaultctl passwd`: changes a passphrase.
enum PassphraseCommand {
  static let command = Command(
    id: .changePassphrase, operands: .none, summary: "change a passphrase of the vault",
    example: "vaultctl passwd",
    details: [
      "Only the slot that the old passphrase opens is changed. Its id and name stay, and so does"
        + " the key file of a slot that needs both. Without options, passwd prompts for both"
        + " passphrases, and for the new one twice. An empty passphrase is refused.",
      "Older copies of the file still open with the old passphrase. If you have lost it, unlock"
        + " with --recovery or a key file and add another: vaultctl slot add passphrase.",
    ],
    groups: [
      OptionGroup(heading: "The new passphrase", options: OptionGroup.newPassphrase), .common,
    ], hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    var hints: [VaultError.Code: String] = [
      .itemNotFound: "vaultctl slot add passphrase\(failure.vaults)"
    ]
    if failure.error.subject != .otherFile {
      hints[.authenticationFailed] = "check the passphrase and --key-file"
    }
    return hints
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let cost = try invocation.costFromArguments()
    let named = try invocation.newPassphraseFromArguments()
    for name in [GeneralOption.recoveryFile, .recovery] where invocation.arguments.has(name) {
      throw otherSlot(name)
    }
    let vault = try invocation.openLocked()
    let kinds = Set(try vault.keys.slots().map(\.kind))
    guard kinds.contains(.both) || !invocation.arguments.has(.keyFile) else {
      throw otherSlot(.keyFile)
    }
    guard kinds.contains(.both) || kinds.contains(.passphrase) else {
      throw VaultError(
        .itemNotFound, "\(try invocation.absolutePath()) opens with no passphrase")
    }
    try invocation.unlockAsMachine(vault)
    let old =
      if let given = try oldFromArguments(invocation) {
        given
      } else {
        try askedOld(vault, invocation)
      }
    let new = if let named { named } else { try invocation.askNewPassphrase() }
    let slot = try vault.keys.changePassphrase(from: old, to: new, cost: cost)
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in try json.field("slot", slot) }
    } else if !invocation.isQuiet {
      try invocation.output.line("changed the passphrase of slot \(slot.id)")
      try invocation.hint("older copies of the file still open with the old passphrase")
    }
    return .success
  }

  /// Prompts for the present passphrase and tests it, so that nobody is asked for a new one in
  /// vain.
  private static func askedOld(
    _ vault: Vault, _ invocation: Invocation
  ) throws(VaultError) -> KeySource {
    let path = try invocation.absolutePath()
    return try invocation.withPassphrase(for: path, of: .vault(vault)) {
      (prompt) throws(VaultError) in
      let passphrase = try prompt.source(.besideFound([])).loaded()
      let old: KeySource
      if let path = invocation.arguments.text(.keyFile) {
        old = .both(passphrase, .keyFile(path))
      } else {
        old = try passphrase.completed()
      }
      let tested = try old.firstThatOpens { (key) throws(VaultError) in
        _ = try vault.keys.test(key)
        return key
      }
      return tested ?? old
    }
  }

  private static func otherSlot(_ name: GeneralOption) -> VaultError {
    VaultError(
      .invalidArgument,
      "--\(name.rawValue) opens a slot that is not a passphrase's; for a passphrase that is"
        + " forgotten: slot add passphrase --\(name.rawValue)")
  }

  /// Returns the present passphrase that the arguments or the environment name, with the key file
  /// that belongs to it.
  private static func oldFromArguments(
    _ invocation: Invocation
  ) throws(VaultError) -> KeySource? {
    if let passphrase = try invocation.passphraseFromArguments() {
      guard let path = invocation.arguments.text(.keyFile) else {
        return try passphrase.completed()
      }
      return .both(passphrase, .keyFile(path))
    }
    guard !invocation.arguments.has(.keyFile) else {
      return nil
    }
    switch try KeySource.find() {
    case .both(let first, let second):
      return first.isKeyFile ? .both(second, first) : .both(first, second)
    case .keyFile, .keyText, .keyVariable, nil: return nil
    case .found(let sources):
      guard sources.contains(where: \.hasPassphrase) else { return nil }
      let vault = try invocation.openLocked()
      return try KeySource.found(sources).firstThatOpens { (key) throws(VaultError) in
        _ = try vault.keys.test(key)
        return key
      }
    case let found: return found
    }
  }
}
