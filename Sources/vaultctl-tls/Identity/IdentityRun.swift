import ChildPrograms
import SecureMemory
import TLSCredentials
import VaultCommands
import VaultModel

/// `vaultctl identity run`: becomes another program, which gets an identity in sealed memory.
enum IdentityRun {
  /// Above the descriptors that a command may take for its own.
  private static let firstNumber: Int32 = 10

  /// Becomes the program.
  ///
  /// - Parameters:
  ///   - words: Its name and arguments, in which `{cert}` and `{key}` become paths.
  ///   - identity: The identity, with its key.
  ///   - invocation: The run of the command that becomes it.
  /// - Returns: The exit status if it cannot be run.
  /// - Throws: ``VaultError/Code/unavailable`` if the identity cannot be put into memory or passed.
  static func run(
    _ words: [String], with identity: Identity, _ invocation: Invocation
  ) throws(VaultError) -> ExitCode {
    let certificate = try SealedMemory(identity.pem, above: firstNumber)
    let key = try SealedMemory(identity.key.pem, above: firstNumber)
    var environment = ChildEnvironment(isClean: invocation.arguments.has(.cleanEnv))
    try environment.set("GIT_SSL_CERT", Secret(certificate.path))
    try environment.set("GIT_SSL_KEY", Secret(key.path))
    let words = words.map {
      $0.replacing("{cert}", with: certificate.path).replacing("{key}", with: key.path)
    }
    return try ExecCommand.become(words, environment, invocation) { () throws(VaultError) in
      guard certificate.isInherited(), key.isInherited() else {
        throw VaultError(.unavailable, "the identity cannot be passed to \(words[0])")
      }
    }
  }
}

extension SealedMemory {
  fileprivate var path: String { "/proc/self/fd/\(descriptor)" }
}
