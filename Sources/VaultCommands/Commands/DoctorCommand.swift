import CredentialVault
import VaultModel

/// `vaultctl doctor`: checks the vault and its surroundings, and changes nothing.
enum DoctorCommand {
  static let command = Command(
    id: .doctor, operands: .none, summary: "check permissions, setup and the vault for problems",
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
    let others = invocation.vaultPath == nil ? SetupFinding.list(without: diagnosis.path) : []
    let findings =
      diagnosis.findings.map(SetupFinding.init) + others
      + SetupFinding.all(for: diagnosis.path, key: key)
    let status = status(findings, isStrict: invocation.arguments.has(.strict))
    guard !invocation.isJSON else {
      var json = JSONWriter(invocation.output)
      try write(findings, of: diagnosis.path, status, &json)
      return status
    }
    for finding in findings where !(invocation.isQuiet && finding.status == .ok) {
      let word = finding.status.rawValue
      let margin = String(repeating: " ", count: 9 - word.count)
      try invocation.output.line("\(word)\(margin)\(finding.check): \(finding.text)")
      guard !invocation.isQuiet, let hint = finding.hint else { continue }
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

  private static func status(_ findings: [SetupFinding], isStrict: Bool) -> ExitCode {
    let problems = findings.compactMap(\.code).map { ExitCode($0) }
    if let first = precedence.first(where: problems.contains) ?? problems.first { return first }
    return isStrict && findings.contains { $0.status == .warning } ? .other : .success
  }

  private static func write(
    _ findings: [SetupFinding], of path: String, _ status: ExitCode, _ json: inout JSONWriter
  ) throws(VaultError) {
    try json.beginObject()
    try json.field("ok", status == .success)
    try json.field("exit", status.rawValue)
    try json.field("path", path)
    try json.field("status", (findings.map(\.status).max() ?? .ok).rawValue)
    try json.name("findings")
    try json.beginArray()
    for finding in findings {
      try json.beginObject()
      try json.field("check", finding.check)
      try json.field("status", finding.status.rawValue)
      try json.field("text", finding.text)
      if let hint = finding.hint { try json.field("hint", hint) }
      if let code = finding.code { try json.field("code", code.description) }
      try json.endObject()
    }
    try json.endArray()
    try json.endObject()
    try json.finish()
  }
}
