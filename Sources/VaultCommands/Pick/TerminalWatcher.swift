import VaultTerminal
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// A second process that erases the terminal if this one is killed while it shows the picker.
///
/// Nothing runs in a process that gets SIGKILL, and a secret that it had revealed would stay on the
/// terminal. The second one waits for its end, in a group of its own, and holds no secret.
final class TerminalWatcher {
  private let writeEnd: Int32

  /// - Parameter descriptor: The terminal.
  /// - Throws: ``VaultError/Code/unavailable`` if it cannot be started.
  init(_ descriptor: Int32) throws(VaultError) {
    let pipe = try ChildPipe()
    defer { close(pipe.readEnd) }
    do throws(VaultError) {
      _ = try ChildProcess(
        ["vaultctl", CommandName.watchTerminal.rawValue], at: "/proc/self/exe",
        input: .descriptor(pipe.readEnd), output: .descriptor(descriptor), leadsGroup: true)
    } catch {
      close(pipe.writeEnd)
      throw error
    }
    writeEnd = pipe.writeEnd
  }

  /// Ends the second process, which then leaves the terminal alone.
  func end() {
    do throws(VaultError) {
      try Descriptor.write("x", to: writeEnd)
    } catch {
      // It has ended already.
    }
    close(writeEnd)
  }
}

/// `vaultctl watch-terminal`: what the picker starts by itself.
enum WatchTerminalCommand {
  static let command = Command(
    id: .watchTerminal, operands: .none, summary: "erase the terminal after a picker is killed",
    example: "vaultctl watch-terminal",
    details: [
      "Waits for the end of standard input, and erases the terminal that is standard output if"
        + " nothing came."
    ],
    groups: [.plain], isHidden: true, hasProtocol: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    // It outlives the keys and signals that end the picker, and may change the terminal from its
    // background.
    for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGTSTP, SIGTTOU] { signal(number, SIG_IGN) }
    guard isatty(STDOUT_FILENO) == 1 else { return .success }
    let input = try SecretInput.readAll(from: STDIN_FILENO, limit: 1)
    if input.count == 0 { try FullScreen.erase(STDOUT_FILENO) }
    return .success
  }
}
