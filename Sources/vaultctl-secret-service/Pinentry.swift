import VaultTerminal
import CredentialVault
import Glibc
import SecretService
import SecureMemory
import VaultModel
import VaultStore

/// A pinentry that runs as a child, and is read when it has said something.
final class Pinentry {
  private let child: ChildProcess
  private let input: Int32
  private let output: Int32
  private var dialogue: PinentryDialogue

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - path: The vault's path.
  ///   - requester: The program that wants it to be unlocked.
  /// - Throws: ``VaultError/Code/unavailable`` if there is none.
  init(forVaultAt path: String, by requester: Requester) throws(VaultError) {
    let options = [("GPG_TTY", "ttyname"), ("TERM", "ttytype"), ("LC_CTYPE", "lc-ctype")]
      .compactMap { variable, option in Environment.value(variable).map { "\(option)=\($0)" } }
    dialogue = PinentryDialogue(
      forVaultAt: path, by: requester.name, rememberedFor: Self.remembering(), options: options)
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

  /// The descriptor on which its answers come.
  var descriptor: Int32 { output }

  /// Reads what it has said and answers it.
  ///
  /// - Returns: The passphrase or the end, if that is what it said; nil to go on.
  func proceed() -> PinentryDialogue.Step? {
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
      case .send(let line): guard send(line) else { return .ended }
      case .passphrase, .ended: return step
      }
    }
    return isAtEnd ? .ended : nil
  }

  /// Asks again after a wrong passphrase.
  func askAgain() -> Bool { send(dialogue.again()) }

  private func send(_ line: String) -> Bool {
    let bytes = Array(line.utf8)
    // A line is shorter than a pipe is large, and the program has answered the one before.
    return unsafe write(input, bytes, bytes.count) == bytes.count
  }
}

extension Requester {
  /// The name that a person may know, which is what the program itself says; nil if there is none.
  fileprivate var name: String? {
    switch self {
    case .application(let id): return id
    case .unknown: return nil
    case .process(let number):
      // The kernel's short name, because arguments may hold secrets. The path is a C string during
      // the call.
      let descriptor = unsafe open("/proc/\(number)/comm", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var bytes = [UInt8](repeating: 0, count: 64)
      // The array is ours, and as long as is said.
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 1 else { return nil }
      return "\(String(decoding: bytes.prefix(count - 1), as: UTF8.self)) (process \(number))"
    }
  }
}
