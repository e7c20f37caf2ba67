import CVaultSystem
import Glibc
import Synchronization
import VaultModel

/// Reads a command line with the C library's `getopt_long`, by the command table.
///
/// A mistyped argument may be a secret: no message repeats an argument, only names from the table.
enum ArgumentParser {
  /// Finds the command and its arguments.
  ///
  /// - Parameters:
  ///   - words: The command line; the first word is the program's name.
  ///   - alone: The command that the program's name alone calls, on a terminal; nil elsewhere.
  /// - Returns: The command, and its options and operands.
  /// - Throws: ``VaultError/Code/invalidArgument`` for anything that the table does not have.
  static func parse(
    _ words: [String], alone: CommandName? = nil
  ) throws(VaultError) -> (command: Command, arguments: Arguments) {
    try getopt.withLock { _ throws(VaultError) in try read(words, alone) }
  }

  /// getopt keeps its position in globals of the process: one command line is read at a time.
  private static let getopt = Mutex(())

  private static func read(
    _ words: [String], _ alone: CommandName?
  ) throws(VaultError) -> (command: Command, arguments: Arguments) {
    var words = words
    if let helper = words.first.flatMap(CommandName.helper) {
      words.insert(helper.rawValue, at: 1)
    }
    var arguments = Arguments()
    let globals = OptionGroup.beforeCommand.options
    let next = try scan(words, globals, upToOperand: true, into: &arguments)
    guard next < words.count else {
      if arguments.has(.help) { return (HelpCommand.command, arguments) }
      if arguments.has(.version) { return (VersionCommand.command, arguments) }
      guard let alone, !arguments.has(.json) else {
        throw VaultError(.invalidArgument, "no command was given")
      }
      return (alone.command, arguments)
    }
    var rest = Array(words[next...])
    let named = CommandTable.command(named: rest[0])
    if named == nil {
      if let meant = CommandTable.unknown(rest[0]) { throw meant }
      // Not a command, and not nearly one: the item that find looks for.
      rest.insert(CommandName.find.rawValue, at: 0)
      arguments.isImplied = true
    }
    let command = named ?? FindCommand.command
    let isCommandLine = command.operands.isCommandLine
    let end = try scan(rest, command.options, upToOperand: isCommandLine, into: &arguments)
    for word in rest[min(end, rest.count)...] { arguments.append(operand: word) }
    guard named != nil || arguments.operands.count < 2 else {
      throw VaultError(.invalidArgument, "unknown command")
    }
    // Before the command is known, --json is accepted for all of them.
    guard !arguments.has(.json) || command.options.contains(where: { $0.name == .general(.json) })
    else {
      throw refusal(nil)
    }
    if arguments.has(.help) {
      var asked = Arguments()
      asked.append(operand: command.name)
      return (HelpCommand.command, asked)
    }
    try checkOperands(of: command, arguments)
    try command.requireChoice(arguments)
    guard arguments.texts(.vault).count < 2 || command.takesSeveralVaults else {
      throw VaultError(.invalidArgument, "\(command.name) works on one vault")
    }
    return (command, arguments)
  }

  private static func checkOperands(of command: Command, _ arguments: Arguments) throws(VaultError)
  {
    guard arguments.operands.count > command.operands.count.upperBound else {
      guard arguments.operands.count < command.operands.count.lowerBound else { return }
      let isChoice = arguments.operands.isEmpty && !command.operands.words.isEmpty
      let needed = isChoice ? command.operands.choice : command.operands.synopsis
      throw VaultError(.invalidArgument, "\(command.name) needs \(needed)")
    }
    guard !arguments.has(.passwordOnly), !arguments.has(.passwordPrompt) else {
      throw VaultError(
        .invalidArgument, "-w takes no value: secrets are never read from arguments")
    }
    let synopsis = command.operands.synopsis
    let taken = "\(command.name) takes \(synopsis.isEmpty ? "options alone" : synopsis)"
    let namesVault =
      synopsis.isEmpty && command.options.contains { $0.name == .general(.vault) }
    let readsSecret = command.options.contains { $0.name == .general(.passwordStdin) }
    throw VaultError(
      .invalidArgument,
      "one argument too many: \(taken)"
        + (namesVault ? ", and --vault names the vault" : "")
        + (readsSecret ? "; secrets are never read from arguments, but with --password-stdin" : ""))
  }

