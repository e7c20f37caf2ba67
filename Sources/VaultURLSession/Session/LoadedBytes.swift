import Foundation
import VaultTransport

/// The bytes of a response as they arrive; they can be read once.
public struct LoadedBytes: AsyncSequence, Sendable {
  /// One byte.
  public typealias Element = UInt8
  /// The errors are those of ``AuthenticatedSession``.
  public typealias Failure = any Error

  private let reader: AsyncIterator

  /// Creates the bytes of a body that arrives from a URL.
  init(_ body: ResponseBody, of url: URL?) {
    reader = AsyncIterator(rest: body.makeAsyncIterator(), url: url)
  }

  /// Creates the bytes of a body that has been loaded.
  init(_ data: Data) {
    reader = AsyncIterator(rest: nil, url: nil, piece: Array(data))
  }

  /// The reader of bytes.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    /// The bytes still to arrive; nil if there are none.
    fileprivate var rest: ResponseBody.AsyncIterator?
    fileprivate let url: URL?
    fileprivate var piece: [UInt8] = []
    private var position = 0

    fileprivate init(rest: ResponseBody.AsyncIterator?, url: URL?, piece: [UInt8] = []) {
      (self.rest, self.url, self.piece) = (rest, url, piece)
    }

    /// Returns the next byte, or nil at the end.
    ///
    /// - Throws: The errors of ``AuthenticatedSession``.
    public mutating func next() async throws -> UInt8? {
      guard position == piece.count else {
        defer { position += 1 }
        return piece[position]
      }
      guard let next = try await nextPiece() else { return nil }
      (piece, position) = (next, 1)
      return next.first
    }

    /// Returns the bytes that are there, at least one, or nil at the end; for long bodies.
    ///
    /// - Throws: The errors of ``AuthenticatedSession``.
    public mutating func nextPiece() async throws -> [UInt8]? {
      if position < piece.count {
        defer { position = piece.count }
        return Array(piece[position...])
      }
      do {
        return try await rest?.next()
      } catch {
        throw URLError.translating(error, of: url)
      }
    }
  }

  /// Returns a reader; all readers take from one transfer.
  public func makeAsyncIterator() -> AsyncIterator { reader }
}
