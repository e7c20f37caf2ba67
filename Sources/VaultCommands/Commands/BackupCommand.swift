import VaultAdministration
import VaultModel

/// `vaultctl backup`: makes a verified copy of the vault while it is in use.
enum BackupCommand {
  static let command = Command(
    id: .backup, operands: Command.Operands(synopsis: "FILE|DIR", count: 1...1, isFile: true),
    summary: "write a verified copy of the vault to a new file",
    example: "vaultctl backup --keep 14 /srv/backups",
    details: [
      "The copy is one file, with mode 0600 where the file system keeps modes, and opens with the"
        + " same keys. In a folder, it is named after the vault and the time in UTC, as"
        + " default-20260131T235959Z.vault."
        + " Existing files are never overwritten, and an interrupted backup leaves no file.",
      "A plain copy of the vault's file is also a backup if nothing wrote to the vault"
        + " meanwhile: no file with the vault's name and -journal was beside it, before or"
        + " after.",
      "With --keep, every copy is opened and verified before it counts. Files that only have the"
        + " name of a copy are left and named, and so are copies from before a rekey, which the"
        + " present key does not open. Leftovers of an interrupted backup in DIR are removed.",
    ],
    groups: [
      OptionGroup(
        heading: "Older copies",
        options: [
          Option(
            .keep, nil, .text("N"),
            "keep the newest N copies of this vault in DIR; remove the others that open and verify"
          )
        ]), .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let path = invocation.arguments.operands.first, !path.isEmpty else {
      throw VaultError(.invalidArgument, "backup needs FILE or DIR")
    }
    guard path != "-" else {
      throw VaultError(.invalidArgument, "a backup is a file, and not a stream: ./- names one")
    }
    let count = try invocation.arguments.parsed(.keep, as: Values.count)
    let vault = try invocation.openVault()
    let progress = Progress("backing up", isQuiet: invocation.isQuiet)
    let backup = try vault.maintenance.backup(to: path, keeping: count, progress: progress.update)
    progress.clear()
    // A file is shown as it was named; in a folder, the new file's name is shown.
    let isNamed = backup.path.split(separator: "/").last == path.split(separator: "/").last
    let written = isNamed ? path : backup.path
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("path", written)
        try json.field("items", backup.itemCount)
        try json.field("generation", backup.generation)
        try json.field("removed", backup.removed)
        try json.objects("uncounted", backup.uncounted) { (other, json) throws(VaultError) in
          try json.field("path", other.path)
          try json.field("reason", other.reason)
        }
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("wrote \(written) (\(ItemText.count(backup.itemCount)), verified)")
      for path in backup.removed { try invocation.output.line("removed \(path)") }
      for other in backup.uncounted {
        try invocation.warn("\(other.path) is not counted: \(other.reason)")
      }
    }
    return .success
  }
}
