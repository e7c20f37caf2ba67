/// Every command: what the parser, the help, the manual page and the completions are made from.
enum CommandTable {
  static let commands: [Command] = [
    InitCommand.command,
    AddCommand.command,
    FindCommand.command,
    ListCommand.command,
    ShowCommand.command,
    ModifyCommand.command,
    RemoveCommand.command,
    DefaultCommand.command,
    InfoCommand.command,
    VerifyCommand.command,
    BackupCommand.command,
    GitCredentialCommand.command,
    HelpCommand.command,
    CompletionCommand.command,
    VersionCommand.command,
  ]

  static func command(named name: String) -> Command? {
    commands.first { $0.name == name }
  }

  /// The variables that the program and the library read.
  static let environment: [(name: String, meaning: String)] = [
    ("VAULTCTL_VAULT", "the vault file, unless --vault names one"),
    ("VAULTCTL_KEY_FILE", "a key file that unlocks the vault"),
    ("VAULTCTL_PASSPHRASE", "a passphrase; others may be able to read it, so better a file"),
    (
      "CREDENTIALS_DIRECTORY",
      "systemd's folder: vaultctl.key or vaultctl.passphrase in it unlocks the vault"
    ),
    ("VAULTCTL_NO_PROMPT", "if not empty, nothing is asked on the terminal"),
    ("XDG_DATA_HOME", "the default vault is vaultctl/default.vault in it (else ~/.local/share)"),
    ("XDG_STATE_HOME", "what is remembered of vaults is in vaultctl in it (else ~/.local/state)"),
  ]
}
