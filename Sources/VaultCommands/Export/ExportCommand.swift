import CredentialVault
import Glibc
import Interchange
import SecureMemory
import VaultModel
import VaultTerminal

/// `vaultctl export`: writes items with their secrets for another program, or for another vault.
enum ExportCommand {
  static let command = Command(
    id: .export,
    operands: Command.Operands(
      synopsis: "FORMAT [FILE]", count: 1...2, words: InterchangeFormat.writable.map(\.rawValue),
      isFile: true),
    summary: "write items, with their secrets in clear text, for another program",
    example: "vaultctl export json vault.json",
    details: [
      "FORMAT is one of \(formats). Only json carries everything of an item, with the secrets that"
        + " it had before, and without a selector also the trash and the policy: it is vaultctl's"
        + " own, described by a JSON Schema, and vaultctl import reads it; vaultctl merge --dry-run"
        + " OTHER then says whether both vaults are equal. The other formats are those of the"
        + " programs they are named after; what they"
        + " cannot carry is listed on standard error.",
      "FILE is created with mode 0600 once it is complete, so an interrupted export leaves none;"
        + " existing files are never overwritten."
        + " Without FILE the export goes to standard output, to a terminal only with --stdout.",
      "Items without a secret are left out, and so are those that have expired, except that json"
        + " has an item that only its own time made expire.",
      "Values are written as they are. A spreadsheet may take one that begins with =, +, - or @"
        + " for a formula: do not open the export in one.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "Where to",
        options: [
          Option(.stdout, nil, .none, "write to standard output even if it is a terminal")
        ]), .freshness, .common,
    ], sharesSession: false, run: run)

  private static var formats: String {
    InterchangeFormat.writable.map(\.rawValue).joined(separator: ", ")
  }

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    var words = invocation.arguments
    guard let name = words.removeFirstOperand(), let format = InterchangeFormat(name: name),
      InterchangeFormat.writable.contains(format)
    else { throw VaultError(.invalidArgument, "export writes one of \(formats)") }
    let path = words.removeFirstOperand()
    let selection = try Selection(words, readsMetadata: true)
    let file = try target(path, invocation)
    let vault = try invocation.openVault()
    try invocation.refresh(vault)
    let found = try selection.items { query throws(VaultError) in try vault.findAll(query) }
    guard !found.isEmpty || selection.isEmpty else { throw selection.notFound() }

    let sink = ByteSink { (bytes) throws(VaultError) in
      if let file { try file.write(bytes) } else { try invocation.output.write(bytes) }
    }
    var export = try Export(format, to: sink, of: vault)
    if selection.isEmpty { try export.writeTrash() }
    let progress = Progress("exporting", isQuiet: invocation.isQuiet)
    for (index, item) in found.enumerated() {
      try export.write(item)
      progress.update(Double(index + 1) / Double(found.count))
    }
    try export.end(isWhole: selection.isEmpty)
    progress.clear()
    try file?.publish()
    try export.report(path: file == nil ? nil : path, invocation)
    return .success
  }

  /// Returns the file to create, nil for standard output.
  private static func target(
    _ path: String?, _ invocation: Invocation
  ) throws(VaultError) -> NewFile? {
    guard path?.isEmpty != true else { throw VaultError(.invalidArgument, "export needs FILE") }
    return try invocation.newFile(path == "-" ? nil : path, holding: "the secrets")
  }
}
