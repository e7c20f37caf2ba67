import Foundation
import VaultTransport

/// A stream that is read piece by piece, on a thread that may wait for its writer.
// Proof: one read follows the other.
final class StreamReader: @unchecked Sendable {
  private let stream: InputStream
  private static let pieceSize = 1 << 16

  init(_ stream: InputStream) {
    self.stream = stream
  }

  deinit { stream.close() }

  /// The pieces of the stream, from where it is.
  var pieces: TransportBody.BodyPieces { AsyncThrowingStream { try await self.next() } }

  /// Returns the next piece, nil at the end.
  func next() async throws -> [UInt8]? {
    try await OwnThread.run { try self.read() }
  }

  private func read() throws -> [UInt8]? {
    if stream.streamStatus == .notOpen { stream.open() }
    var buffer = [UInt8](repeating: 0, count: Self.pieceSize)
    // The stream writes at most as many bytes as it is told that there are.
    let count = unsafe stream.read(&buffer, maxLength: buffer.count)
    guard count >= 0 else { throw stream.streamError ?? URLError(.cannotOpenFile) }
    return count == 0 ? nil : Array(buffer.prefix(count))
  }
}
