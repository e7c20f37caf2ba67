import VaultTerminal
import SecureMemory
import VaultCommands
import VaultModel
import VaultStore

/// `vaultctl identity run`: becomes another program, which gets an identity in sealed memory.
enum IdentityRun {
  /// Becomes the program.
  ///
  /// - Parameters:
  ///   - words: Its name and arguments, in which `{cert}` and `{key}` become paths.
  ///   - identity: The identity, with its key.
  ///   - invocation: The run of the command that becomes it.
  /// - Returns: The exit status if it cannot be run.
  /// - Throws: ``VaultError/Code/unavailable`` if the identity cannot be passed.
  static func run(
    _ words: [String], with identity: IdentityFiles, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    var environment = ChildEnvironment(isClean: invocation.arguments.has(.cleanEnv))
    try environment.set("GIT_SSL_CERT", Secret(identity.certificate))
    try environment.set("GIT_SSL_KEY", identity.keyForGit)
    let words = words.map {
      $0.replacing("{cert}", with: identity.certificate).replacing("{key}", with: identity.key)
    }
    return try ExecCommand.become(words, environment, invocation) { () throws(VaultError) in
      guard identity.files.allSatisfy({ $0.isInherited() }) else {
        throw VaultError(.unavailable, "the identity cannot be passed to \(words[0])")
      }
    }
  }
}
