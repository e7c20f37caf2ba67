import VaultTerminal
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// `vaultctl edit`: changes the attributes of an item in an editor.
enum EditCommand {
  static let command = Command(
    id: .edit, operands: .reference, summary: "change an item in an editor",
    example: "vaultctl edit git.example.com",
    details: [
      "Opens $VISUAL, or else $EDITOR, over the item's attributes, one a line, and applies the"
        + " changes in one step; without a change, nothing is written. There must be one best"
        + " match. An empty value unsets its attribute.",
      "The text is a file in memory, in XDG_RUNTIME_DIR or /dev/shm, which is wiped afterwards."
        + " With -g the secret is a line of it, and the editor can see it. On a terminal, a wrong"
        + " line opens the editor again; elsewhere the exit status is 65, and nothing is changed.",
    ],
    groups: [
      .selectors,
      OptionGroup(
        heading: "The secret",
        options: [Option(.showPassword, "g", .none, "edit the secret too")]),
      .common,
    ], takesSeveralVaults: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let selection = try invocation.selection(readsMetadata: true)
    try selection.requireNamed()
    // Without an editor nothing is opened.
    _ = try editor(invocation)
    let vaults = try invocation.openList()
    let opensSecret = invocation.arguments.has(.showPassword)
    let found = try selection.first(in: vaults) { (vault) throws(VaultError) in
      opensSecret ? try selection.itemWithSecret(in: vault) : try selection.item(in: vault)
    }
    return try edit(found, of: vaults, invocation)
  }

  private static func editor(
    _ invocation: Invocation
  ) throws(VaultError) -> (editor: Editor, hasTerminal: Bool) {
    let hasTerminal = invocation.mayPrompt && isatty(STDIN_FILENO) == 1
    return (try Editor(hasTerminal: hasTerminal), hasTerminal)
  }

  /// Changes an item in the editor; its secret too, if it was found with it.
  static func edit(
    _ found: VaultList.Found, of vaults: VaultList, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let (editor, hasTerminal) = try editor(invocation)
    let (item, vault) = (found.item, found.vault)
    try vault.requireWritable()
    let draft = try ItemDraft(item)
    Editor.holdSignals()
    let folder = try MemoryFolder()
    try folder.write { descriptor throws(VaultError) in try draft.write(to: descriptor) }
    var refused: (text: Secret, error: VaultError)?
    while true {
      try editor.edit(folder.file)
      let edited = try folder.read()
      // Saved again as it was refused: the user gives up, or tries a busy vault again.
      if let refused, refused.error.code != .busy, refused.text.isEqual(to: edited) {
        throw refused.error
      }
      do throws(VaultError) {
        let changes = try draft.changes(in: edited)
        guard !changes.isEmpty else {
          // Every command that succeeds writes a document.
          if invocation.isJSON { try invocation.confirm("changed", [item]) }
          return .success
        }
        let stored = try vault.modify(item, changes, ifRevision: item.revision).kept(in: vault)
        try invocation.confirm("changed", stored, in: vaults.name(of: vault))
        return .success
      } catch {
        guard hasTerminal, mayBeMended(error) else { throw error }
        try folder.reopen(edited, because: error)
        refused = (try folder.read(), error)
      }
    }
  }

  /// Returns whether another text may succeed.
  private static func mayBeMended(_ error: VaultError) -> Bool {
    switch error.code {
    case .invalidData, .invalidArgument, .duplicateItem, .policyRefused, .tooLarge, .busy: true
    default: false
    }
  }
}

extension MemoryFolder {
  /// Writes the text again, below the reason why it was refused, which takes the place of the
  /// comment in the first line: the lines keep their numbers.
  fileprivate func reopen(_ text: Secret, because error: VaultError) throws(VaultError) {
    try write { descriptor throws(VaultError) in
      try Descriptor.write("# \(Printable.text(error.text))\n", to: descriptor)
      try text.withRawBytes { bytes throws(VaultError) in
        try Descriptor.write(bytes.extracting(bytes.endOfFirstComment...), to: descriptor)
      }
    }
  }
}

extension RawSpan {
  /// The offset behind the first line, if that is a comment, else 0.
  fileprivate var endOfFirstComment: Int {
    // Every offset is below the count.
    func byte(_ offset: Int) -> UInt8 { unsafe unsafeLoad(fromByteOffset: offset, as: UInt8.self) }
    guard byteCount > 0, byte(0) == UInt8(ascii: "#") else { return 0 }
    return (0..<byteCount).first { byte($0) == UInt8(ascii: "\n") }.map { $0 + 1 } ?? byteCount
  }
}

/// The user's editor: `$VISUAL`, else `$EDITOR`, else `vi` on a terminal.
struct Editor {
  private let command: String

  /// - Throws: ``VaultError/Code/unavailable`` if none is named and there is no terminal.
  init(hasTerminal: Bool) throws(VaultError) {
    guard
      let command = Environment.value("VISUAL") ?? Environment.value("EDITOR")
        ?? (hasTerminal ? "vi" : nil)
    else { throw VaultError(.unavailable, "VISUAL and EDITOR name no editor") }
    self.command = command
  }

  /// Holds back the signals that end this process, until its end.
  ///
  /// It ends soon by itself, and has to wipe the file first. Ctrl-C and Ctrl-\ are the editor's.
  static func holdSignals() {
    _ = signal(SIGINT, SIG_IGN)
    _ = signal(SIGQUIT, SIG_IGN)
    var held = sigset_t()
    // The set is ours.
    unsafe sigemptyset(&held)
    for number in [SIGTERM, SIGHUP] { unsafe sigaddset(&held, number) }
    _ = unsafe pthread_sigmask(SIG_BLOCK, &held, nil)
  }

  /// Runs the editor over a file and waits for its end.
  ///
  /// The shell runs it, since the variable can have options; the file is an argument.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be run or fails.
  func edit(_ file: String) throws(VaultError) {
    let editor = try ChildProcess(
      ["sh", "-c", "\(command) \"$1\"", "vaultctl", file], at: "/bin/sh",
      input: .inherited, output: .inherited, errors: .inherited)
    guard try editor.end() == 0 else {
      throw VaultError(.unavailable, "the editor failed, and nothing was changed")
    }
  }
}