  /// Reads options until the first operand or the end, and returns the index after them.
  private static func scan(
    _ words: [String], _ options: [Option], upToOperand: Bool, into arguments: inout Arguments
  ) throws(VaultError) -> Int {
    // '+' stops at the first operand, '-' returns operands in their order; both leave argv as it
    // is. ':' distinguishes a missing value from an unknown option.
    var letters = upToOperand ? "+:" : "-:"
    for option in options {
      guard let letter = option.letter else { continue }
      letters.append(letter)
      if option.takesValue { letters.append(":") }
    }
    // The copies and the table live until the end of this function, longer than getopt uses them.
    var argv = unsafe words.map { unsafe strdup($0) } + [nil]
    let names = unsafe options.map { unsafe strdup($0.name.text) }
    defer {
      for index in words.indices { unsafe free(argv[index]) }
      for index in options.indices { unsafe free(names[index]) }
    }
    var table: [option] = unsafe []
    for index in options.indices {
      let kind =
        options[index].takesValue
        ? required_argument : options[index].mayTakeValue ? optional_argument : no_argument
      unsafe table.append(
        option(name: names[index], has_arg: kind, flag: nil, val: firstCode + Int32(index)))
    }
    unsafe table.append(option())
    var isFirst = true
    while true {
      let scan = unsafe vaultctl_next_option(
        isFirst ? 1 : 0, Int32(words.count), &argv, letters, table)
      isFirst = false
      let code = unsafe scan.code
      let next = unsafe Int(scan.next)
      switch code {
      case -1:
        return next
      case 1:
        unsafe arguments.append(operand: String(cString: scan.value))
      case Int32(UInt8(ascii: "?")):
        let option = unsafe find(scan.refused, options)
        throw option == nil ? unknown(words[next - 1], options) : refusal(option)
      case Int32(UInt8(ascii: ":")):
        let name = unsafe find(scan.refused, options)?.spelling ?? "an option"
        throw VaultError(.invalidArgument, "\(name) needs a value")
      default:
        guard let option = find(code, options) else { throw refusal(nil) }
        let value = unsafe scan.value.map { unsafe String(cString: $0) } ?? ""
        arguments.add(option.name, value)
      }
    }
  }

  /// Above every letter, so that a code is either a letter or an index.
  private static let firstCode: Int32 = 256

  private static func find(_ code: Int32, _ options: [Option]) -> Option? {
    guard code < firstCode else {
      let index = Int(code - firstCode)
      return options.indices.contains(index) ? options[index] : nil
    }
    return options.first { option in
      option.letter?.asciiValue.map { Int32($0) == code } ?? false
    }
  }

  /// Returns the error for an unknown option, with the name that was probably meant.
  private static func unknown(_ word: String, _ options: [Option]) -> VaultError {
    let names = word.hasPrefix("--") ? options.map { "--" + $0.name.text } : []
    let typed = String(word.prefix { $0 != "=" })
    let meant = options.first { $0.name.text == elsewhere[typed] } ?? otherCase(of: typed, options)
    // A name of the table is not a secret.
    if meant == nil, let known = GeneralOption(rawValue: String(typed.dropFirst(2))),
      typed.hasPrefix("--"), Suggestion.nearest(to: typed, among: names) == nil
    {
      return VaultError(.invalidArgument, "--\(known.rawValue) is an option of other commands only")
    }
    let question =
      meant.map { "; did you mean \($0.spelling)?" } ?? Suggestion.question(typed, among: names)
    // A word that resembles an option is no secret of the user's.
    return VaultError(
      .invalidArgument, "unknown option" + (question.isEmpty ? "" : " \(typed)\(question)"))
  }

  /// Returns the option whose letter is that of a word, but for its case; nil for a longer word.
  private static func otherCase(of word: String, _ options: [Option]) -> Option? {
    guard word.hasPrefix("-"), word.utf8.count == 2, let letter = word.last else { return nil }
    return options.first { option in
      option.letter.map { $0.lowercased() == letter.lowercased() } ?? false
    }
  }

  /// The names of options that other tools spell so.
  private static let elsewhere = [
    "-u": "account", "--user": "account", "--username": "account", "--login": "account",
    "--host": "server", "--hostname": "server", "--title": "label", "--name": "label",
    "--note": "comment", "--notes": "comment", "--password": "password-stdin", "-V": "version",
  ]

  /// Returns the error for an option; a known option is refused if it is given a value and takes
  /// none.
  private static func refusal(_ option: Option?) -> VaultError {
    guard let option else { return VaultError(.invalidArgument, "unknown option") }
    switch option.name {
    case .general(.passwordOnly), .general(.passwordPrompt), .general(.passwordStdin):
      return VaultError(
        .invalidArgument,
        "\(option.spelling) takes no value: secrets are never read from arguments")
    default:
      return VaultError(.invalidArgument, "\(option.spelling) takes no value")
    }
  }
}
