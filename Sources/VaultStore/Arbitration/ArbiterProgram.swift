import Glibc
import SecureMemory
import VaultCrypto
import VaultModel

/// The arbiter that another program is: the one of the fleet, which has a server's library that no
/// other program needs.
///
/// It runs while the vault is open, and ends with it. It gets the vault's path and sealed rows,
/// never a key. Its own limits of time end its answers.
final class ArbiterProgram: Arbiter {
  private struct State: Sendable {
    /// Used under the lock alone.
    nonisolated(unsafe) var running: Running?

    /// Runs `body` with the program, which is nil after it has ended or answered otherwise.
    mutating func ask<R>(
      _ body: (ArbiterStream) throws(VaultError) -> R
    ) throws(VaultError) -> R {
      // The caller holds the lock.
      guard let program = unsafe running else {
        throw VaultError(.internalError, "there is no program")
      }
      do throws(VaultError) {
        return try body(program.stream)
      } catch {
        // An error of its own comes as a whole; after any other, its answers are in disorder.
        if !program.stream.isOrderly { unsafe running = nil }
        throw error
      }
    }
  }

  private let path: VaultPath
  private let words: [String]
  private let state = Lock(State())

  /// - Parameters:
  ///   - path: The path of the replica.
  ///   - vault: Its id.
  ///   - lockTimeout: The limit of waiting for other writers.
  init(_ path: VaultPath, of vault: VaultID, lockTimeout: Duration) {
    self.path = path
    words = [
      Self.name, "order", path.path, vault.hex, "\(Int64(lockTimeout / .milliseconds(1)))",
    ]
  }

  /// The program, of the package of the same name.
  static let name = "vaultctl-fleet"

  // MARK: Program

  /// Runs `body` with the program; a new one if there is none, or it has ended since.
  ///
  /// - Parameters:
  ///   - isRepeated: Whether a program that has ended since its last answer is replaced.
  ///   - body: Asks it.
  /// - Returns: The result of `body`.
  /// - Throws: The errors of `body`; ``VaultError/Code/unavailable`` if no program can be started.
  private func running<R: Sendable>(
    isRepeated: Bool = true, _ body: (ArbiterStream) throws(VaultError) -> R
  ) throws(VaultError) -> R {
    try state.withLock { (state) throws(VaultError) in
      // The program is touched under the lock alone.
      let isKnown = unsafe state.running != nil
      if !isKnown { unsafe state.running = try start() }
      do throws(VaultError) {
        return try state.ask(body)
      } catch {
        guard isKnown, isRepeated, unsafe state.running == nil else { throw error }
        unsafe state.running = try start()
        return try state.ask(body)
      }
    }
  }

  private func start() throws(VaultError) -> Running {
    guard let program = LibexecProgram.path(of: Self.name) else {
      throw VaultError(
        .unavailable,
        "\(path.path) is a replica of a fleet's vault: to write it needs \(Self.name), which is"
          + " neither beside this program nor in libexec (the package \(Self.name))")
    }
    return try Running(words, at: program)
  }

  /// A program that runs, which ends with this object.
  private final class Running {
    let stream: ArbiterStream
    private let process: ChildProcess
    private let socket: Int32

    init(_ words: [String], at path: String) throws(VaultError) {
      var ends: [Int32] = [-1, -1]
      // Two descriptors into an array of two; no program gets them but as its standard streams.
      guard
        unsafe socketpair(
          AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0
      else { throw VaultError(.unavailable, "a socket", underlying: .errno(errno)) }
      defer { Glibc.close(ends[1]) }
      do throws(VaultError) {
        // A group of its own: Ctrl-C ends what the user sees, and that one ends this.
        process = try ChildProcess(
          words, at: path, input: .descriptor(ends[1]), output: .descriptor(ends[1]),
          errors: .inherited, leadsGroup: true)
      } catch {
        Glibc.close(ends[0])
        throw error
      }
      socket = ends[0]
      stream = ArbiterStream(input: socket, output: socket)
    }

    deinit {
      Glibc.close(socket)
      do throws(VaultError) {
        _ = try process.end(within: .seconds(2))
      } catch {
        // It was killed; or somebody else waited for it, as a program that waits for all does.
      }
    }
  }

  // MARK: Arbiter

  func rows(after generation: UInt64) throws(VaultError) -> RowDelta {
    try running { (stream) throws(VaultError) in
      try stream.ask(.rows, after: generation)
      return try stream.takeDelta()
    }
  }

  func opening() throws(VaultError) -> RowDelta {
    try running { (stream) throws(VaultError) in
      try stream.ask(.opening)
      return try stream.takeDelta()
    }
  }

  func copy(
    head: (RowDelta) throws(VaultError) -> Void, row: (RowDelta.Entry) throws(VaultError) -> Void
  ) throws(VaultError) {
    try running(isRepeated: false) { (stream) throws(VaultError) in
      try stream.ask(.copy)
      try stream.takeRows(head: head, row: row)
    }
  }

  func begin(after generation: UInt64) throws(VaultError) -> RowDelta {
    try running { (stream) throws(VaultError) in
      try stream.ask(.begin, after: generation)
      return try stream.takeDelta()
    }
  }

  func keepLock() throws(VaultError) {
    try running(isRepeated: false) { (stream) throws(VaultError) in
      try stream.ask(.keepLock)
      try stream.takeEnd()
    }
  }

  func commit(_ delta: RowDelta) throws(VaultError) {
    try send(.commit, delta)
  }

  func publish(_ vault: RowDelta) throws(VaultError) {
    try send(.publish, vault)
  }

  /// Sends rows to be stored.
  private func send(_ kind: ArbiterStream.Kind, _ delta: RowDelta) throws(VaultError) {
    try running(isRepeated: false) { (stream) throws(VaultError) in
      try stream.ask(kind, storing: delta)
      do throws(VaultError) {
        try stream.takeEnd()
      } catch {
        // All of it was on its way, and may be stored.
        throw stream.isOrderly ? error : VaultError(.outcomeUnknown, error.context)
      }
    }
  }

  func abandon() {
    do throws(VaultError) {
      try state.withLock { (state) throws(VaultError) in
        // The program is touched under the lock alone.
        guard unsafe state.running != nil else { return }
        try state.ask { (stream) throws(VaultError) in
          try stream.ask(.abandon)
          try stream.takeEnd()
        }
      }
    } catch {
      // It has ended, and with it the lock.
    }
  }
}
