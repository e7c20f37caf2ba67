import CProcess
import Glibc
import VaultModel
import VaultTerminal

/// `vaultctl-tls`, which runs the commands that need libcrypto.
///
/// The program of every day has no parser of strangers' certificates in it.
enum TLSProgram {
  static let name = "vaultctl-tls"

  /// The folders that may have it, from that of this program's own file.
  private static let folders = ["", "../libexec/"]

  /// Becomes that program, with the arguments and variables of this one.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed or cannot be started.
  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    guard let path = path() else {
      throw VaultError(
        .unavailable,
        "\(invocation.command.name) needs \(name), which is neither beside this program nor in"
          + " ../libexec (the package \(name))")
    }
    ProcessHardening.restore()
    // The system's own argv and environment, which nobody changes.
    unsafe execve(path, CommandLine.unsafeArgv, vaultctl_environment())
    throw VaultError(.unavailable, path, underlying: .errno(errno))
  }

  private static func path() -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    // It writes no more than there is room for; a literal, which ends with NUL.
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    guard count > 0, count < buffer.count else { return nil }
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let slash = own.lastIndex(of: "/") else { return nil }
    // The path is a C string during the call.
    return folders.map { own[...slash] + $0 + name }.first { unsafe access($0, X_OK) == 0 }
  }
}
