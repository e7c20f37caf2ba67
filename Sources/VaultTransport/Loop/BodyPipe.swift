import HTTPAuthentication
import SecureMemory
import VaultModel

/// The response of a transfer on its way from libcurl's thread to the task that reads it.
final class BodyPipe: Sendable {
  private struct State {
    var head: TransferHead?
    /// The part of the body that is not read.
    var bytes: [UInt8] = []
    var end: Result<Void, TransferFailure>?
    /// Whether libcurl waits until ``bytes`` are taken.
    var isPaused = false
    /// Whether nobody reads the body.
    var isDiscarding = false
    var waiters: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Lock(State())
  private let capacity: Int

  init(capacity: Int) {
    self.capacity = capacity
  }

  // MARK: libcurl's side

  /// Takes the head of the response.
  func begin(_ head: TransferHead) { state.withLock { $0.head = head } }

  /// Takes a part of the body, or refuses it until the reader has taken what there is.
  func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      if state.isDiscarding { return true }
      guard state.bytes.isEmpty || state.bytes.count + bytes.count <= capacity else {
        state.isPaused = true
        return false
      }
      // Read before the call returns.
      unsafe state.bytes.append(contentsOf: bytes)
      return true
    }
  }

  /// Whether libcurl waits for the reader.
  var isPaused: Bool { state.withLock(\.isPaused) }

  var hasEnded: Bool { state.withLock { $0.end != nil } }

  /// Ends the response; only the first end counts.
  func end(_ result: Result<Void, TransferFailure>) {
    state.withLock { $0.end = $0.end ?? result }
    wake()
  }

  /// Lets the readers look again.
  func wake() {
    let waiters = state.withLock { state in
      defer { state.waiters.removeAll(keepingCapacity: true) }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: The reader's side

  /// The state that a reader finds.
  enum Found {
    case bytes([UInt8], wasPaused: Bool)
    case end(Result<Void, TransferFailure>)
  }

  /// Waits for the head of the response.
  ///
  /// - Throws: The failure of a transfer that ended before.
  func head() async throws(TransferFailure) -> TransferHead {
    while true {
      let (head, end) = state.withLock { ($0.head, $0.end) }
      if let head { return head }
      if let end {
        try end.get()
        throw .unfinished
      }
      await wait { $0.head != nil }
    }
  }

  /// Waits for all that there is of the body, or its end.
  func next() async -> Found {
    while true {
      let found: Found? = state.withLock { state in
        if !state.bytes.isEmpty {
          defer { (state.bytes, state.isPaused) = ([], false) }
          return .bytes(state.bytes, wasPaused: state.isPaused)
        }
        return state.end.map { .end($0) }
      }
      if let found { return found }
      await wait { !$0.bytes.isEmpty }
    }
  }

  /// Drops what is there, and what comes, and waits for the end.
  func discard() { state.withLock { ($0.isDiscarding, $0.bytes, $0.isPaused) = (true, [], false) } }

  /// Waits for the end of a response that is discarded.
  func ended() async {
    while !hasEnded { await wait { _ in false } }
  }

  /// Waits until something has changed, unless a condition holds or the response has ended.
  private func wait(unless isSo: @escaping @Sendable (borrowing State) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if isSo(state) || state.end != nil { return true }
        state.waiters.append(continuation)
        return false
      }
      if isReady { continuation.resume() }
    }
  }
}

/// The head of a response, as libcurl's thread reads it.
struct TransferHead: Sendable {
  var head: ResponseHead
  var version: String
  var expectedLength: Int64?
  /// Counts the connections of its partition, from 1.
  var connection: UInt32 = 0
}
