import CredentialVault
import VaultModel

/// `vaultctl setup`: makes other programs use the vault, and takes that back.
enum SetupCommand {
  static let command = Command(
    id: .setup,
    operands: Command.Operands(
      synopsis: "git|docker|systemd|shell|secret-service", count: 1...1,
      words: SetupProgram.allCases.map(\.rawValue)),
    summary: "print or make the configuration of Git, Docker and other programs",
    example: "vaultctl setup git --apply",
    details: [
      "Without an option, setup prints the configuration and changes nothing. --apply applies"
        + " it, and changes nothing that already exists. --undo removes what --apply added, and names"
        + " what it leaves because the user made it. A setting of another program, or a file that"
        + " was changed by hand, is never replaced.",
      "git adds vaultctl to Git's global credential helpers, in a line that a comment marks. docker"
        + " sets credsStore in Docker's config.json and keeps every other byte of it; JSON has no"
        + " comments, so --undo also removes the same member if the user wrote it. systemd writes a"
        + " user's services and timers for a backup each night and a purge each week; --undo removes"
        + " them even if another vault is named by then. shell adds the completions, and"
        + " VAULTCTL_VAULT and VAULTCTL_KEY_FILE if they are set, to the startup file of the"
        + " shell in $SHELL. secret-service writes the file by which the session bus starts"
        + " vaultctl-secret-service for programs that use libsecret, and the unit by which a bus of"
        + " systemd's user manager does.",
      "vaultctl doctor checks the result.",
    ],
    groups: [
      OptionGroup(
        heading: "What to do",
        options: [
          Option(.apply, nil, .none, "apply the configuration"),
          Option(.undo, nil, .none, "remove it"),
        ]), .plain,
    ], hints: { [.conflict: "vaultctl \($0.name) prints what it would remove"] }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let program = invocation.arguments.operands.first.flatMap(SetupProgram.init) else {
      throw command.needsChoice
    }
    let (applies, undoes) = (invocation.arguments.has(.apply), invocation.arguments.has(.undo))
    guard !applies || !undoes else {
      throw VaultError(.invalidArgument, "--apply and --undo exclude each other")
    }
    let setup = try program.setup()
    guard applies || undoes else {
      return try show(setup, program, invocation)
    }
    let changes = applies ? try setup.apply() : try setup.undo()
    guard !invocation.isJSON else {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("program", program.rawValue)
        try json.field("applied", applies)
        try json.field("changed", changes)
      }
      return .success
    }
    guard !invocation.isQuiet else { return .success }
    for change in changes {
      try invocation.output.line("\(applies ? "added" : "removed") \(change)")
    }
    if changes.isEmpty { try invocation.output.line("nothing to change") }
    if applies { for warning in setup.warnings() { try invocation.warn(warning) } }
    for note in try setup.notes(afterApplying: applies) { try invocation.hint(note) }
    return .success
  }

  private static func show(
    _ setup: any Setup, _ program: SetupProgram, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let text = try setup.text()
    guard invocation.isJSON else {
      try invocation.output.write(text)
      return .success
    }
    try invocation.output.document { (json) throws(VaultError) in
      try json.field("program", program.rawValue)
      try json.field("applied", try setup.isApplied())
      try json.field("text", text)
    }
    return .success
  }
}

/// The programs that can be set up.
enum SetupProgram: String, CaseIterable {
  case git
  case docker
  case systemd
  case shell
  case secretService = "secret-service"

  /// Returns the setup for this user.
  ///
  /// - Throws: ``VaultError/Code/configuration`` without a home folder;
  ///   ``VaultError/Code/unsupported`` for a shell without completions.
  func setup() throws(VaultError) -> any Setup {
    switch self {
    case .git: GitSetup()
    case .docker: try DockerSetup()
    case .systemd: try SystemdSetup()
    case .shell: try ShellSetup()
    case .secretService: try SecretServiceSetup()
    }
  }
}

/// The configuration of one program that makes it use the vault.
protocol Setup {
  /// Returns the configuration as a user would make it.
  func text() throws(VaultError) -> String

  /// Returns whether all of it is there.
  func isApplied() throws(VaultError) -> Bool

  /// Makes what is missing.
  ///
  /// - Returns: The settings or files that were added.
  /// - Throws: ``VaultError/Code/cannotCreate`` if something else is in its place, and then
  ///   nothing is changed.
  func apply() throws(VaultError) -> [String]

  /// Removes what ``apply()`` makes, and nothing else.
  ///
  /// - Returns: The settings or files that were removed.
  /// - Throws: ``VaultError/Code/conflict`` if somebody changed it.
  func undo() throws(VaultError) -> [String]

  /// Returns what is left to do by hand.
  func notes(afterApplying applies: Bool) throws(VaultError) -> [String]

  /// Returns what will fail, although all of it is there; empty if nothing will.
  func warnings() -> [String]
}

extension Setup {
  func warnings() -> [String] { [] }
}

/// The folders and programs that setups look at.
enum UserPlaces {
  /// Returns a folder of the user's, by a variable, else below the home folder.
  ///
  /// - Throws: ``VaultError/Code/configuration`` without a home folder.
  static func folder(_ variable: String?, below home: String) throws(VaultError) -> String {
    if let variable, let path = Environment.value(variable), path.hasPrefix("/") { return path }
    guard let base = Environment.value("HOME"), base.hasPrefix("/") else {
      throw VaultError(.configuration, "there is no home folder: set HOME")
    }
    return home.isEmpty ? base : "\(base)/\(home)"
  }
}
