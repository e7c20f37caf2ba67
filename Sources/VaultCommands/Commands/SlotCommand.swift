import VaultAdministration
import SecureMemory
import VaultModel

/// `vaultctl slot`: lists and changes the slots that unlock the vault.
enum SlotCommand {
  static let command = Command(
    id: .slot,
    operands: Command.Operands(
      synopsis: "[list|add|remove|test|rename …]", count: 0...3,
      words: ["list", "add", "remove", "test", "rename"], subjects: [.slots]),
    summary: "list, add, remove, test or rename the ways to unlock the vault",
    example: "vaultctl slot add recovery",
    details: [
      "slot list shows them, even without a key; then nothing proves that they are the vault's"
        + " own.",
      "slot add passphrase|key-file|both|recovery adds one. A slot of both needs a passphrase"
        + " and a key file together: neither opens it alone. A recovery code is printed once and"
        + " stored nowhere. Without --new-passphrase-file or --new-passphrase-fd, slot add"
        + " prompts for a new passphrase, twice.",
      "slot remove ID removes one, but never the last. Older copies of the file still open with"
        + " its key; vaultctl rekey makes a new vault key for what is stored afterwards.",
      "slot test [ID] says which slot a key opens, or whether it opens that one.",
      "slot rename ID NAME renames one.",
    ],
    groups: [.newSlot, .common],
    hints: { [.itemNotFound: "vaultctl slot list\($0.vaults)"] }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let (action, inner) = invocation.takingAction()
    let operands = inner.arguments.operands
    switch (action, operands.count) {
    case ("list", 0): try list(inner)
    case ("add", 1): try add(operands[0], inner)
    case ("remove", 1): try remove(Values.slotID(operands[0]), inner)
    case ("test", 0): try test(nil, inner)
    case ("test", 1): try test(Values.slotID(operands[0]), inner)
    case ("rename", 2): try rename(Values.slotID(operands[0]), to: operands[1], inner)
    case ("list", _), ("test", _), ("add", 2...), ("remove", 2...):
      throw VaultError(.invalidArgument, "unexpected argument")
    case ("add", _): throw needsKind("")
    case ("remove", _): throw VaultError(.invalidArgument, "slot remove needs ID")
    case ("rename", _): throw VaultError(.invalidArgument, "slot rename needs ID and NAME")
    default:
      throw command.needsChoice
    }
    return .success
  }

  // MARK: Actions

