import VaultAdministration
import VaultModel

/// `vaultctl doctor`: checks the vault and its surroundings, and changes nothing.
enum DoctorCommand {
  static let command = Command(
    id: .doctor, operands: .none, summary: "check permissions, setup and the vault for problems",
    example: "vaultctl doctor",
    details: [
      "doctor changes nothing and never prompts. Without a key, it checks from outside only;"
        + " with one that is named or found, it also checks what is sealed. verify opens"
        + " everything.",
      "It also checks what vaultctl setup makes: whether Git and Docker use the vault, the nightly"
        + " backup of systemd, the completions of the shell in $SHELL, and the Secret Service; and"
        + " whether a key file is beside the vault, and the other vaults of the search list open.",
      "The exit status is that of the worst problem, or 0 if there is none.",
    ],
    groups: [
      OptionGroup(
        heading: "What counts",
        options: [Option(.strict, nil, .none, "exit with status 1 on a warning")]),
      .common,
    ], run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let key = try invocation.keyFromArguments()
    let diagnosis = try VaultMaintenance.diagnose(
      VaultLocation.vault(at: invocation.vaultPath), key: key)
    let others = invocation.vaultPath == nil ? SetupResult.list(without: diagnosis.path) : []
    let results =
      diagnosis.results.map(SetupResult.init) + others
      + SetupResult.all(for: diagnosis.path, key: key)
    let status = status(results, isStrict: invocation.arguments.has(.strict))
    guard !invocation.isJSON else {
      try write(results, of: diagnosis.path, status, invocation.output)
      return status
    }
    for result in results where !(invocation.isQuiet && result.status == .ok) {
      let word = result.status.rawValue
      let margin = String(repeating: " ", count: 9 - word.count)
      try invocation.output.line("\(word)\(margin)\(result.check): \(result.text)")
      guard !invocation.isQuiet, let hint = result.hint else { continue }
      try invocation.output.line("         try: \(hint)")
    }
    return status
  }

  /// The order in which exit statuses are chosen if there are several problems: causes before
  /// consequences.
  private static let precedence: [ExitCode] = [
    .noVault, .unsafePermissions, .invalidData, .tooNew, .damaged, .wentBack, .locked,
    .authenticationFailed, .resources, .busy,
  ]

  private static func status(_ results: [SetupResult], isStrict: Bool) -> ExitCode {
    let problems = results.compactMap(\.code).map { ExitCode($0) }
    if let first = precedence.first(where: problems.contains) ?? problems.first { return first }
    return isStrict && results.contains { $0.status == .warning } ? .other : .success
  }

  private static func write(
    _ results: [SetupResult], of path: String, _ status: ExitCode, _ output: Output
  ) throws(VaultError) {
    try output.document(status: status) { (json) throws(VaultError) in
      try json.field("path", path)
      try json.field("status", (results.map(\.status).max() ?? .ok).rawValue)
      try json.objects("results", results) { (result, json) throws(VaultError) in
        try json.field("check", result.check)
        try json.field("status", result.status.rawValue)
        try json.field("text", result.text)
        if let hint = result.hint { try json.field("hint", hint) }
        if let code = result.code { try json.field("code", code.description) }
      }
    }
  }
}
