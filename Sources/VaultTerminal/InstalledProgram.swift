import CredentialVault
import Glibc
package import VaultModel
package import VaultStore

/// The programs on the user's PATH.
package enum InstalledProgram {
  /// Returns the path of a program; nil if no absolute folder of `$PATH` has it.
  package static func path(of program: String) -> String? {
    for folder in (Environment.value("PATH") ?? "/usr/bin:/bin").split(separator: ":") {
      let path = "\(folder)/\(program)"
      // Not the current folder, where anybody may have put it. A C string during the call.
      if folder.hasPrefix("/"), unsafe access(path, X_OK) == 0 { return path }
    }
    return nil
  }

  /// Returns the path of a program.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed.
  package static func requirePath(of program: String) throws(VaultError) -> String {
    if let path = path(of: program) { return path }
    throw VaultError(.unavailable, "\(program) is not installed")
  }
}

extension ChildProcess {
  /// Starts a program that is found in an absolute folder of the PATH.
  ///
  /// - Throws: ``VaultError/Code/unavailable`` if it is not installed or cannot be started.
  package init(
    _ words: [String], input: Stream = .none, output: Stream = .none, errors: Stream = .none,
    leadsGroup: Bool = false
  ) throws(VaultError) {
    try self.init(
      words, at: InstalledProgram.requirePath(of: words[0]), input: input, output: output,
      errors: errors, leadsGroup: leadsGroup)
  }
}
