import Glibc
import SecureMemory
import VaultModel

/// The body of one attempt, as libcurl reads it: from the loop's thread, and from its beginning
/// again if a connection breaks.
protocol UploadSource: AnyObject, Sendable {
  /// The length in bytes; nil if it is unknown.
  var length: Int64? { get }
  /// The error for which it failed.
  var error: (any Error)? { get }

  /// Writes the next bytes.
  func read(into buffer: UnsafeMutableRawBufferPointer, for transfer: Transfer) -> UploadPiece
  /// Goes back to the beginning.
  func rewind()
  /// Ends what still makes pieces.
  func stop()
}

/// The next part of a body to send.
enum UploadPiece {
  /// This many bytes were written; 0 at the end.
  case bytes(Int)
  /// There will be more: the transfer is resumed then.
  case later
  case failed
}

/// A body in memory.
// Proof: the position is touched by the loop's thread alone.
final class BytesSource: UploadSource, @unchecked Sendable {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  var length: Int64? { Int64(bytes.count) }
  var error: (any Error)? { nil }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, for transfer: Transfer
  ) -> UploadPiece {
    let count = min(buffer.count, bytes.count - position)
    // No more than both have.
    unsafe buffer.copyBytes(from: bytes[position..<position + count])
    position += count
    return .bytes(count)
  }

  func rewind() { position = 0 }

  func stop() {}
}

/// A body in a regular file.
// Proof: the position and the error are touched by the loop's thread alone, and the error is read
// after it has ended the transfer.
final class FileSource: UploadSource, @unchecked Sendable {
  private let descriptor: Int32
  private let count: Int64
  private var position: Int64 = 0
  private var failure: VaultError?

  /// Opens the file.
  ///
  /// - Throws: ``VaultError/Code/missingInput`` if it cannot be opened;
  ///   ``VaultError/Code/invalidArgument`` if it is no regular file.
  init(path: String) throws(VaultError) {
    // A C string for the call.
    descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw VaultError(.missingInput, "open \(path)", underlying: .errno(errno))
    }
    var status = stat()
    // A struct of ours.
    let result = unsafe fstat(descriptor, &status)
    count = Int64(status.st_size)
    guard result == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw VaultError(.invalidArgument, "\(path): not a regular file")
    }
  }

  deinit { close(descriptor) }

  var length: Int64? { count }
  var error: (any Error)? { failure }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, for transfer: Transfer
  ) -> UploadPiece {
    let most = min(Int64(buffer.count), count - position)
    guard most > 0 else { return .bytes(0) }
    // The buffer has at least as many bytes.
    let read = unsafe pread(descriptor, buffer.baseAddress, Int(most), off_t(position))
    guard read > 0 else {
      failure = VaultError(
        .inputOutput, read == 0 ? "the body's file has become shorter" : "read the body's file",
        underlying: read == 0 ? nil : .errno(errno))
      return .failed
    }
    position += Int64(read)
    return .bytes(read)
  }

  func rewind() { position = 0 }

  func stop() {}
}
