import CVaultSystem
import Glibc
import VaultModel
import VaultTerminal

/// A program that runs commands which need libraries that this one does not link.
struct OtherProgram {
  /// The program with a parser of strangers' certificates, which that of every day has not.
  static let tls = OtherProgram(name: "vaultctl-tls")
  /// The program that asks PostgreSQL servers.
  static let fleet = OtherProgram(name: "vault-fleet", package: "vaultctl-fleet")
  /// The program that talks on the session bus.
  static let secretService = OtherProgram(name: "vaultctl-secret-service")

  /// The folders that may have it, from that of this program's own file.
  private static let folders = ["", "../libexec/"]

  let name: String
  /// The Debian package with it.
  let package: String

  private init(name: String, package: String? = nil) {
    (self.name, self.package) = (name, package ?? name)
  }

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
    if let path = path() { return path }
    throw VaultError(
      .unavailable,
      "\(invocation.command.name) needs \(name), which is neither beside this program nor in"
        + " ../libexec (the package \(package))")
  }

  private func path() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // It writes no more than there is room for; a literal, which ends with NUL.
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let slash = own.lastIndex(of: "/") else { return nil }
    // The path is a C string during the call.
    return Self.folders.map { own[...slash] + $0 + name }.first { unsafe access($0, X_OK) == 0 }
  }
}
