import CVaultSystem
import CredentialVault
import Glibc
import SecureMemory
public import VaultModel
import VaultStore
import VaultTerminal

/// The program from its command line to its exit status.
public enum Program: Sendable {
  /// Runs the command that the command line names, and exits.
  ///
  /// - Parameters:
  ///   - name: The program's own name, which its version follows.
  ///   - ownRun: Runs a command instead of its function in the table, in a program that links more;
  ///     nil for most.
  package static func main(
    named name: String = "vaultctl",
    _ ownRun: (CommandName) -> (@Sendable (Invocation) throws(VaultError) -> ExitCode)? = { _ in
      nil
    }
  ) -> Never {
    ProcessHardening.apply()
    let output = Output()
    let status = run(as: name, output, ownRun)
    exit(status.rawValue)
  }

  /// Runs the program of an extra, which `vaultctl` becomes for one of its commands, and exits.
  ///
  /// - Parameters:
  ///   - name: The program's own name, which its version follows.
  ///   - command: The command.
  ///   - run: Runs it; an error is told as those of `vaultctl` are, and its exit status is theirs.
  public static func main(
    named name: String, running command: String,
    _ run: @escaping @Sendable (Invocation) throws(VaultError) -> Void
  ) -> Never {
    main(named: name) { (asked) in
      guard asked.rawValue == command else { return nil }
      return { (invocation) throws(VaultError) in
        try run(invocation)
        return .success
      }
    }
  }

  private static func run(
    as name: String, _ output: Output, _ ownRun: (CommandName) -> Command.Run?
  ) -> ExitCode {
    var invocation: Invocation?
    do throws(VaultError) {
      let (command, arguments) = try ArgumentParser.parse(words(), alone: alone)
      var parsed = Invocation(command: command, arguments: arguments, output: output)
      parsed.program = name
      invocation = parsed
      if CommandName.helper(CommandLine.arguments.first ?? "") == nil {
        LogAuthor.setCommand(command.name)
      }
      try parsed.requireOpenDescriptors()
      // A wrong option is an error also where nothing is typed.
      _ = try arguments.parsed(.remember, as: RememberedTime.setting)
      for folder in arguments.texts(.trustFolder) { VaultLocation.trust(folder) }
      let status = try (ownRun(command.id) ?? command.run)(parsed)
      try output.close()
      return status
    } catch {
      return report(error, invocation, output)
    }
  }

  /// The command that the program's name alone calls: the list on a terminal, or the help if that
  /// cannot show one; nil without a terminal.
  private static var alone: CommandName? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else { return nil }
    return FullScreen.isPossible(terminal: Environment.value("TERM")) ? .pick : .help
  }

  /// Returns the arguments as text.
  ///
  /// - Throws: ``VaultError/Code/invalidArgument`` for one that is not UTF-8: repairing it would
  ///   name another item.
  private static func words() throws(VaultError) -> [String] {
    var words: [String] = []
    words.reserveCapacity(Int(CommandLine.argc))
    for index in 0..<Int(CommandLine.argc) {
      // The system's argv: `argc` NUL-terminated strings that nobody changes.
      guard let argument = unsafe CommandLine.unsafeArgv[index],
        let word = unsafe String(validatingCString: argument)
      else { throw VaultError(.invalidArgument, "an argument is not UTF-8") }
      words.append(word)
    }
    return words
  }

  private static func report(
    _ error: VaultError, _ invocation: Invocation?, _ output: Output
  ) -> ExitCode {
    // Even if the command line could not be read, the form of the answer is known.
    let options = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    let helper = CommandName.helper(CommandLine.arguments.first ?? "")
    let command =
      invocation?.command ?? helper?.command
      ?? options.lazy.compactMap(CommandTable.command(named:)).first
    let isHelper = invocation?.command.id.helper != nil
    output.discard()
    if invocation == nil, helper == .dockerCredential {
      return DockerCredentialCommand.refuse(error, output)
    }
    if invocation?.isJSON ?? options.contains("--json"), command?.id.helper == nil,
      !output.hasFailed
    {
      do throws(VaultError) {
        try output.document(error: error)
        try output.close()
        return ExitCode(error.code)
      } catch {
        return report(error, invocation, output)
      }
    }
    Messages.error(error)
    Messages.candidates(of: error)
    // Git and ssh show every line of a helper to their user, so only one is written.
    let isQuiet = invocation?.isQuiet ?? (options.contains("-q") || options.contains("--quiet"))
    let failure = Failure(
      error: error, command: command, paths: invocation?.arguments.texts(.vault) ?? [],
      isOneItem: invocation?.arguments.has(.item) ?? false,
      keyVariable: invocation?.keyVariable, mayPrompt: invocation?.mayPrompt ?? false,
      isImplied: invocation?.arguments.isImplied ?? false)
    if !isHelper, !isQuiet, let hint = Hint.text(for: failure) { Messages.hint(hint) }
    return ExitCode(error.code)
  }
}

/// The clock that decides whether an item is shown as expired.
///
/// It is the vault's, which does not go back when the system's clock is set back, so that every
/// item shown as usable is usable.
package enum Clock {
  private static let source = Lock(TimeSource.system)

  package static func now() -> Timestamp { source.withLock { $0 }.now() }

  /// Uses this vault's clock from now on; a command opens one vault.
  static func follow(_ vault: Vault) {
    source.withLock { $0 = vault.time }
  }
}
