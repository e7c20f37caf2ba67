import VaultAdministration
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl rekey`: creates a new vault key and re-encrypts everything.
enum RekeyCommand {
  static let command = Command(
    id: .rekey, operands: .none, summary: "make a new vault key and re-encrypt everything",
    example: "vaultctl rekey",
    details: [
      "Anyone who once had a key of the vault can read nothing in the file from now on. Older"
        + " copies of the file still open with that key.",
      "A slot is kept if its own key is given: the key that unlocks the vault, those that"
        + " --keep-… name, and passphrases and recovery codes entered at the terminal, where"
        + " empty input removes the slot. A slot that needs both is kept by a passphrase and a"
        + " --keep-key-file. Without a terminal, a slot that would be lost is an error, unless"
        + " --remove-slot names it.",
      "Other programs that have the vault open find it locked; those that opened it with a kept"
        + " key file continue automatically.",
    ],
    groups: [
      keptSlots, OptionGroup(heading: "Passphrases", options: [OptionGroup.kdf]),
      .common,
    ],
    hints: {
      $0.error.subject == .otherFile
        ? [:] : [.authenticationFailed: "check the passphrase and --key-file"]
    }, run: run)

  /// The slots that a new vault key is wrapped for.
  static let keptSlots = OptionGroup(
    heading: "Which slots are kept (each can be given several times)",
    options: [
      Option(.keepKeyFile, nil, .file, "keep the slot that this key file opens"),
      Option(.keepPassphraseFile, nil, .file, "keep the slot of the passphrase in this file"),
      Option(.keepRecoveryFile, nil, .file, "keep the slot of the recovery code in this file"),
      Option(.removeSlot, nil, .name("ID", .slots), "remove the slot with this id"),
    ])

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let cost = try invocation.costFromArguments()
    var removed: Set<Int> = []
    for text in arguments.texts(.removeSlot) { removed.insert(try Values.slotID(text)) }
    let vault = try invocation.openLocked()
    let key = try invocation.withKey(of: .vault(vault)) { (key) throws(VaultError) in
      let key = try alone(key.loaded(), in: vault)
      try vault.unlock(with: key)
      return key
    }
    let keys =
      [key] + arguments.texts(.keepKeyFile).map(KeySource.keyFile)
      + arguments.texts(.keepPassphraseFile).map(KeySource.passphraseFile)
      + arguments.texts(.keepRecoveryFile).map(KeySource.recoveryFile)
    let progress = Progress("re-encrypting", isQuiet: invocation.isQuiet)
    let report = try vault.keys.changeKey(
      keeping: keys, removing: removed, cost: cost, progress: progress.update
    ) { (slot) throws(VaultError) in try keyFromTerminal(of: slot, invocation) }
    progress.clear()
    try write(report, invocation)
    return .success
  }

  /// Returns a key file without its passphrase, which would be asked for, if it opens a slot alone:
  /// the user is asked separately for each other slot.
  private static func alone(_ key: KeySource, in vault: Vault) throws(VaultError) -> KeySource {
    guard case .both(let file, .askedPassphrase) = key else { return key }
    do throws(VaultError) {
      _ = try vault.keys.test(file)
      return file
    } catch {
      guard error.code == .authenticationFailed || error.code == .locked else { throw error }
      return key
    }
  }

  /// Asks for the key of a slot that no other key opened; an empty answer removes the slot.
  static func keyFromTerminal(
    of slot: SlotInformation, _ invocation: Invocation
  ) throws(VaultError) -> KeySource? {
    guard [.passphrase, .recoveryCode, .both].contains(slot.kind), invocation.mayPrompt,
      let terminal = Terminal()
    else { return try VaultKeys.keepEverySlot(slot) }
    let name = slot.name.isEmpty ? "" : " \(slot.name)"
    let what = slot.kind == .recoveryCode ? "Recovery code" : "Passphrase"
    let vault = try invocation.absolutePath()
    let typed = try terminal.secret(
      prompt: "\(what) of slot \(slot.id)\(name) of \(vault) (rekey; empty input removes it): ")
    guard typed.count > 0 else { return nil }
    return slot.kind == .recoveryCode ? .recoveryCode(typed) : .passphrase(typed)
  }

  private static func write(
    _ report: RekeyReport, _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("epoch", report.epoch)
        try json.array("removed_slots", report.removedSlots) { (id, json) throws(VaultError) in
          try json.value(id)
        }
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("re-encrypted everything: epoch \(report.epoch)")
      for id in report.removedSlots { try invocation.output.line("removed slot \(id)") }
      try invocation.hint("older copies of the file still open with their old keys")
    }
  }
}

/// `vaultctl migrate`: upgrades a vault of an older format to the present one.
enum MigrateCommand {
  static let command = Command(
    id: .migrate, operands: .none, summary: "upgrade an older vault to the current format",
    example: "vaultctl migrate",
    details: [
      "The first write does the same. Programs that only know the older format may then refuse"
        + " the vault, and no backup is made: vaultctl backup FILE makes one."
    ],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let (before, after) = try vault.maintenance.migrate()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("before", before)
        try json.field("after", after)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line(
        before == after ? "format \(after): nothing to do" : "format \(before) is now \(after)")
    }
    return .success
  }
}

extension JSONWriter {
  fileprivate mutating func field(
    _ name: String, _ version: FormatVersion
  ) throws(VaultError) {
    try object(name) { (json) throws(VaultError) in
      try json.field("format", "\(version.major).\(version.minor)")
      try json.field("schema", version.schema)
    }
  }
}

/// `vaultctl compact`: returns the space of removed items to the file system.
enum CompactCommand {
  static let command = Command(
    id: .compact, operands: .none, summary: "release the space of removed items",
    example: "vaultctl compact",
    details: [
      "Other programs wait meanwhile. A file with a damaged structure is left unchanged."
    ],
    groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let (before, after) = try vault.maintenance.compact()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("bytes_before", before)
        try json.field("bytes_after", after)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("\(before) bytes before, \(after) now")
    }
    return .success
  }
}
