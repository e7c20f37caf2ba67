import VaultAdministration
import VaultModel

/// `vaultctl verify`: opens everything in the vault and reports damage.
enum VerifyCommand {
  static let command = Command(
    id: .verify, operands: .none, summary: "check every part of the vault",
    example: "vaultctl verify",
    details: [
      "The exit status is 49 if anything is damaged. Each problem is a line, followed by the"
        + " items that are known to have been there.",
      "Only a copy can tell which items a lost part held: --backup names them.",
    ],
    groups: [
      OptionGroup(
        heading: "What is lost",
        options: [Option(.backup, nil, .file, "a good copy, to name the lost items")]),
      .common,
    ],
    hints: {
      [
        .damaged:
          "vaultctl restore\($0.vaults) --item REF FILE takes items from a backup, and vaultctl salvage\($0.vaults) OUT saves what still opens"
      ]
    }, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let vault = try invocation.openVault()
    let report = try vault.maintenance.verify(backup: invocation.arguments.text(.backup))
    let counts = "items: \(report.itemCount), buckets: \(report.bucketCount)"
    guard report.isClean else {
      return try refuse(
        report, VaultError(.damaged, "problems: \(report.problems.count) (\(counts))"),
        invocation)
    }
    if invocation.isJSON {
      try invocation.output.document { (json) throws(VaultError) in
        try json.field("items", report.itemCount)
        try json.field("buckets", report.bucketCount)
        try json.field("problems", report.problems)
      }
    } else if !invocation.isQuiet {
      try invocation.output.line("\(counts), problems: none")
    }
    return .success
  }

  private static func refuse(
    _ report: VerificationReport, _ error: VaultError, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    guard invocation.isJSON else {
      for problem in report.problems {
        try invocation.output.line(problem.description)
        for item in problem.items { try invocation.output.line("  " + ItemText.line(item)) }
      }
      try invocation.output.flush()
      throw error
    }
    try invocation.output.document(error: error) { (json) throws(VaultError) in
      try json.field("problems", report.problems)
    }
    return ExitCode(error.code)
  }
}
