import VaultTerminal
import CredentialVault
import Glibc
import SecureMemory
import VaultModel
import VaultStore

/// `vaultctl clear-clipboard`: what copy starts by itself, to clear the clipboard later.
///
/// It is a new program, because a forked one would have a copy of the secret.
enum ClearClipboardCommand {
  static let command = Command(
    id: .clearClipboard,
    operands: Command.Operands(
      synopsis: "desktop|terminal SECONDS", count: 2...2, words: ["desktop", "terminal"]),
    summary: "clear the clipboard later", example: "vaultctl clear-clipboard desktop 45",
    details: [
      "desktop clears it if it has what a hash on standard input says, and terminal clears that of"
        + " the terminal that is standard input."
    ],
    groups: [.plain], isHidden: true, hasProtocol: true, run: run)

  static func run(_ invocation: Invocation) throws(VaultError) -> ExitCode {
    let operands = invocation.arguments.operands
    let delay = try Values.wait(operands[1])
    // Those that are still there, and their terminal, are the session's that called copy.
    let session = getsid(0)
    // It survives the end of the terminal and its processes, and keeps no folder in use.
    setsid()
    signal(SIGHUP, SIG_IGN)
    // A literal, which ends with NUL.
    _ = unsafe chdir("/")
    switch operands[0] {
    case "desktop": try clearDesktop(after: delay)
    case "terminal":
      // An open terminal would outlive its last program.
      wait(delay) { kill(session, 0) == 0 || errno == EPERM }
      try TerminalClipboard(descriptor: STDIN_FILENO).clear()
    default: throw command.needsChoice
    }
    return .success
  }

  private static func clearDesktop(after delay: Duration) throws(VaultError) {
    // The input ends when the secret has been copied, or the process that copies it has ended.
    let input = try SecretInput.readAll(from: STDIN_FILENO, limit: SecretDigest.count)
    // The bytes are a hash, and no secret.
    guard let digest = SecretDigest(input.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    else {
      throw VaultError(.invalidData, "standard input is not a hash that copy wrote")
    }
    let clipboard = try DesktopClipboard()
    wait(delay) { true }
    // A program that hangs must not keep this one alive.
    alarm(600)
    // Tried again if its program fails: otherwise a moment of load would leave the secret there.
    var attemptsLeft = 5
    while true {
      do throws(VaultError) {
        _ = try clipboard.clear(ifIs: digest)
        return
      } catch {
        attemptsLeft -= 1
        guard attemptsLeft > 0 else { throw error }
        sleep(1)
      }
    }
  }

  /// Waits, but no longer than a condition holds, which is asked each second.
  private static func wait(_ delay: Duration, while goesOn: () -> Bool) {
    let end = ContinuousClock.now + delay
    while ContinuousClock.now < end, goesOn() {
      let left = (end - ContinuousClock.now).components
      let microseconds = left.seconds > 0 ? 1_000_000 : left.attoseconds / 1_000_000_000_000
      usleep(UInt32(clamping: max(1, microseconds)))
    }
  }
}

/// A clipboard that can be cleared later.
protocol Clipboard {
  /// Replaces the content.
  func copy(_ secret: Secret) throws(VaultError)

  /// Replaces the content, and starts this program again to clear it later.
  ///
  /// The program is started first: if that fails, nothing is copied.
  func copy(_ secret: Secret, clearedAfter delay: Duration) throws(VaultError)
}

extension Clipboard {
  /// Starts the program that clears the clipboard, with its standard input.
  func startClearing(
    _ kind: String, after delay: Duration, input descriptor: Int32
  ) throws(VaultError) {
    let parts = delay.components
    let seconds = Double(parts.seconds) + Double(parts.attoseconds) / 1e18
    _ = try ChildProcess(
      ["vaultctl", CommandName.clearClipboard.rawValue, kind, "\(seconds)"], at: "/proc/self/exe",
      input: .descriptor(descriptor))
  }
}
