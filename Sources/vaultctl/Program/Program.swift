import CredentialVault
import Glibc
import VaultModel

/// The program from its command line to its exit status.
@main
enum Program {
  static func main() {
    ProcessHardening.apply()
    let output = Output()
    let status = run(output)
    exit(status.rawValue)
  }

  private static func run(_ output: Output) -> ExitCode {
    var invocation: Invocation?
    do throws(VaultError) {
      let (command, arguments) = try ArgumentParser.parse(words())
      let parsed = Invocation(command: command, arguments: arguments, output: output)
      invocation = parsed
      for folder in arguments.texts(.trustFolder) { VaultLocation.trust(folder) }
      let status = try command.run(parsed)
      try output.close()
      return status
    } catch {
      return report(error, invocation, output)
    }
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
    let isHelper = ArgumentParser.isGitHelper(CommandLine.arguments.first ?? "")
    let command =
      invocation?.command ?? (isHelper ? GitCredentialCommand.command : nil)
      ?? options.lazy.compactMap(CommandTable.command(named:)).first
    let isGit = invocation?.command.id == .gitCredential
    output.discard()
    if invocation?.isJSON ?? options.contains("--json"), command?.id != .gitCredential,
      !output.hasFailed
    {
      var json = JSONWriter(output)
      do throws(VaultError) {
        try json.document(error: error)
        try output.close()
        return ExitCode(error.code)
      } catch {
        return report(error, invocation, output)
      }
    }
    Messages.error(error)
    Messages.candidates(of: error)
    // Git shows every line of a helper to its user, so only one is written.
    let isQuiet = invocation?.isQuiet ?? (options.contains("-q") || options.contains("--quiet"))
    if !isGit, !isQuiet,
      let hint = Hint.text(
        for: error, command: command, vault: invocation?.vaultPath,
        isOneItem: invocation?.arguments.has(.item) ?? false,
        hasFoundKeyFile: invocation?.hasFoundKeyFile ?? false)
    {
      Messages.hint(hint)
    }
    return ExitCode(error.code)
  }
}
