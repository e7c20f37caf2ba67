import VaultAdministration
import VaultModel

/// Every command by the word that calls it: the source of the parser, the help, the manual page and
/// the completions.
///
/// A command is created on request, because creating them all takes longer than a lookup.
package enum CommandName: String, CaseIterable, Sendable {
  case initialize = "init"
  case add
  case find
  case pick
  case list
  case search
  case explain
  case show
  case modify
  case edit
  case remove = "rm"
  case move
  case trash
  case history
  case revert
  case pin
  case log
  case defaultUser = "default"
  case policy
  case purge
  case unlock
  case lock
  case status
  case slot
  case key
  case changePassphrase = "passwd"
  case rekey
  case info
  case verify
  case export
  case backup
  case restore
  case merge
  case compact
  case migrate
  case salvage
  case doctor
  case searchList = "search-list"
  case config
  case importItems = "import"
  case exec
  case inject
  case copy
  case totp
  case generate
  case identity
  case trust
  case fleet
  case setup
  case gitCredential = "git-credential"
  case dockerCredential = "docker-credential"
  case askpass
  case help
  case completion
  case complete
  case clearClipboard = "clear-clipboard"
  case watchTerminal = "watch-terminal"
  case version

  var command: Command {
    switch self {
    case .initialize: InitCommand.command
    case .add: AddCommand.command
    case .find: FindCommand.command
    case .pick: PickCommand.command
    case .list: ListCommand.command
    case .search: SearchCommand.command
    case .explain: ExplainCommand.command
    case .show: ShowCommand.command
    case .modify: ModifyCommand.command
    case .edit: EditCommand.command
    case .remove: RemoveCommand.command
    case .move: MoveCommand.command
    case .trash: TrashCommand.command
    case .history: HistoryCommand.command
    case .revert: RevertCommand.command
    case .pin: PINCommand.command
    case .log: LogCommand.command
    case .defaultUser: DefaultCommand.command
    case .policy: PolicyCommand.command
    case .purge: PurgeCommand.command
    case .slot: SlotCommand.command
    case .unlock: UnlockCommand.command
    case .lock: LockCommand.command
    case .status: StatusCommand.command
    case .key: KeyCommand.command
    case .changePassphrase: PassphraseCommand.command
    case .rekey: RekeyCommand.command
    case .info: InfoCommand.command
    case .verify: VerifyCommand.command
    case .export: ExportCommand.command
    case .backup: BackupCommand.command
    case .restore: RestoreCommand.command
    case .merge: MergeCommand.command
    case .compact: CompactCommand.command
    case .migrate: MigrateCommand.command
    case .salvage: SalvageCommand.command
    case .doctor: DoctorCommand.command
    case .searchList: SearchListCommand.command
    case .config: ConfigCommand.command
    case .importItems: ImportCommand.command
    case .exec: ExecCommand.command
    case .inject: InjectCommand.command
    case .copy: CopyCommand.command
    case .totp: TOTPCommand.command
    case .generate: GenerateCommand.command
    case .identity: IdentityCommand.command
    case .trust: TrustCommand.command
    case .fleet: FleetCommand.command
    case .setup: SetupCommand.command
    case .gitCredential: GitCredentialCommand.command
    case .dockerCredential: DockerCredentialCommand.command
    case .askpass: AskpassCommand.command
    case .help: HelpCommand.command
    case .completion: CompletionCommand.command
    case .complete: CompleteCommand.command
    case .clearClipboard: ClearClipboardCommand.command
    case .watchTerminal: WatchTerminalCommand.command
    case .version: VersionCommand.command
    }
  }
}

extension CommandName {
  /// The name by which other programs call the command; nil if they do not.
  var helper: String? {
    switch self {
    case .gitCredential: "git-credential-vaultctl"
    case .dockerCredential: "docker-credential-vaultctl"
    case .askpass: "vaultctl-askpass"
    default: nil
    }
  }

  /// Returns the command that is meant by a program's name, with or without its folder; nil for
  /// most.
  static func helper(_ program: String) -> CommandName? {
    let slash = program.utf8.lastIndex(of: UInt8(ascii: "/"))
    let name = slash.map { program[program.utf8.index(after: $0)...] } ?? program[...]
    return allCases.first { $0.helper.map { $0 == name } ?? false }
  }
}

/// All commands, and the variables that the program reads.
enum CommandTable {
  static var commands: [Command] {
    CommandName.allCases.map(\.command).filter { !$0.isHidden }
  }

  static func command(named name: String) -> Command? {
    // Not by the raw value: for so many cases, Swift makes a dictionary first.
    let known = CommandName.allCases.first { $0.rawValue.hasSameBytes(as: name) }
    return known?.command ?? commands.first { $0.aliases.contains(name) }
  }

