/// Every command by the word that calls it: what the parser, the help, the manual page and the
/// completions are made from.
///
/// A command is made when it is asked for, because making them all takes longer than a lookup.
enum CommandName: String, CaseIterable, Sendable {
  case initialize = "init"
  case add
  case find
  case list
  case show
  case modify
  case remove = "rm"
  case trash
  case history
  case revert
  case defaultUser = "default"
  case policy
  case purge
  case slot
  case changePassphrase = "passwd"
  case rekey
  case info
  case verify
  case backup
  case restore
  case compact
  case migrate
  case salvage
  case doctor
  case gitCredential = "git-credential"
  case help
  case completion
  case version

  var command: Command {
    switch self {
    case .initialize: InitCommand.command
    case .add: AddCommand.command
    case .find: FindCommand.command
    case .list: ListCommand.command
    case .show: ShowCommand.command
    case .modify: ModifyCommand.command
    case .remove: RemoveCommand.command
    case .trash: TrashCommand.command
    case .history: HistoryCommand.command
    case .revert: RevertCommand.command
    case .defaultUser: DefaultCommand.command
    case .policy: PolicyCommand.command
    case .purge: PurgeCommand.command
    case .slot: SlotCommand.command
    case .changePassphrase: PassphraseCommand.command
    case .rekey: RekeyCommand.command
    case .info: InfoCommand.command
    case .verify: VerifyCommand.command
    case .backup: BackupCommand.command
    case .restore: RestoreCommand.command
    case .compact: CompactCommand.command
    case .migrate: MigrateCommand.command
    case .salvage: SalvageCommand.command
    case .doctor: DoctorCommand.command
    case .gitCredential: GitCredentialCommand.command
    case .help: HelpCommand.command
    case .completion: CompletionCommand.command
    case .version: VersionCommand.command
    }
  }
}

/// All commands, and what else the program reads.
enum CommandTable {
  static var commands: [Command] { CommandName.allCases.map(\.command) }

  static func command(named name: String) -> Command? {
    CommandName(rawValue: name)?.command
  }

  /// The variables that the program and the library read.
  static let environment: [(name: String, meaning: String)] = [
    ("VAULTCTL_VAULT", "the vault file, unless --vault names one"),
    ("VAULTCTL_KEY_FILE", "a key file that unlocks the vault"),
    ("VAULTCTL_PASSPHRASE_FILE", "a file with a passphrase that unlocks the vault"),
    ("VAULTCTL_PASSPHRASE", "a passphrase; others may be able to read it, so better a file"),
    (
      "VAULTCTL_TRUSTED_FOLDERS",
      "folders, separated by colons, that are used for vaults and key files though others can write them"
    ),
    (
      "CREDENTIALS_DIRECTORY",
      "systemd's folder: vaultctl.key or vaultctl.passphrase in it unlocks the vault"
    ),
    ("VAULTCTL_NO_PROMPT", "if not empty, nothing is asked on the terminal"),
    ("XDG_DATA_HOME", "the default vault is vaultctl/default.vault in it (else ~/.local/share)"),
    ("XDG_STATE_HOME", "what is remembered of vaults is in vaultctl in it (else ~/.local/state)"),
  ]
}
