import SecureMemory

/// A body that a sequence makes, with a task that keeps a few pieces ahead of libcurl.
// Proof: all of it that changes is in the lock.
final class StreamSource: UploadSource, @unchecked Sendable {
  private struct State {
    var bytes: [UInt8] = []
    var position = 0
    var hasEnded = false
    var error: (any Error)?
    /// The transfer that waits for bytes.
    var waiting: Transfer?
    /// Resumes the task, which waits for room.
    var maker: CheckedContinuation<Void, Never>?
    var task: Task<Void, Never>?
    /// Counts the beginnings: a task of an earlier one has nothing more to say.
    var round = 0
  }

  private let count: Int64?
  private let open: @Sendable () async throws -> TransportBody.BodyPieces
  private let loop: TransportLoop
  private let state = Lock(State())

  /// The length in bytes that the task keeps ahead.
  private static let room = 1 << 17

  init(
    length: Int64?, on loop: TransportLoop,
    open: @escaping @Sendable () async throws -> TransportBody.BodyPieces
  ) {
    count = length
    self.open = open
    self.loop = loop
    begin()
  }

  var length: Int64? { count }
  var error: (any Error)? { state.withLock(\.error) }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, for transfer: Transfer
  ) -> UploadPiece {
    let (piece, maker): (UploadPiece, CheckedContinuation<Void, Never>?) = state.withLock { state in
      if state.error != nil { return (.failed, nil) }
      let count = min(buffer.count, state.bytes.count - state.position)
      guard count > 0 || state.hasEnded else {
        state.waiting = transfer
        return (.later, state.maker.take())
      }
      // No more than both have.
      unsafe buffer.copyBytes(from: state.bytes[state.position..<state.position + count])
      state.position += count
      guard state.position == state.bytes.count else { return (.bytes(count), nil) }
      (state.bytes, state.position) = ([], 0)
      return (.bytes(count), state.maker.take())
    }
    maker?.resume()
    return piece
  }

  func rewind() {
    stop()
    begin()
  }

  func stop() {
    let (task, maker) = state.withLock { state in
      state.round += 1
      state.waiting = nil
      return (state.task.take(), state.maker.take())
    }
    task?.cancel()
    maker?.resume()
  }

  private func begin() {
    let round = state.withLock { state in
      (state.bytes, state.position, state.hasEnded, state.error) = ([], 0, false, nil)
      return state.round
    }
    let task = Task { [self] in
      do {
        for try await piece in try await open() {
          guard await add(piece, round) else { return }
        }
        tell(round) { $0.hasEnded = true }
      } catch {
        tell(round) { $0.error = error }
      }
    }
    state.withLock { if $0.round == round { $0.task = task } }
  }

  /// Adds a piece, and waits until there is room for another.
  ///
  /// - Returns: Whether anybody wants more.
  private func add(_ piece: [UInt8], _ round: Int) async -> Bool {
    tell(round) { $0.bytes += piece }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        guard state.round == round, state.bytes.count - state.position >= Self.room else {
          return true
        }
        state.maker = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
    return state.withLock { $0.round == round }
  }

  /// Changes the state, and resumes the transfer that waits for it.
  private func tell(_ round: Int, _ change: (inout State) -> Void) {
    let transfer: Transfer? = state.withLock { state in
      guard state.round == round else { return nil }
      change(&state)
      return state.waiting.take()
    }
    if let transfer { loop.send(.resume(transfer)) }
  }
}

extension TransportBody {
  /// Opens the body for one attempt; nil if there is none.
  ///
  /// - Throws: As ``FileSource/init(path:)``.
  func source(on loop: TransportLoop, method: String) throws -> (any UploadSource)? {
    switch self {
    // Methods that are for a body have an empty one, so that its length is sent.
    case .none: ["POST", "PUT", "PATCH"].contains(method) ? BytesSource([]) : nil
    case .bytes(let bytes): BytesSource(bytes)
    case .file(let path): try FileSource(path: path)
    case .stream(let length, let open): StreamSource(length: length, on: loop, open: open)
    }
  }
}