  /// Every word that calls a command.
  static var words: [String] {
    commands.flatMap { [$0.name] + $0.aliases }
  }

  /// Returns the error for a word that calls no command but was probably meant to; nil if it is
  /// like none, or has a character that places have and commands do not.
  static func unknown(_ word: String) -> VaultError? {
    guard !word.utf8.contains(where: ".@:/[ ".utf8.contains) else { return nil }
    let near = elsewhere[word]?.rawValue ?? Suggestion.nearest(to: word, among: words)
    // Who types a beginning means it, even if another name is as near.
    let begun = commands.filter { $0.id.helper == nil && $0.name.hasPrefix(word) }.map(\.name)
    let meant = near.map { begun.count == 1 ? begun[0] : $0 }
    return meant.map { VaultError(.invalidArgument, "unknown command; did you mean \($0)?") }
  }

  /// The command that other tools call by a word.
  private static let elsewhere: [String: CommandName] = [
    "delete": .remove, "remove": .remove, "del": .remove, "new": .add, "insert": .add,
    "create": .add, "store": .add, "update": .modify, "rename": .modify, "read": .find,
    "fill": .find, "grep": .search, "clip": .copy, "run": .exec, "login": .unlock,
    "pwgen": .generate, "undo": .revert, "otp": .totp, "cp": .copy, "mv": .move,
  ]

  /// The names that a line of the configuration can have.
  static let configuration: [(name: VaultConfiguration.Name, meaning: String)] = [
    (
      .search,
      "a vault of the list, after read-only and owner:USER for a vault that is only read; one line"
        + " for each, in order"
    ),
    (.default, "the vault that is written (else the first of the list that is not read-only)"),
    (.key, "a key file that unlocks vaults if no option or variable names a key"),
    (
      .remember,
      "how long the key of a passphrase that is typed is remembered: a time without a use, as 15m,"
        + " or with a limit, as 15m,8h; operation: until Git's next call; yes: 15m,8h; no or never"
        + " (default: no, but 15m,8h after a prompt of the desktop)"
    ),
    (.gitPrompt, "no: Git's helper never prompts for a passphrase (default: yes)"),
    (.gitStore, "no: Git's helper stores nothing, and only answers and erases (default: yes)"),
    (.dockerPrompt, "yes: Docker's helper may prompt for a passphrase (default: no)"),
    (
      .dockerStore,
      "no: Docker's helper refuses logins that the vault does not have already (default: yes)"
    ),
  ]

  /// The variables that the program and the library read.
  static let environment: [(name: String, meaning: String)] = [
    ("VAULTCTL_VAULT", "the vault file, unless --vault names one; overrides the list of vaults"),
    ("VAULTCTL_KEY_FILE", "a key file that unlocks the vault"),
    (
      "VAULTCTL_KEY",
      "a key file's text, as vaultctl key prints it; others may be able to read it, so prefer a file"
    ),
    ("VAULTCTL_PASSPHRASE_FILE", "a file with a passphrase that unlocks the vault"),
    ("VAULTCTL_PASSPHRASE", "a passphrase; others may be able to read it, so prefer a file"),
    (
      "VAULTCTL_TRUSTED_FOLDERS",
      "colon-separated folders, used for vaults and key files even if others can write to them"
    ),
    (
      "CREDENTIALS_DIRECTORY",
      "systemd's folder: vaultctl.key or vaultctl.passphrase in it unlocks the vault"
    ),
    ("VAULTCTL_REMEMBER", "remembers the key of a passphrase that is typed, as --remember does"),
    ("VAULTCTL_NO_PROMPT", "if not empty, vaultctl never prompts on the terminal"),
    (
      "XDG_CONFIG_HOME",
      "the configuration is vaultctl/config in it, and the default key file vaultctl/default.key"
        + " (else ~/.config)"
    ),
    ("XDG_DATA_HOME", "the default vault is vaultctl/default.vault in it (else ~/.local/share)"),
    (
      "XDG_RUNTIME_DIR", "the shared session's file is in vaultctl in it; without it none is shared"
    ),
    (
      "XDG_STATE_HOME", "what is remembered about vaults is in vaultctl in it (else ~/.local/state)"
    ),
    ("NO_COLOR", "if not empty, tables have no colours"),
    (
      "PAGER",
      "the program for lists and help longer than the terminal (else less; cat for none)"
    ),
    ("TERM", "a terminal that is dumb, or none, shows help instead of the list of vaultctl pick"),
    ("VISUAL", "the editor of vaultctl edit (else EDITOR, else vi)"),
  ]
}
