import CredentialVault
import Interchange
import VaultModel

/// `vaultctl import`: takes over the passwords of another program.
enum ImportCommand {
  static let command = Command(
    id: .importItems,
    operands: Command.Operands(
      synopsis: "FORMAT|auto [FILE|-]", count: 1...2, words: formats + ["auto"], isFile: true),
    summary: "take over the passwords of another program",
    example: "vaultctl import --dry-run auto passwords.csv",
    details: [
      "FORMAT is \(formats.joined(separator: ", ")), or auto to tell it by the file. FILE is a"
        + " file that the program exported, - for standard input, or for pass the folder of the"
        + " store, whose files gpg decrypts one by one. secret-service has no FILE: it reads the"
        + " unlocked collections of the Secret Service that runs, such as GNOME Keyring, so that"
        + " vaultctl-secret-service gives each program its items afterwards. A pipe is read to its end before the vault"
        + " is locked, and may give \(PipedInput.limit >> 20) MiB; a file may have any size.",
      "All entries are imported in one transaction under the vault's policy. An entry that cannot"
        + " be imported is rejected, and stops no other one; with --strict, nothing is imported then"
        + " (65). With --reject-file, a file, which must not exist, gets the place and the reason of"
        + " each rejected entry, without its password.",
      "Whatever the vault then lacks of the file is listed, also with -q: entries that are rejected,"
        + " left out or kept as they were, and parts of others. The status is 53 if there is any."
        + " Do not delete the file before you have put that elsewhere.",
      "An entry is identical if its place (protocol, host, port, realm, account, path) has an item"
        + " with the same password and all else that the entry has. Of two entries of the file for"
        + " one password, the second adds what it has beside it. If the item has another password or"
        + " lacks something, skip keeps it as it is, update gives it what the entry has, keep-both"
        + " adds a second item with (imported) at the end of its path or service, and fail rejects"
        + " the entry.",
      "An entry without a host becomes a generic password under its title. So does a note, a card or"
        + " another kind of entry: its secret is all that it keeps secret. The further secrets of a"
        + " login, such as hidden fields, are the secret of one more item, TITLE (further secrets); the"
        + " key of one-time passwords stays with its login. Entries of one name get a number behind it."
        + " What the format of a file does not have becomes a custom attribute, or a further secret if it"
        + " can be one, and so does an address of which an item has only a part, such as that of a login"
        + " page.",
      "Passwords that an entry of Bitwarden, 1Password, Enpass or KeePass had before are the item's"
        + " history, and other texts that it had before are further secrets. What a field of KeePass refers to in another entry is put in its place; from a"
        + " pipe, which is read only once, the field is left out. Attachments, and what is in a trash"
        + " or an archive, are left out, and so are settings, macros, comments and the notes of"
        + " groups. Not listed is only what means nothing elsewhere: ids, icons, when an entry was used"
        + " last, how a form looks.",
      "secret-tool writes attributes to standard error: make its file with secret-tool search --all"
        + " --unlock ATTRIBUTE VALUE > FILE 2>&1.",
      "Skipped and changed entries are listed, each with its place and the reason, and never with"
        + " its password. --report lists all entries while they are read: those of a file are"
        + " imported together at its end, and the last line says whether they were. Without it,"
        + " and in JSON, the list ends after \(ImportReport.mostRows) entries.",
      "A document that is cut, or malformed as JSON or XML, is refused as a whole, with the line:"
        + " where its next entry begins is not known.",
      "A file may have been cut. If its last entry ends without a line end, it is rejected where the"
        + " program that writes the format ends every line, as Chrome, Git and secret-tool do; in"
        + " other formats it is imported with a warning, since many programs write no last line end.",
      "--map says what a column of a table is: --map \"Login URL=url\". FIELD is"
        + " \(EntryField.allCases.map(\.rawValue).joined(separator: ", ")). With it, auto also reads"
        + " a table that no format knows, and csv reads any; of columns that have the name of a FIELD"
        + " csv knows what they are.",
    ],
    groups: [
      OptionGroup(
        heading: "The import",
        options: [
          OptionGroup.dryRun,
          Option(
            .onConflict, nil, .words(nil, conflicts),
            "if the item that is there has another password (default: skip)"),
          Option(.map, nil, .text("COL=FIELD"), "what a column is; more with more of these"),
          Option(.rejectFile, nil, .file, "list rejected entries here"),
          Option(.strict, nil, .none, "import nothing if an entry is rejected"),
          Option(.report, nil, .none, "list every entry with its result"),
          Option(.protocol, "protocol of entries that have none (default: https)"),
        ]), .common,
    ],
    hints: hints, run: run)

