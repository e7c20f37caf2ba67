import VaultAdministration
import VaultModel

/// `vaultctl restore`: restores a vault, or an item, from a backup.
enum RestoreCommand {
  static let command = Command(
    id: .restore, operands: Command.Operands(synopsis: "FILE", count: 1...1, isFile: true),
    summary: "restore the vault, or one item, from a backup",
    example: "vaultctl restore --check /srv/backups/default.vault",
    details: [
      "FILE is a backup, or a plain copy of a vault that nothing wrote to meanwhile. It is"
        + " verified first and never changed. The vault may be missing, damaged, or in use by"
        + " other programs, which continue with the restored data.",
      "On a terminal, restore first says how many items the vault would lose, get back and change,"
        + " and asks. --check lists them. Without a terminal, or with --yes, it does not ask.",
      "The replaced file is kept beside the vault, with .replaced- and the time after its name."
        + " The backup's slots, and so old passphrases, and its policies are restored with it."
        + " Slots are not restored if the vault is proven to have been rekeyed since, by the key"
        + " or by what this machine remembers. The vault then keeps its own key and slots if the"
        + " key opens them, or else gets a new key that only this one opens. A claim of the file"
        + " that nothing proves is refused (54) until --remove-slots is given.",
      "An interrupted restore leaves the vault as it was, and no file.",
      "The options for unlocking say what opens the backup. A generation is one change of the file:"
        + " each adds 1 to the vault's number.",
    ],
    groups: [
      OptionGroup(
        heading: "What",
        options: [
          Option(
            .item, nil, .name("REF", .items), "only this item: a URL, or the beginning of its id"),
          Option(
            .check, nil, .none, "change nothing: verify FILE, and list what would change"),
          Option(.removeSlots, nil, .none, "give the vault a new key that only this one opens"),
          OptionGroup.yes,
        ]), .common,
    ], hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    var hints: [VaultError.Code: String] = [:]
    if !failure.isOneItem {
      hints[.rolledBack] =
        "give a key that opens the vault's file too, or --remove-slots for a new key that only"
        + " this one opens, or move the file away to restore the backup with its slots"
    }
    if failure.error.subject == .backup {
      hints[.missingInput] = "name a backup, as vaultctl backup made it"
    }
    return hints
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let file = invocation.arguments.operands.first, !file.isEmpty else {
      throw VaultError(.invalidArgument, "restore needs FILE")
    }
    let reference = invocation.arguments.text(.item)
    let isCheck = invocation.arguments.has(.check)
    guard invocation.arguments.has(.removeSlots) ? reference == nil && !isCheck : true else {
      throw VaultError(.invalidArgument, "--remove-slots is for restoring the whole backup")
    }
    guard let reference else {
      if isCheck { return try check(file, invocation) }
      return try restore(file, invocation)
    }
    guard !isCheck else {
      throw VaultError(.invalidArgument, "--check is for the whole backup")
    }
    return try restoreItem(reference, file, invocation)
  }

  // MARK: The whole vault

  private static func restore(
    _ file: String, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    try invocation.requireWritablePlace()
    let timeout = try invocation.lockTimeout()
    let report = try invocation.withKey(
      for: file, of: .backup(file, lockTimeout: timeout)
    ) { (key) throws(VaultError) in
      // Read once: a passphrase is not typed for the question, and again for the answer.
      let key = try key.loaded()
      try invocation.requireConsent(to: "Restore it") { () throws(VaultError) in
        try losses(from: file, key, invocation)
      }
      let progress = Progress("restoring", isQuiet: invocation.isQuiet)
      defer { progress.clear() }
      return try VaultMaintenance.restore(
        from: file, to: invocation.vaultPath, key: key,
        removingSlots: invocation.arguments.has(.removeSlots), lockTimeout: timeout,
        progress: progress.update)
    }
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("items", report.itemCount)
        try json.field("epoch", report.epoch)
        try json.field("backup_epoch", report.backupEpoch)
        try json.field("generation", report.generation)
        try json.field("committed", report.committed.rfc3339)
        if let kept = report.keptPath { try json.field("kept", kept) }
        try json.field("slots_differ", report.slotsDiffer)
        try write(report.slots, &json)
      }
      return .success
    }
    if !invocation.isQuiet {
      try invocation.output.line(
        "restored \(ItemText.count(report.itemCount)) as of \(report.committed.rfc3339)"
          + " (now generation \(report.generation))")
      if let kept = report.keptPath {
        try invocation.output.line("kept the replaced file: \(kept)")
      }
    }
    if report.slotsDiffer, !invocation.isQuiet { try warn(report, invocation) }
    return .success
  }

  /// Reports which keys open the vault now, if that has changed.
  private static func warn(
    _ report: RestoreReport, _ invocation: Invocation
  ) throws(VaultError) {
    let names = report.slots.map(name).joined(separator: ", ")
    if report.epoch == report.backupEpoch {
      try invocation.warn(
        "slots and policies are the backup's again: \(names); passphrases that were changed or"
          + " removed since open the vault again")
      try invocation.hint(
        "vaultctl slot list, and vaultctl rekey if somebody should lose access")
    } else {
      try invocation.warn(
        "the vault has a new key now, which only \(names) opens")
      try invocation.hint("vaultctl slot add adds the others again")
    }
  }

  /// Returns a slot's name in messages: `slot 1 (passphrase, "admin")`.
  static func name(_ slot: SlotInformation) -> String {
    "slot \(slot.id) (\(slot.kind)" + (slot.name.isEmpty ? "" : ", \"\(slot.name)\"") + ")"
  }

  static func write(
    _ slots: [SlotInformation], _ json: inout JSONWriter
  ) throws(VaultError) {
    try json.objects("slots", slots) { (slot, json) throws(VaultError) in
      try json.field("id", slot.id)
      try json.field("kind", slot.kind.rawValue)
      try json.field("name", slot.name)
    }
  }

  // MARK: One item

  private static func restoreItem(
    _ reference: String, _ file: String, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let selection = try Selection(reference: reference)
    let vault = try invocation.openLocked()
    let key = try invocation.withKey(of: .vault(vault)) { (key) throws(VaultError) in
      try vault.unlock(with: key)
      return key
    }
    let stored = try vault.maintenance.bringBack(from: file, key: key) {
      (find) throws(VaultError) in
      try selection.item { (query) throws(VaultError) in try find(query) }
    }
    try invocation.confirm("restored", stored.kept(in: vault))
    return .success
  }
}
