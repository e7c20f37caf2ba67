import VaultAdministration
import VaultModel

/// `vaultctl salvage`: saves everything that can still be opened into a new vault.
enum SalvageCommand {
  static let command = Command(
    id: .salvage, operands: Command.Operands(synopsis: "OUT", count: 1...1, isFile: true),
    summary: "recover what still opens in a damaged vault into a new one",
    example: "vaultctl salvage rescued.vault",
    details: [
      "OUT must not exist; it opens with the key that is given here. The damaged vault is only"
        + " read, and an interrupted salvage leaves no file.",
      "An item is verified if a good tree leads to it. Others are authentic, but may be older"
        + " than the last change, or have been removed since; each of them is a line. So is"
        + " everything that is lost, and then the exit status is 49. One malformed record"
        + " affects only itself.",
      "OUT is another vault, with its own id. After it is moved to the damaged vault's place,"
        + " the first command there needs --accept-vault.",
    ],
    groups: [.common],
    hints: { _ in [.damaged: "vaultctl restore --item REF FILE takes items from a backup"] },
    run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let target = invocation.arguments.operands.first, !target.isEmpty else {
      throw VaultError(.invalidArgument, "salvage needs OUT")
    }
    let progress = Progress("salvaging", isQuiet: invocation.isQuiet)
    let report = try invocation.withKey { (key) throws(VaultError) in
      try VaultMaintenance.salvage(
        path: invocation.vaultPath, to: target, key: key,
        acceptingAnotherVault: invocation.arguments.has(.acceptVault), progress: progress.update)
    }
    progress.clear()
    let error =
      report.isComplete
      ? nil
      : VaultError(
        .damaged, "\(target) holds \(ItemText.count(report.itemCount)), and something is lost")
    if invocation.isJSON {
      try write(report, target, error, to: invocation.output)
    } else {
      try write(report, target, invocation)
      if let error {
        try invocation.output.flush()
        throw error
      }
    }
    return error.map { ExitCode($0.code) } ?? .success
  }

  private static func write(
    _ report: SalvageReport, _ target: String, _ invocation: Invocation
  ) throws(VaultError) {
    for problem in report.problems { try invocation.output.line("damaged  \(problem)") }
    for item in report.unverified {
      try invocation.output.line("unverified  " + ItemText.line(item))
    }
    if report.unverifiedCount > report.unverified.count {
      try invocation.output.line(
        "unverified  \(report.unverifiedCount - report.unverified.count) more items")
    }
    for problem in report.lost { try invocation.output.line("lost  \(problem)") }
    guard !invocation.isQuiet else { return }
    try invocation.output.line(
      "wrote \(target) (\(ItemText.count(report.itemCount)), \(report.unverifiedCount) of them unverified)"
    )
  }

  private static func write(
    _ report: SalvageReport, _ target: String, _ error: VaultError?, to output: Output
  ) throws(VaultError) {
    try output.document(error: error) { (json) throws(VaultError) in
      try json.field("path", target)
      try json.field("items", report.itemCount)
      try json.field("unverified_items", report.unverifiedCount)
      try json.field("lost_records", report.lostCount)
      try json.array("unverified", report.unverified) { (item, json) throws(VaultError) in
        try json.value(item)
      }
      try json.field("problems", report.problems)
      try json.field("lost", report.lost)
    }
  }
}
