import CVaultSystem
import Glibc
import VaultModel
import VaultStore
import VaultTerminal

/// A program that runs commands which need libraries that this one does not link.
struct OtherProgram {
  /// The program with a parser of strangers' certificates, which that of every day has not.
  static let tls = OtherProgram(name: "vaultctl-tls")
  /// The program that asks PostgreSQL servers.
  static let fleet = OtherProgram(name: "vaultctl-fleet")
  /// The program that talks on the session bus.
  static let secretService = OtherProgram(name: "vaultctl-secret-service")

  /// Its name, and that of the Debian package with it.
  let name: String

  /// Becomes that program, with the arguments and variables of this one.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed or cannot be started.
  @Sendable func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let path = try requirePath(invocation)
    ProcessHardening.restore()
    // The system's own argv and environment, which nobody changes.
    unsafe execve(path, CommandLine.unsafeArgv, vaultctl_environment())
    throw VaultError(.unavailable, path, underlying: .errno(errno))
  }

  /// Returns the program's file.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed.
  func requirePath(_ invocation: Invocation) throws(VaultError) -> String {
    if let path = LibexecProgram.path(of: name) { return path }
    throw VaultError(
      .unavailable,
      "\(invocation.command.name) needs \(name), which is neither beside this program nor in libexec"
        + " (the package \(name))")
  }
}