  private static func list(_ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openLocked()
    do throws(VaultError) {
      _ = try vault.opensUnasked(with: invocation.keyFromArguments().orFound())
    } catch {
      // One half alone is not a key, and slots are also listed without one.
      guard error.code == .locked else { throw error }
    }
    let isProven = try vault.state() == .unlocked
    let slots = try vault.keys.slots()
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("proven", isProven)
        try json.field("slots", slots)
      }
      return
    }
    for slot in slots { try invocation.output.line(SlotText.line(slot)) }
    if !isProven, !invocation.isQuiet {
      try invocation.warn("without a key nothing proves that these are the vault's own slots")
    }
  }

  private static func add(_ kind: String, _ invocation: Invocation) throws(VaultError) {
    let cost = try invocation.costFromArguments()
    let named = try invocation.newPassphraseFromArguments()
    let name = invocation.arguments.text(.name) ?? ""
    let keyFile = invocation.arguments.text(.newKeyFile)
    let (takesPassphrase, takesFile) = (
      kind == "passphrase" || kind == "both", kind == "key-file" || kind == "both"
    )
    guard takesPassphrase || cost == nil && named == nil, takesFile || keyFile == nil else {
      throw VaultError(.invalidArgument, "an option belongs to another kind of slot")
    }
    switch kind {
    case "passphrase":
      let vault = try invocation.openVault()
      let key = if let named { named } else { try invocation.askNewPassphrase() }
      try write(vault.keys.add(key, name: name, cost: cost), "added", invocation)
    case "key-file":
      guard let keyFile else {
        throw VaultError(.invalidArgument, "slot add key-file needs --new-key-file")
      }
      let vault = try invocation.openVault()
      let isNew = !KeyFile.isPresent(at: keyFile)
      if isNew { try KeyFile.create(at: keyFile) }
      let other = isNew ? nil : try slot(of: .keyFile(keyFile), in: vault)
      let slot = try vault.keys.add(.keyFile(keyFile), name: name)
      try write(slot, "added", keyFile: isNew ? keyFile : nil, invocation)
      if let other, !invocation.isQuiet {
        try invocation.warn(
          "slot \(other.id) has this key too: it opens the vault until both are removed")
      }
    case "both":
      guard let keyFile else {
        throw VaultError(.invalidArgument, "slot add both needs --new-key-file")
      }
      let vault = try invocation.openVault()
      // Asked for first, so that no key file is created if this fails.
      let passphrase =
        if let named { try named.loaded() } else { try invocation.askNewPassphrase().loaded() }
      let isNew = !KeyFile.isPresent(at: keyFile)
      if isNew { try KeyFile.create(at: keyFile) }
      let slot = try vault.keys.add(.both(passphrase, .keyFile(keyFile)), name: name, cost: cost)
      try write(slot, "added", keyFile: isNew ? keyFile : nil, invocation)
    case "recovery":
      let keys = try invocation.openVault().keys
      let added = try keys.addRecoveryCode(name: name)
      do throws(VaultError) {
        try write(added.slot, "added", code: added.code, invocation)
        try invocation.output.flush()
      } catch {
        // Nobody has its code.
        try keys.remove(id: added.slot.id)
        throw error
      }
    default: throw needsKind(kind)
    }
  }

  /// Returns the slot that a key opens alone; nil if it opens none.
  private static func slot(
    of key: KeySource, in vault: Vault
  ) throws(VaultError) -> SlotInformation? {
    do throws(VaultError) {
      return try vault.keys.test(key)
    } catch {
      // Half of a key is locked.
      guard [.authenticationFailed, .locked].contains(error.code) else { throw error }
      return nil
    }
  }

  private static func needsKind(_ typed: String) -> VaultError {
    let kinds = ["passphrase", "key-file", "both", "recovery"]
    return VaultError(
      .invalidArgument,
      "slot add needs passphrase, key-file, both or recovery"
        + Suggestion.question(typed, among: kinds))
  }

  private static func remove(_ id: Int, _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openVault()
    guard let slot = try vault.keys.slots().first(where: { $0.id == id }) else {
      throw VaultError(.itemNotFound, "the vault has no slot with this id")
    }
    try vault.keys.remove(id: id)
    try write(slot, "removed", invocation)
    guard !invocation.isJSON, !invocation.isQuiet else { return }
    if try vault.keys.slots().allSatisfy({ $0.kind == .recoveryCode }) {
      try invocation.warn("only the recovery code opens the vault now")
    }
    try invocation.hint(
      "older copies of the file still open with its key; vaultctl rekey shuts it out of what"
        + " is stored from now on")
  }

  private static func rename(
    _ id: Int, to name: String, _ invocation: Invocation
  ) throws(VaultError) {
    try write(invocation.openVault().keys.rename(id: id, to: name), "renamed", invocation)
  }

  private static func test(_ id: Int?, _ invocation: Invocation) throws(VaultError) {
    let vault = try invocation.openLocked()
    let kind = try id.map { (id) throws(VaultError) in
      guard let slot = try vault.keys.slots().first(where: { $0.id == id }) else {
        throw VaultError(.itemNotFound, "the vault has no slot with this id")
      }
      return slot.kind
    }
    let slot = try withKey(for: kind, of: vault, invocation) { (key) throws(VaultError) in
      try vault.keys.test(key, id: id)
    }
    try write(slot, "the key opens", invocation)
  }

  /// Tests the key that the arguments name, else one found for such a slot, else one that the user
  /// is asked for.
  private static func withKey(
    for kind: SlotInformation.Kind?, of vault: Vault, _ invocation: Invocation,
    _ test: (KeySource) throws(VaultError) -> SlotInformation
  ) throws(VaultError) -> SlotInformation {
    // For a slot that needs both, one half may be named, and the user is asked for the other.
    if kind == .both { return try invocation.withKey(of: .vault(vault), test) }
    if let named = try invocation.keyFromArguments() { return try test(named) }
    if kind == .recoveryCode { return try test(.recoveryCode(invocation.ask("Recovery code for"))) }
    guard kind == .passphrase else { return try invocation.withKey(of: .vault(vault), test) }
    if let found = try KeySource.find(), found.opensPassphraseSlots { return try test(found) }
    return try invocation.withPassphrase(for: invocation.absolutePath(), of: .vault(vault)) {
      (prompt) throws(VaultError) in try test(prompt.source(.alone))
    }
  }

  // MARK: Output

  private static func write(
    _ slot: SlotInformation, _ verb: String, keyFile: String? = nil, code: Secret? = nil,
    _ invocation: Invocation
  ) throws(VaultError) {
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("slot", slot)
        if let keyFile { try json.field("key_file", keyFile) }
        if let code { try json.field("recovery_code", code) }
      }
      return
    }
    if !invocation.isQuiet {
      if let keyFile { try invocation.output.line("created key file \(keyFile)") }
      try invocation.output.line("\(verb) slot \(slot.id) (\(slot.kind))")
    }
    if let code { try invocation.write(recoveryCode: code) }
  }
}

extension Invocation {
  /// Prints a new recovery code, on a line of its own.
  func write(recoveryCode code: Secret) throws(VaultError) {
    try output.write(code)
    try output.write(byte: UInt8(ascii: "\n"))
    guard !isQuiet else { return }
    try hint(
      "write the code down, it is not shown again; vaultctl slot test --recovery tries it")
  }
}

extension KeySource {
  /// Whether it opens a slot that needs only a passphrase.
  fileprivate var opensPassphraseSlots: Bool {
    switch self {
    case .passphrase, .passphraseFile, .passphraseDescriptor, .passphraseVariable,
      .askedPassphrase:
      true
    case .both(let first, _): first.opensPassphraseSlots
    case .found(let sources): sources.contains(where: \.opensPassphraseSlots)
    case .keyFile, .keyText, .keyVariable, .recoveryCode, .recoveryFile: false
    }
  }
}
