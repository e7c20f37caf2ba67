import VaultModel

/// The body of a response, in pieces as they arrive.
///
/// It is read once: all of its iterators take from the same transfer, which ends with
/// ``VaultModel/VaultError/Code/interrupted`` if the body is released before its end.
public struct ResponseBody: AsyncSequence, Sendable {
  /// A piece: at least one byte, and at most what is buffered.
  public typealias Element = [UInt8]
  /// The errors of the transfer are those of ``Transport/send(_:)``.
  public typealias Failure = any Error

  /// The reader of a body.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    /// Returns the next piece, or nil at the end.
    ///
    /// - Throws: The errors of ``Transport/send(_:)``.
    public mutating func next() async throws -> [UInt8]? {
      throw VaultError(.unsupported, "transport: not yet")
    }
  }

  /// Returns a reader, which continues where the last one stopped.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator() }

  /// Reads the rest into memory.
  ///
  /// - Parameter limit: The length in bytes that is accepted.
  /// - Throws: ``VaultModel/VaultError/Code/tooLarge`` for a longer one; else as
  ///   ``Transport/send(_:)``.
  public func collect(upTo limit: Int = .max) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await piece in self {
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
  ///   ``VaultModel/VaultError/Code/inputOutput``; else as ``Transport/send(_:)``.
  public func write(toNewFile path: String) async throws {
    throw VaultError(.unsupported, "transport: not yet")
  }
}
