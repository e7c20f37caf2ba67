import VaultAdministration
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl merge`: makes one vault of two copies that were changed apart.
enum MergeCommand {
  static let command = Command(
    id: .merge, operands: Command.Operands(synopsis: "OTHER", count: 1...1, isFile: true),
    summary: "merge another copy of the vault into it",
    example: "vaultctl merge --dry-run other.vault",
    details: [
      "OTHER is a copy of the vault, such as the one that a synchronised folder leaves beside it"
        + " after two machines changed it separately. It is only read. Items are compared one by"
        + " one: the vault takes over what either copy added, changed or removed since they"
        + " diverged. A secret that is not taken becomes a previous one, and a removed item is in"
        + " the trash, as it was in the copy that removed it. If a refresh token is not taken, its"
        + " item is in the trash too. Slots and settings stay the vault's.",
      "If both copies changed the same thing, vaultctl asks on the terminal, or --prefer decides;"
        + " without either, nothing is written (48). Defaults and rules have no time, so --prefer"
        + " newer takes the vault's. If only OTHER was changed, its defaults and rules replace the"
        + " vault's. Otherwise, a default that was cleared or a rule that was removed comes back"
        + " from the copy that still has it, and so does an item that was removed permanently.",
      "A vault that was replaced by another copy (54) accepts the merge of the copy that was there"
        + " before. If OTHER was rekeyed and the vault was not, merge the vault into OTHER. If the"
        + " vault's key does not open OTHER, the other key files that are found are tried: a copy from"
        + " before this machine had a key of its own is merged into a replica by both.",
      "With --dry-run, OTHER may also be a vault that is no copy, such as one into which the"
        + " vault's export was imported: the two are compared. What differs of items, histories,"
        + " trash, policy and defaults is listed, without secrets, and the status is then 53. Ids,"
        + " revisions, times, slots and settings are not compared.",
    ],
    groups: [
      OptionGroup(
        heading: "How",
        options: [
          Option(
            .prefer, nil, .words(nil, MergePreference.allCases.map(\.rawValue)),
            "the side to take if both changed the same thing"),
          OptionGroup.dryRun,
          Option(.otherKeyFile, nil, .file, "open OTHER with this key file (else the vault's key)"),
        ]), .common,
    ], hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    var hints: [VaultError.Code: String] = [
      .conflict:
        "vaultctl merge\(failure.vaults) --dry-run OTHER shows the differences, and --prefer"
        + " ours, theirs or newer decides them",
      .damaged: "vaultctl verify --vault FILE says what of it is damaged",
    ]
    if let path = failure.path ?? Hint.foundVault(), ReplicaHint.isReplica(path) {
      hints[.readOnly] =
        "vaultctl merge\(failure.vaults) --key-file MACHINE.KEY --other-key-file FILE OTHER opens each"
        + " with its own key"
    }
    hints[.forked] = Hint.setBack(failure)
    hints[.rolledBack] =
      failure.error.subject == .backup
      ? "vaultctl merge --vault OTHER VAULT, and then put OTHER in the vault's place"
      : Hint.setBack(failure)
    return hints
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let source = invocation.arguments.operands.first, !source.isEmpty else {
      throw VaultError(.invalidArgument, "merge needs OTHER")
    }
    let isDryRun = invocation.arguments.has(.dryRun)
    let preference = try invocation.arguments.parsed(.prefer, as: Values.mergePreference)
    let vault = try invocation.openLocked()
    let timeout = try invocation.lockTimeout()
    let otherKey = invocation.arguments.text(.otherKeyFile).map(KeySource.keyFile)
    let progress = Progress("merging", isQuiet: invocation.isQuiet)
    let dialogue = MergeDialogue(invocation, progress)
    let given = try invocation.keyFromArguments().orFound()?.loaded()
    let report = try invocation.withKey(given, for: nil, of: .vault(vault)) {
      (key) throws(VaultError) in
      try vault.maintenance.merge(
        source, key: key.loaded(), otherKey: otherKey, found: given?.keyFileSources ?? [],
        preferring: preference, dryRun: isDryRun, lockTimeout: timeout, choose: dialogue.choose,
        askOther: { () throws(VaultError) in
          guard otherKey == nil, invocation.mayPrompt, let terminal = Terminal() else { return nil }
          progress.interrupt()
          return .passphrase(try terminal.secret(prompt: "Passphrase for \(source) (merge): "))
        }, progress: progress.update)
    }
    progress.clear()
    if invocation.isJSON {
      try writeJSON(report, invocation)
    } else {
      try write(report, isDryRun: isDryRun, invocation)
    }
    guard report.relation != .anotherVault else {
      return report.changes.isEmpty ? .success : .incomplete
    }
    if report.slotsDiffer, report.isWritten, !invocation.isQuiet {
      try invocation.warn(
        "\(source) has other slots; the vault keeps its own, as vaultctl slot list shows them")
    }
    return .success
  }

  private static func write(
    _ report: MergeReport, isDryRun: Bool, _ invocation: Invocation
  ) throws(VaultError) {
    if isDryRun || !invocation.isQuiet {
      for change in report.changes {
        try invocation.output.line(
          report.relation == .anotherVault
            ? MergeText.comparedLine(change) : MergeText.line(change))
      }
    }
    guard !invocation.isQuiet else { return }
    guard report.relation != .anotherVault else {
      return try invocation.output.line(
        report.changes.isEmpty
          ? "the two vaults are equal: \(ItemText.count(report.itemCount)), with their histories,"
            + " trash, policy and defaults"
          : "\(MergeText.count(report.changes.count)) between two vaults that are no copies;"
            + " nothing was changed")
    }
    if !report.isWritten, report.changes.isEmpty {
      try invocation.output.line("nothing to merge: \(MergeText.relation(report.relation))")
    } else if isDryRun {
      let open = report.conflicts.count
      try invocation.output.line(
        "\(MergeText.count(report.changes.count)), \(open) to be decided; nothing was changed")
    } else {
      try invocation.output.line(
        "merged \(MergeText.count(report.changes.count)): \(ItemText.count(report.itemCount))"
          + " (now generation \(report.generation))")
    }
  }

  private static func writeJSON(
    _ report: MergeReport, _ invocation: Invocation
  ) throws(VaultError) {
    let differs = report.relation == .anotherVault && !report.changes.isEmpty
    try invocation.output.document(status: differs ? .incomplete : nil) {
      (json) throws(VaultError) in
      try json.field("merged", report.isWritten)
      try json.field("relation", RestoreCommand.word(report.relation).code)
      try json.field("items", report.itemCount)
      try json.field("generation", report.generation)
      try json.field("slots_differ", report.slotsDiffer)
      try json.array("changes", report.changes) { (change, json) throws(VaultError) in
        try json.value(change)
      }
    }
  }
}

/// Asks about each thing that both copies changed, until one answer is for all.
private final class MergeDialogue {
  private let invocation: Invocation
  private let progress: Progress
  private var answerForAll: MergePreference?

  init(_ invocation: Invocation, _ progress: Progress) {
    (self.invocation, self.progress) = (invocation, progress)
  }

  /// Returns the side that the user chooses; nil if nobody can be asked.
  ///
  /// - Throws: ``VaultError/Code/conflict`` if the user gives up; the errors of the terminal.
  func choose(_ change: MergeChange) throws(VaultError) -> MergeSide? {
    if let answerForAll { return change.side(preferring: answerForAll) }
    guard invocation.mayPrompt, let terminal = Terminal() else { return nil }
    progress.interrupt()
    try terminal.show(MergeText.line(change))
    if let here = change.modifiedHere, let there = change.modifiedThere {
      try terminal.show("  here \(here.rfc3339), there \(there.rfc3339)")
    }
    while true {
      let typed = try terminal.line(
        prompt: "Take (o)urs, (t)heirs or the (n)ewer? O, T or N for all, q to stop: ")
      switch Self.letter(typed) {
      case "o": return .ours
      case "t": return .theirs
      case "n": return change.side(preferring: .newer)
      case "O": answerForAll = .ours
      case "T": answerForAll = .theirs
      case "N": answerForAll = .newer
      case "q": throw VaultError(.conflict, "the merge was stopped, and nothing was changed")
      default: continue
      }
      return answerForAll.map { change.side(preferring: $0) }
    }
  }

  /// Returns the only character of a line.
  private static func letter(_ line: Secret) -> Character? {
    guard line.count == 1 else { return nil }
    return line.withRawBytes { bytes in
      // The buffer is valid inside the closure, and has one byte.
      unsafe bytes.withUnsafeBytes { unsafe Character(Unicode.Scalar($0[0])) }
    }
  }
}

/// A merge's differences as lines and documents.
enum MergeText {
  /// Returns the line of a difference: `changed there  7k3q2m9d0v  https://…  -  ann  (secret)`.
  static func line(_ change: MergeChange) -> String {
    var text =
      change.kind.rawValue.replacing("-", with: " ").replacing(" changed", with: ", changed")
      .replacing(" removed", with: ", removed") + subject(change)
    if let rule = change.refusedBy {
      text += "; refused" + (rule.isEmpty ? "" : " by rule \(ItemText.quoted(rule))")
    } else if change.isConflict {
      text += change.side.map { "; \($0.rawValue)" } ?? "; to be decided"
    }
    return text
  }

  /// Returns the line of a difference between two vaults of which neither is a copy of the other.
  static func comparedLine(_ change: MergeChange) -> String {
    let kind =
      switch change.kind {
      case .addedHere: "only here"
      case .addedThere: "only there"
      case .removedHere: "only here, in the trash"
      case .removedThere: "only there, in the trash"
      default: "differs"
      }
    return kind + subject(change)
  }

  private static func subject(_ change: MergeChange) -> String {
    let subject =
      switch change.subject {
      case .item: change.key.map { ItemText.line(change.id, $0) } ?? ""
      case .defaultUser: "default  " + (change.key.map { ItemText.line(nil, $0) } ?? "")
      case .rule: "rule \(ItemText.quoted(change.ruleName ?? ""))"
      }
    let parts = change.attributes.joined(separator: ", ")
    return "  " + subject + (parts.isEmpty ? "" : "  (\(parts))")
  }

  static func relation(_ relation: CopyRelation) -> String {
    relation == .same
      ? "both copies are the same"
      : "the other copy has no change that the vault has not seen"
  }

  static func count(_ count: Int) -> String {
    count == 1 ? "1 difference" : "\(count) differences"
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ change: MergeChange) throws(VaultError) {
    try object { (json) throws(VaultError) in
      try json.field("subject", change.subject.rawValue)
      try json.field("change", change.kind.rawValue)
      try json.field("conflict", change.isConflict)
      if let side = change.side { try json.field("side", side.rawValue) }
      if let id = change.id { try json.field("id", id.text) }
      if let name = change.ruleName { try json.field("rule", name) }
      if let key = change.key { try json.fields(of: key) }
      if !change.attributes.isEmpty { try json.field("attributes", change.attributes) }
      if let time = change.modifiedHere { try json.field("modified_here", time.rfc3339) }
      if let time = change.modifiedThere { try json.field("modified_there", time.rfc3339) }
      if let rule = change.refusedBy { try json.field("refused_by", rule) }
    }
  }
}
