import Glibc
import VaultModel

/// The body of a response, in pieces as they arrive.
///
/// It is read once: all of its iterators take from one transfer, which is cancelled if the body
/// is released before its end.
public struct ResponseBody: AsyncSequence, Sendable {
  /// A piece: at least one byte, and at most what is buffered.
  public typealias Element = [UInt8]
  /// The errors of the transfer are those of ``Transport/send(_:)->TransportResponse``.
  public typealias Failure = any Error

  /// Cancels the transfer when nobody can read it any more.
  private final class Owner: Sendable {
    let transfer: Transfer
    let loop: TransportLoop

    init(_ transfer: Transfer, _ loop: TransportLoop) {
      self.transfer = transfer
      self.loop = loop
    }

    deinit {
      if !transfer.isEnded { loop.send(.cancel(transfer)) }
    }
  }

  /// Nil for a body of which there is nothing.
  private let owner: Owner?

  init(_ transfer: Transfer?, on loop: TransportLoop?) {
    owner = if let transfer, let loop { Owner(transfer, loop) } else { nil }
  }

  /// The reader of a body.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    fileprivate let body: ResponseBody

    /// Returns the next piece, or nil at the end.
    ///
    /// - Throws: The errors of ``Transport/send(_:)->TransportResponse``.
    public mutating func next() async throws -> [UInt8]? { try await body.next() }
  }

  /// Returns a reader, which continues where the last one stopped.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: self) }

  private func next() async throws -> [UInt8]? {
    guard let owner else { return nil }
    let (transfer, loop) = (owner.transfer, owner.loop)
    let found = await withTaskCancellationHandler {
      await transfer.pipe.next()
    } onCancel: {
      loop.send(.cancel(transfer))
    }
    switch found {
    case .bytes(let bytes, let wasPaused):
      if wasPaused { loop.send(.resume(transfer)) }
      return bytes
    case .end(.success): return nil
    case .end(.failure(let failure)): throw failure.error
    }
  }

  /// Reads the rest into memory.
  ///
  /// - Parameter limit: The length in bytes that is accepted.
  /// - Returns: The bytes; none if there are none left.
  /// - Throws: ``VaultModel/VaultError/Code/tooLarge`` for a longer one; else as
  ///   ``Transport/send(_:)->TransportResponse``.
  public func collect(upTo limit: Int = .max) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    while let piece = try await next() {
      guard piece.count <= limit - bytes.count else {
        throw VaultError(.tooLarge, "response: more than \(limit) bytes")
      }
      if bytes.isEmpty { bytes = piece } else { bytes += piece }
    }
    return bytes
  }

  /// Reads the rest into a new file of mode 0600, which is removed if that fails.
  ///
  /// - Throws: ``VaultModel/VaultError/Code/cannotCreate``,
  ///   ``VaultModel/VaultError/Code/inputOutput``; else as
  ///   ``Transport/send(_:)->TransportResponse``.
  public func write(toNewFile path: String) async throws {
    // A C string for the call.
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw VaultError(.cannotCreate, "create \(path)", underlying: .errno(errno))
    }
    do {
      while let piece = try await next() { try Self.write(piece, to: descriptor, path) }
      guard close(descriptor) == 0 else { throw Self.failure(path) }
    } catch {
      // The descriptor may be closed already; nobody else had its number since.
      close(descriptor)
      _ = unsafe unlink(path)
      throw error
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
    var position = 0
    while position < bytes.count {
      // The bytes are read during the call.
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      guard count > 0 else {
        guard errno == EINTR else { throw failure(path) }
        continue
      }
      position += count
    }
  }

  private static func failure(_ path: String) -> VaultError {
    VaultError(.inputOutput, "write \(path)", underlying: .errno(errno))
  }
}
