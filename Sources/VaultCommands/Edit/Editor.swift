import ChildPrograms
import CredentialVault
import Glibc
import VaultModel

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
