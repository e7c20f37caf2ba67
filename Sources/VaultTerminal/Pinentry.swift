import CredentialVault
import Glibc
public import SecureMemory
public import VaultModel
import VaultStore

/// A pinentry that asks for a vault's passphrase as a child, and is read when it has said
/// something, so that its program goes on meanwhile.
///
/// It is `$VAULTCTL_PINENTRY`, else `pinentry`.
public final class Pinentry {
  /// The end of the asking.
  public enum Answer: Sendable {
    case passphrase(Secret)
    /// The person closed the prompt, or the program does not do what is asked.
    case none
  }

  private let child: ChildProcess
  private let input: Int32
  private let output: Int32
  private var dialogue: PinentryDialogue

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - path: The vault's path, for the person.
  ///   - requester: The program that wants it to be unlocked, for the person; nil if it is not
  ///     known.
  /// - Throws: ``VaultError/Code/unavailable`` if there is none.
  public init(forVaultAt path: String, by requester: String?) throws(VaultError) {
    let options = [("GPG_TTY", "ttyname"), ("TERM", "ttytype"), ("LC_CTYPE", "lc-ctype")]
      .compactMap { variable, option in Environment.value(variable).map { "\(option)=\($0)" } }
    dialogue = PinentryDialogue(
      forVaultAt: path, by: requester, rememberedFor: Self.remembering(), options: options)
    let toChild = try ChildPipe()
    // The child's ends, or all if there is no child.
    var unused = [toChild.readEnd, toChild.writeEnd]
    defer { for descriptor in unused { close(descriptor) } }
    let fromChild = try ChildPipe()
    unused += [fromChild.readEnd, fromChild.writeEnd]
    let program = Environment.value("VAULTCTL_PINENTRY") ?? "pinentry"
    child = try ChildProcess(
      [program],
      at: program.hasPrefix("/") ? program : InstalledProgram.requirePath(of: program),
      input: .descriptor(toChild.readEnd), output: .descriptor(fromChild.writeEnd),
      errors: .inherited, leadsGroup: true)
    (input, output) = (toChild.writeEnd, fromChild.readEnd)
    unused = [toChild.readEnd, fromChild.writeEnd]
  }

  /// How long the kernel remembers the key afterwards; nil for not at all, or if that is not known.
  private static func remembering() -> RememberedTime? {
    do throws(VaultError) {
      try RememberedKey.require()
      return try RememberedTime.afterDesktopPrompt()
    } catch {
      return nil
    }
  }

  deinit {
    close(input)
    close(output)
    // One that waits for the user ends now, with what it has started.
    child.kill()
  }

  /// The descriptor on which its answers come; it is this object's.
  public var descriptor: Int32 { output }

  /// Reads what it has said and answers it, when ``descriptor`` can be read.
  ///
  /// - Returns: Nil until the asking has ended.
  public func proceed() -> Answer? {
    var isAtEnd = false
    let steps = unsafe dialogue.receive { memory in
      // Into the buffer, as much as there is room for.
      let count = unsafe read(output, memory.baseAddress, memory.count)
      isAtEnd = count <= 0
      return count
    }
    for step in steps {
      switch step {
      case .wait: continue
      case .send(let line): guard send(line) else { return Answer.none }
      case .passphrase(let passphrase): return .passphrase(passphrase)
      case .ended: return Answer.none
      }
    }
    return isAtEnd ? Answer.none : nil
  }

  /// Asks again after a wrong passphrase; returns false if the program has gone.
  public func askAgain() -> Bool { send(dialogue.again()) }

  private func send(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    // A line is shorter than a pipe is large, and the program has answered the one before.
    return unsafe write(input, bytes, bytes.count) == bytes.count
  }
}

// It is of one thread: it reads and answers as its program calls.
@available(*, unavailable)
extension Pinentry: Sendable {}
