import VaultAdministration
import VaultModel

/// `vaultctl restore --check`, and what a restore says before it begins.
extension RestoreCommand {
  /// Returns what to say before a backup replaces the vault; nil if no item of the vault is lost or
  /// changed.
  static func losses(
    from file: String, _ key: KeySource, _ invocation: Invocation
  ) throws(VaultError) -> [String]? {
    let progress = Progress("comparing", isQuiet: invocation.isQuiet)
    let backup = try VaultMaintenance.check(
      backup: file, against: invocation.vaultPath, key: key, lockTimeout: invocation.lockTimeout(),
      progress: progress.update)
    progress.clear()
    let start =
      "\(file) (\(ItemText.count(backup.itemCount)), as of \(backup.committed.rfc3339)) would"
    guard let changes = backup.changes else {
      switch backup.relation {
      // The restore refuses another vault.
      case .noVault, .anotherVault, .same: return nil
      default: return ["\(start) replace a vault that cannot be read"]
      }
    }
    guard !changes.removed.isEmpty || !changes.changed.isEmpty else { return nil }
    return [
      "\(start) remove \(ItemText.count(changes.removed.count)) from the vault, change"
        + " \(changes.changed.count) and add \(changes.added.count)"
    ]
  }

  static func check(
    _ file: String, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let timeout = try invocation.lockTimeout()
    let progress = Progress("comparing", isQuiet: invocation.isQuiet)
    let backup = try invocation.withKey(
      for: file, of: .backup(file, lockTimeout: timeout)
    ) { (key) throws(VaultError) in
      try VaultMaintenance.check(
        backup: file, against: invocation.vaultPath, key: key, lockTimeout: timeout,
        progress: progress.update)
    }
    progress.clear()
    let relation = word(backup.relation)
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("vault_id", backup.vaultID)
        try json.field("items", backup.itemCount)
        try json.field("epoch", backup.epoch)
        try json.field("generation", backup.generation)
        try json.field("committed", backup.committed.rfc3339)
        try json.field("relation", relation.code)
        if let generations = relation.generations { try json.field("generations", generations) }
        try write(backup.slots, &json)
        if let changes = backup.changes {
          for (name, items) in [
            ("removed", changes.removed), ("added", changes.added), ("changed", changes.changed),
          ] {
            try json.array(name, items) { (item, json) throws(VaultError) in try json.value(item) }
          }
        }
      }
    } else {
      try invocation.output.line("items: \(backup.itemCount)")
      try invocation.output.line("generation: \(backup.generation)")
      try invocation.output.line("epoch: \(backup.epoch)")
      try invocation.output.line("last change: \(backup.committed.rfc3339)")
      for slot in backup.slots { try invocation.output.line(name(slot)) }
      try invocation.output.line("compared with the vault: \(relation.text)")
      for line in backup.changes?.lines ?? [] { try invocation.output.line(line) }
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
}

extension RestoreChanges {
  /// A line for each item: `would remove 7k3q2m9d0v  https://git.example.com  -  ann`.
  fileprivate var lines: [String] {
    [("remove", removed), ("add", added), ("change", changed)].flatMap { verb, items in
      items.map { "would \(verb) \(ItemText.line($0))" }
    }
  }
}
