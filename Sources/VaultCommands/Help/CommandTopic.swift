/// The commands that belong together, in the order of help and of vaultctl(1).
struct CommandTopic {
  let heading: String
  let names: [CommandName]

  var commands: [Command] { names.map(\.command) }

  static let all = [
    CommandTopic(
      heading: "Every day",
      names: [
        .pick, .add, .find, .copy, .totp, .generate, .list, .search, .show, .edit, .modify, .remove,
        .move,
      ]),
    CommandTopic(
      heading: "Undo and look back", names: [.trash, .history, .revert, .log, .explain]),
    CommandTopic(
      heading: "In scripts and other programs",
      names: [
        .exec, .inject, .setup, .gitCredential, .dockerCredential, .askpass, .importItems, .export,
      ]),
    CommandTopic(
      heading: "Open and close the vault",
      names: [
        .initialize, .unlock, .lock, .status, .changePassphrase, .slot, .key, .pin, .rekey,
      ]),
    CommandTopic(
      heading: "Rules and settings",
      names: [.policy, .defaultUser, .purge, .config, .searchList]),
    CommandTopic(
      heading: "Copies, checks and repair",
      names: [
        .backup, .restore, .merge, .info, .verify, .doctor, .compact, .migrate, .salvage,
      ]),
    CommandTopic(heading: "Certificates and fleets", names: [.identity, .trust, .fleet]),
    CommandTopic(heading: "Help", names: [.help, .completion, .version]),
  ]

  /// The others of its topic.
  static func related(to command: Command) -> [Command] {
    all.first { $0.names.contains(command.id) }?.commands.filter { $0.id != command.id } ?? []
  }
}
