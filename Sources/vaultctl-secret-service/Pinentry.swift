import CProcess
import Glibc
import SecretService
import SecureMemory
import VaultModel

/// A pinentry that runs as a child, and is read when it has said something.
final class Pinentry {
  private let identifier: pid_t
  private let input: Int32
  private let output: Int32
  private var dialogue: PinentryDialogue

  /// Starts the program.
  ///
  /// - Parameter path: The vault's path.
  /// - Throws: ``VaultError/Code/unavailable`` if there is none.
  init(forVaultAt path: String) throws(VaultError) {
    let options = [("GPG_TTY", "ttyname"), ("TERM", "ttytype"), ("LC_CTYPE", "lc-ctype")]
      .compactMap { variable, option in Self.variable(variable).map { "\(option)=\($0)" } }
    dialogue = PinentryDialogue(forVaultAt: path, options: options)
    var descriptors = try Self.pipe()
    // Those of the child; all, if there is no child.
    defer { for descriptor in descriptors { close(descriptor) } }
    descriptors += try Self.pipe()
    identifier = try Self.spawn(
      Self.variable("VAULTCTL_PINENTRY") ?? "pinentry", descriptors[0], descriptors[3])
    (input, output) = (descriptors[1], descriptors[2])
    descriptors = [descriptors[0], descriptors[3]]
  }

  deinit {
    close(input)
    close(output)
    // One that waits for the user ends now, with what it has started: it leads a group of its own,
    // and is waited for here alone, so that the number is still its own.
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    _ = unsafe waitpid(identifier, &status, 0)
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

  /// Returns the two ends of a pipe, which only the child that is given one inherits.
  private static func pipe() throws(VaultError) -> [Int32] {
    var ends: [Int32] = [-1, -1]
    // It is given two descriptors.
    guard unsafe Glibc.pipe(&ends) == 0 else {
      throw VaultError(.unavailable, "no pipe", underlying: .errno(errno))
    }
    // No other thread starts a program.
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return ends
  }

  private static func spawn(
    _ program: String, _ input: Int32, _ output: Int32
  ) throws(VaultError) -> pid_t {
    // Both are initialised below, and used by nobody else.
    var actions = unsafe posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    unsafe posix_spawn_file_actions_init(&actions)
    unsafe posix_spawnattr_init(&attributes)
    defer {
      unsafe posix_spawn_file_actions_destroy(&actions)
      unsafe posix_spawnattr_destroy(&attributes)
    }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    var (reset, blocked) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&reset)
    unsafe sigemptyset(&blocked)
    unsafe sigaddset(&reset, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &reset)
    unsafe posix_spawnattr_setsigmask(&attributes, &blocked)
    unsafe posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // The copies live until the spawn is over, and are freed once.
    var words = unsafe [strdup(program), nil]
    var variables = unsafe environment().map { unsafe strdup($0) } + [nil]
    defer { unsafe (words + variables).forEach { text in unsafe free(text) } }
    var identifier: pid_t = 0
    let status = unsafe posix_spawnp(
      &identifier, program, &actions, &attributes, &words, &variables)
    guard status == 0 else {
      throw VaultError(.unavailable, program, underlying: .errno(status))
    }
    return identifier
  }

  /// Returns the environment without the variables of the vault, one of which may be a secret.
  private static func environment() -> [String] {
    var entries: [String] = []
    // The system's own array, which ends with nil and which nobody changes.
    guard var entry = unsafe vaultctl_environment() else { return [] }
    while let text = unsafe entry.pointee {
      let variable = unsafe String(cString: text)
      if !variable.hasPrefix("VAULTCTL_") { entries.append(variable) }
      unsafe entry += 1
    }
    return entries
  }

  static func variable(_ name: String) -> String? {
    // Copied at once; nobody sets variables.
    guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
    return unsafe String(cString: value)
  }
}
