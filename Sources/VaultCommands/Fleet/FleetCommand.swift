import VaultModel

/// `vaultctl fleet`: one vault on many machines.
///
/// `vaultctl-fleet` runs it.
enum FleetCommand {
  static let command = Command(
    id: .fleet,
    operands: Command.Operands(
      synopsis: "ACTION …", count: 1...10_001,
      words: [
        "init", "clone", "list", "sync", "status", "log", "head", "grant", "revoke", "begin",
        "join", "admit", "machines", "remove", "schema",
      ]),
    summary: "share a vault with other machines through a PostgreSQL server",
    example: "vaultctl fleet init postgresql://ann@db.example.com/fleet",
    details: [
      "The server keeps the vault's sealed rows, which it cannot open, and decides which machine"
        + " writes next. Every machine has a whole replica: it finds without the server, and"
        + " writes with it.",
      "fleet init ADDRESS makes the tables on the server if they are missing, and this vault the"
        + " first replica. ADDRESS is a connection string of PostgreSQL, such as"
        + " 'host=db.example.com dbname=fleet user=ann'. It holds no password: that is read from"
        + " the file that PGPASSFILE names. Unless ADDRESS says otherwise, sslmode is verify-full.",
      "On a replica, fleet init gives a server that was set back what it lost, or another one the"
        + " vault if the server is lost; on the other replicas, the same command goes on from there."
        + " Without ADDRESS, it is the replica's own.",
      "fleet clone ADDRESS [ID] makes a replica where there is no vault. The vault's own key opens"
        + " it, as options, variables or a prompt give it. ID is needed if the server has several"
        + " vaults. Where a replica was lost, neither is. --accept-vault takes a state that does not"
        + " continue what this machine has seen. A machine that joined several admins names with"
        + " --fingerprint whose vault it shall be.",
      "A server can have several vaults, as of groups. fleet list shows their ids, and the paths of"
        + " their replicas. fleet clone --all makes a replica of each that admits this machine, and"
        + " adds it to the search list.",
      "fleet sync gets what other machines wrote; every write does this first. fleet status compares"
        + " the replica with the server, and fails where sync would. Both are about all replicas of"
        + " the search list, unless --vault names one. fleet log lists the commits, the newest first: which machine"
        + " signed it, and what it changed. fleet head prints the generation and eight words: on two"
        + " machines at one generation they are the same, unless the server keeps apart what they"
        + " write.",
      "fleet grant ROLE… lets roles of the server use this vault, and fleet revoke ROLE ends that."
        + " fleet schema shows the SQL of the tables.",
      "With the rest, each machine has a key of its own, with a server or without, and on a fleet"
        + " they alone write then. fleet begin makes this machine the first one and an admin, and"
        + " prints the line of the admin key. fleet join LINE… makes another machine's key file, which"
        + " can join several vaults, and prints a line; fleet admit LINE… on an admin's machine lets it in. Both show the"
        + " fingerprint of the line and ask; without a terminal, --fingerprint names it, once for"
        + " each line. Several machines are admitted faster by one command. fleet machines lists"
        + " them.",
      "fleet remove NAME… makes a new key for the vault, which those machines do not get, and the"
        + " others do; it may be repeated, and warns of a name that no machine has. What they have"
        + " read stays read, and is listed. If no admin is left, vaultctl rekey"
        + " with a key that is no machine's ends all machines, and fleet begin makes new ones.",
    ],
    groups: own.map {
      OptionGroup(heading: "With fleet \($0.joined(separator: " or "))", options: $1)
    }
      + [.common], sharesSession: false, hints: hints,
    run: run)

  /// The options that belong to some actions alone.
  static let own: [(actions: [String], options: [Option])] = [
    (
      ["begin", "join"],
      [
        Option(.name, nil, .text("NAME"), "this machine's name (default: the system's)"),
        Option(
          .newKeyFile, nil, .file,
          "the machine's key file, made if it is missing (default: machine.key beside the default key"
            + " file)"),
      ]
    ),
    (
      ["join", "admit", "clone"],
      [
        Option(
          .fingerprint, nil, .text("DIGITS"),
          "the fingerprint of LINE, as its machine shows it; with clone, of the vault's admin key")
      ]
    ),
    (["admit"], [Option(.admin, nil, .none, "let the machine admit and remove others, too")]),
    (
      ["admit", "remove"],
      [
        Option(
          .adminKeyFile, nil, .file,
          "the key file of an admin's machine (else machine.key, else the vault's key file)")
      ]
    ),
    (["remove"], [OptionGroup.yes] + RekeyCommand.keptSlots.options),
    (["log"], [Option(.limit, nil, .text("N"), "only the N newest")]),
    (["clone"], [Option(.all, nil, .none, "all vaults that admit this machine")]),
    (["sync"], [Option(.watch, nil, .none, "stay, and get each change when it is written")]),
  ]

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    let machines = "vaultctl fleet machines\(failure.vaults)"
    var hints: [VaultError.Code: String] = [
      .itemNotFound: machines, .duplicateItem: machines,
      .cannotCreate: "--new-key-file and --vault name other places",
    ]
    if let path = failure.path ?? Hint.foundVault(), ReplicaHint.isReplica(path) {
      let lost =
        "if the server is lost, or has lost the vault, vaultctl fleet init\(failure.vaults) ADDRESS"
        + " on the newest replica publishes it again"
      hints[.unavailable] = lost
      if failure.error.subject == .arbiter {
        hints[.configuration] =
          "vaultctl fleet grant ROLE lets this machine's role use the vault; " + lost
      }
    }
    return hints
  }

  private static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    try runHere(invocation) ? .success : OtherProgram.fleet.run(invocation)
  }

  /// Runs an action that needs no library of the server.
  ///
  /// - Returns: Whether the action is one of those.
  /// - Throws: ``VaultError/Code/invalidArgument`` for an option of another action; any error of
  ///   the action.
  private static func runHere(_ invocation: Invocation) throws(VaultError) -> Bool {
    let action = invocation.arguments.operands.first ?? ""
    try check(invocation.arguments, isFor: action)
    let takesSeveral = ["admit", "grant", "join", "remove"].contains(action)
    guard takesSeveral || invocation.arguments.operands.count <= 3 else {
      throw VaultError(.invalidArgument, "unexpected argument")
    }
    return try MachineCommands.run(invocation)
  }

  /// Refuses an option that the action does not read: the user expects it to have an effect.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument``.
  static func check(_ arguments: Arguments, isFor action: String) throws(VaultError) {
    let others = own.filter { !$0.actions.contains(action) }.flatMap(\.options)
    guard let option = others.first(where: { arguments.names.contains($0.name) }) else { return }
    throw VaultError(
      .invalidArgument, "--\(option.name.text) belongs to another action of fleet")
  }
}
