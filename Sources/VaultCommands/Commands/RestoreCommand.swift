import CredentialVault
import VaultModel

/// `vaultctl restore`: restores a vault, or an item, from a backup.
enum RestoreCommand {
  static let command = Command(
    id: .restore, operands: Command.Operands(synopsis: "FILE", count: 1...1, isFile: true),
    summary: "restore the vault, or one item, from a backup",
    details: [
      "FILE is a backup, or a plain copy of a vault that nothing wrote to meanwhile. It is"
        + " verified first and never changed. The vault may be missing, damaged, or in use by"
        + " other programs, which continue with the restored data.",
      "The replaced file is kept beside the vault, with .replaced- and the time after its name."
        + " The backup's slots, and so old passphrases, and its policies are restored with it."
        + " Slots are not restored if the vault is proven to have been rekeyed since, by the key"
        + " or by what this machine remembers. The vault then keeps its own key and slots if the"
        + " key opens them, or else gets a new key that only this one opens. A claim of the file"
        + " that nothing proves is refused (54) until --drop-slots is given.",
      "The options for unlocking say what opens the backup.",
    ],
    groups: [
      OptionGroup(
        heading: "What",
        options: [
          Option(
            .item, nil, .name("REF", .items), "only this item: a URL, or the beginning of its id"),
          Option(.check, nil, .none, "change nothing: verify FILE and compare it with the vault"),
          Option(.dropSlots, nil, .none, "give the vault a new key that only this one opens"),
        ]), .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let file = invocation.arguments.operands.first, !file.isEmpty else {
      throw VaultError(.invalidArgument, "restore needs FILE")
    }
    let reference = invocation.arguments.text(.item)
    let isCheck = invocation.arguments.has(.check)
    guard invocation.arguments.has(.dropSlots) ? reference == nil && !isCheck : true else {
      throw VaultError(.invalidArgument, "--drop-slots is for restoring the whole backup")
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
      try VaultMaintenance.restore(
        from: file, to: invocation.vaultPath, key: key,
        dropsSlots: invocation.arguments.has(.dropSlots), lockTimeout: timeout)
    }
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("items", report.itemCount)
      try json.field("epoch", report.epoch)
      try json.field("backup_epoch", report.backupEpoch)
      try json.field("generation", report.generation)
      try json.field("committed", report.committed.rfc3339)
      if let kept = report.keptPath { try json.field("kept", kept) }
      try json.field("slots_differ", report.slotsDiffer)
      try write(report.slots, &json)
      try json.endObject()
      try json.finish()
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
  private static func name(_ slot: SlotInformation) -> String {
    "slot \(slot.id) (\(slot.kind)" + (slot.name.isEmpty ? "" : ", \"\(slot.name)\"") + ")"
  }

  private static func write(
    _ slots: [SlotInformation], _ json: inout JSONWriter
  ) throws(VaultError) {
    try json.name("slots")
    try json.beginArray()
    for slot in slots {
      try json.beginObject()
      try json.field("id", slot.id)
      try json.field("kind", slot.kind.rawValue)
      try json.field("name", slot.name)
      try json.endObject()
    }
    try json.endArray()
  }

  // MARK: Checking only

  private static func check(
    _ file: String, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let timeout = try invocation.lockTimeout()
    let backup = try invocation.withKey(
      for: file, of: .backup(file, lockTimeout: timeout)
    ) { (key) throws(VaultError) in
      try VaultMaintenance.check(
        backup: file, against: invocation.vaultPath, key: key, lockTimeout: timeout)
    }
    let relation = word(backup.relation)
    if invocation.isJSON {
      var json = JSONWriter(invocation.output)
      try json.beginObject()
      try json.field("ok", true)
      try json.field("vault_id", backup.vaultID)
      try json.field("items", backup.itemCount)
      try json.field("epoch", backup.epoch)
      try json.field("generation", backup.generation)
      try json.field("committed", backup.committed.rfc3339)
      try json.field("relation", relation.code)
      if let generations = relation.generations { try json.field("generations", generations) }
      try write(backup.slots, &json)
      try json.endObject()
      try json.finish()
    } else {
      try invocation.output.line("items: \(backup.itemCount)")
      try invocation.output.line("generation: \(backup.generation)")
      try invocation.output.line("epoch: \(backup.epoch)")
      try invocation.output.line("last change: \(backup.committed.rfc3339)")
      for slot in backup.slots { try invocation.output.line(name(slot)) }
      try invocation.output.line("compared with the vault: \(relation.text)")
    }
    return .success
  }

  static func word(
    _ relation: CopyRelation
  ) -> (code: String, generations: UInt64?, text: String) {
    switch relation {
    case .noVault: ("no-vault", nil, "there is no vault")
    case .anotherVault: ("another-vault", nil, "a copy of another vault")
    case .same: ("same", nil, "the same")
    case .older(let count): ("older", count, "older by \(generations(count))")
    case .newer(let count): ("newer", count, "newer by \(generations(count))")
    case .forked: ("forked", nil, "divergent history: both changed since they were the same")
    case .olderEpoch: ("older-epoch", nil, "older, from before the vault was rekeyed")
    case .newerEpoch: ("newer-epoch", nil, "newer, the vault is from before it was rekeyed")
    case .unknown: ("unknown", nil, "the vault cannot be read")
    }
  }

  private static func generations(_ count: UInt64) -> String {
    count == 1 ? "1 generation" : "\(count) generations"
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
