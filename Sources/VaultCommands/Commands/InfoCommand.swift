import VaultAdministration
import SecureMemory
import VaultModel

/// `vaultctl info`: shows facts about the vault itself.
enum InfoCommand {
  static let command = Command(
    id: .info, operands: .none, summary: "show the vault's state, size and slots",
    example: "vaultctl info --json",
    details: [
      "A key inside the vault proves what this machine remembers of it. A record that is not"
        + " proven is named with \"not believed\": somebody else wrote it, and an old copy may"
        + " have been put back meanwhile.",
      "The generation counts the changes of the file, and the epoch its keys: rekey makes a new one.",
    ], groups: [.common], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let lastSync = invocation.lastSync(of: [vault])
    let information = try vault.maintenance.information()
    let kept = Kept(
      history: try vault.history.limit,
      removals: KeptRemovals(
        days: try vault.trash.days, forPrograms: try vault.trash.keepsForPrograms),
      logDays: try vault.log.days, rememberLimit: try vault.policy.mostRemembered())
    if invocation.isJSON {
      try document(information, kept, lastSync: lastSync, invocation.output)
    } else {
      try write(information, kept, lastSync: lastSync, to: invocation.output)
    }
    return .success
  }

  /// The limits on what the vault keeps of replaced and removed secrets and of its log, and on what
  /// machines keep of its key.
  private struct Kept {
    let history: Int
    let removals: KeptRemovals
    let logDays: Int
    let rememberLimit: UInt32?
  }

  private static func write(
    _ information: VaultInformation, _ kept: Kept, lastSync: Timestamp?, to output: Output
  ) throws(VaultError) {
    try output.line("path: \(information.path)")
    try output.line("vault id: \(information.vaultID)")
    try output.line("format: \(information.formatVersion.number)")
    try output.line("epoch: \(information.epoch)")
    try output.line("generation: \(information.generation)")
    try output.line("items: \(information.itemCount)")
    try output.line("previous secrets kept per item: \(kept.history)")
    try kept.removals.write(to: output)
    try output.line("days changes are logged: \(kept.logDays)")
    try output.line("its key may be remembered: \(PolicyRemembering.text(kept.rememberLimit))")
    try output.line("buckets: \(information.bucketCount)")
    try output.line("bytes: \(information.fileBytes)")
    try output.line("last change: \(information.committed.rfc3339)")
    if let lastSync { try output.line("last sync: \(lastSync.rfc3339)") }
    for slot in information.slots { try output.line(SlotText.line(slot)) }
    for path in information.unverifiedRecords {
      try output.line("not believed: \(path)")
    }
    try output.line(
      "memory: \(information.lockedBytes) bytes locked, \(information.unlockedBytes) bytes not"
        + " locked")
  }

  private static func document(
    _ information: VaultInformation, _ kept: Kept, lastSync: Timestamp?, _ output: Output
  ) throws(VaultError) {
    try output.document { (json) throws(VaultError) in
      try json.object("vault") { (json) throws(VaultError) in
        try json.field("path", information.path)
        try json.field("id", information.vaultID)
        try json.field("format", information.formatVersion.number)
        try json.field("epoch", information.epoch)
        try json.field("generation", information.generation)
        try json.field("items", information.itemCount)
        try json.field("history_limit", kept.history)
        try kept.removals.write(to: &json)
        try json.field("log_days", kept.logDays)
        try json.field(rememberLimit: kept.rememberLimit)
        try json.field("buckets", information.bucketCount)
        try json.field("bytes", information.fileBytes)
        try json.field("committed", information.committed.rfc3339)
        if let lastSync { try json.field("last_sync", lastSync.rfc3339) }
        try json.field("slots", information.slots)
        try json.field("unverified_records", information.unverifiedRecords)
        try json.object("memory") { (json) throws(VaultError) in
          try json.field("locked_bytes", information.lockedBytes)
          try json.field("unlocked_bytes", information.unlockedBytes)
          if let number = information.lockErrno { try json.field("lock_errno", number) }
        }
      }
    }
  }
}

extension FormatVersion {
  /// The two numbers that decide which versions can read a file.
  fileprivate var number: String { "\(major).\(minor)" }
}
