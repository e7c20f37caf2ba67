import Foundation
import ProgramTesting
import SecureMemory
import Synchronization

/// The program `VaultTestDriver` as a child process that is killed, stopped or listened to.
package final class DriverProcess: Sendable {
  package enum Ending: Equatable, Sendable {
    case exited(Int32)
    case killed(signal: Int32)
    case stopped
  }

  private let process: pid_t
  private let isOver = Atomic(false)
  private let input: Int32
  private let output: Int32

  /// Starts the program.
  ///
  /// - Parameters:
  ///   - command: The command to run.
  ///   - arguments: As `name=value`.
  ///   - environment: All of its environment, beside what every program of a test has.
  /// - Throws: `POSIXError` if it cannot be started.
  package init(
    _ command: String, _ arguments: [String: String], environment: [String: String] = [:]
  ) throws {
    let words = [Self.path, command] + arguments.map { "\($0)=\($1)" }
    let variables = ProgramEnvironment.common.merging(environment) { $1 }.map { "\($0)=\($1)" }
    (process, input, output) = try Self.spawning.withLock { _ in
      try Self.spawn(words, variables)
    }
  }

  /// Held while a child is started: a child must not inherit another child's pipe, which would then
  /// never end.
  ///
  /// No state is needed; but one of no size has the lock's own address, and ThreadSanitizer reports
  /// a race.
  private static let spawning = Lock(0)

  private static func spawn(
    _ words: [String], _ variables: [String]
  ) throws -> (process: pid_t, input: Int32, output: Int32) {
    let input = try pipe()
    let output = try pipe()
    defer {
      close(input.read)
      close(output.write)
    }
    // Actions and attributes live until the process was made; the strings are freed at the end.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input.read, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output.write, 1)
    // A thread of libdispatch blocks signals, which its child would inherit: it could not be ended.
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe posix_spawnattr_setsigmask(&attributes, &none)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var argv = unsafe words.map { unsafe strdup($0) } + [nil]
    var envp = unsafe variables.map { unsafe strdup($0) } + [nil]
    defer {
      for index in unsafe argv.indices { unsafe free(argv[index]) }
      for index in unsafe envp.indices { unsafe free(envp[index]) }
    }
    var process: pid_t = 0
    let status = unsafe posix_spawn(&process, path, &actions, &attributes, &argv, &envp)
    guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
    return (process, input.write, output.read)
  }

  deinit {
    close(input)
    close(output)
    // A child that nobody waited for would keep Swift Testing's exit tests from seeing theirs end.
    guard !isOver.load(ordering: .relaxed) else { return }
    kill(process, SIGKILL)
    var status: Int32 = 0
    // The child of this object, waited for once.
    while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
  }

  /// The program's path, beside the program that runs the tests.
  private static let path: String = {
    let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return own.deletingLastPathComponent().appending(path: "VaultTestDriver").path
  }()

  private static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    // Two descriptors are written.
    guard unsafe Glibc.pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Returns the next line of the output, or nil when it is over.
  package func line() -> String? {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    // One byte is read into one byte.
    while unsafe read(output, &byte, 1) == 1 {
      guard byte != UInt8(ascii: "\n") else { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
    }
    return nil
  }

  /// Returns all remaining lines of the output.
  package func lines() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    return lines
  }

  /// Writes a line to the program's input.
  package func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    // The buffer is as long as what is written; how the child ended shows whether it was gone.
    _ = unsafe bytes.withUnsafeBytes { unsafe write(input, $0.baseAddress, $0.count) }
  }

  package func signal(_ number: Int32) {
    kill(process, number)
  }

  /// Waits until it ends or is stopped.
  package func wait() -> Ending {
    var status: Int32 = 0
    // A child of this process that nobody else waits for.
    while unsafe waitpid(process, &status, WUNTRACED) < 0, errno == EINTR {}
    if status & 0xFF == 0x7F { return .stopped }
    isOver.store(true, ordering: .relaxed)
    return status & 0x7F == 0 ? .exited(status >> 8 & 0xFF) : .killed(signal: status & 0x7F)
  }
}