  @Sendable private static func hints(_ failure: Failure) -> [VaultError.Code: String] {
    var hints: [VaultError.Code: String] = [
      .invalidArgument: "vaultctl import auto FILE finds out the format; vaultctl help import"
    ]
    // A malformed document is named with the line.
    if failure.error.text.contains(", line ") {
      hints[.invalidData] = "nothing was imported: export the file again, or mend it there"
    }
    return hints
  }

  private static let formats = InterchangeFormat.names
  private static let conflicts = ConflictChoice.allCases.map(\.rawValue)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let arguments = invocation.arguments
    let options = try readingOptions(arguments)
    let choice = try arguments.parsed(.onConflict, as: ConflictChoice.init(text:)) ?? .skip
    let source = try ImportSource(invocation, options)
    let isDryRun = arguments.has(.dryRun)
    let listsAll = arguments.has(.report) && !invocation.isJSON
    let progress = Progress("importing", isQuiet: invocation.isQuiet || listsAll)
    let vault = try invocation.openDefaultVault()
    let hadRules = try !vault.policy.current().rules.isEmpty
    let rejects = try arguments.text(.rejectFile).map { (path) throws(VaultError) in
      try RejectFile(path, isDryRun: isDryRun)
    }
    // Our own format has ports as vaults do.
    var run = ImportRun(
      choice, rejects, isStrict: arguments.has(.strict),
      isExact: [.json, .secretService].contains(source.format),
      listsAll
        ? .shown { (line) throws(VaultError) in try invocation.output.line(line) }
        : isDryRun || invocation.isJSON ? .every : .unexpected)
    do throws(VaultError) {
      try run.importAll(from: source, into: vault, isDryRun: isDryRun, progress.update)
    } catch {
      progress.clear()
      rejects?.remove()
      throw error
    }
    progress.clear()
    let report = run.report
    if report.count(.rejected) == 0 { rejects?.remove() } else { try rejects?.close() }
    let status = try report.write(
      ImportReport.Outcome(
        format: source.format, file: source.file, isDryRun: isDryRun,
        isStrict: arguments.has(.strict)), invocation)
    if !hadRules, !invocation.isQuiet, try !vault.policy.current().rules.isEmpty {
      try invocation.warn("the vault had no policy, and has the file's now (vaultctl policy list)")
    }
    return status
  }

  private static func readingOptions(
    _ arguments: Arguments
  ) throws(VaultError) -> ReadingOptions {
    var options = ReadingOptions()
    if let name = try arguments.parsed(.attribute(.protocol), as: Values.networkProtocol) {
      guard name != .unset else { throw VaultError(.invalidArgument, "--protocol: empty") }
      options.assumedProtocol = name
    }
    for text in arguments.texts(.map) {
      guard let sign = text.lastIndex(of: "="), sign > text.startIndex,
        let field = EntryField(rawValue: String(text[text.index(after: sign)...]))
      else {
        let fields = EntryField.allCases.map(\.rawValue).joined(separator: ", ")
        throw VaultError(.invalidArgument, "--map: not COLUMN=FIELD; a FIELD is one of \(fields)")
      }
      options.columns.append((String(text[..<sign]), field))
    }
    return options
  }
}

/// The treatment of an entry whose place has an item with another password.
enum ConflictChoice: String, CaseIterable {
  case skip
  case update
  case keepBoth = "keep-both"
  case fail

  /// Reads the choice.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for any other word.
  init(text: String) throws(VaultError) {
    guard let choice = ConflictChoice(rawValue: text) else {
      throw Values.notOne(
        "skip, update, keep-both or fail", text, of: Self.allCases.map(\.rawValue))
    }
    self = choice
  }
}
