import Interchange
import SecureMemory
import VaultModel
import VaultTerminal

/// Input that is no file: a pipe, or a device.
///
/// It is read to its end before the vault is locked, because its writer may pause for any time, and
/// no other program could change the vault meanwhile.
enum PipedInput {
  /// The most bytes that are kept: half a million entries.
  static let limit = 64 << 20
  private static let pieceSize = 1 << 20

  /// Returns the bytes, in guarded memory, and their number.
  ///
  /// - Throws: ``VaultError/Code/tooLarge`` beyond the limit; any error of
  ///   ``Descriptor/read(into:from:until:)``.
  static func read(
    _ descriptor: Int32
  ) throws(VaultError) -> (bytes: ByteSource, count: Int) {
    var pieces: [Secret] = []
    var count = 0
    while true {
      var filled = 0
      let piece = try unsafe Secret(count: pieceSize) { (memory) throws(VaultError) in
        filled = try unsafe Descriptor.read(into: memory, from: descriptor)
      }
      count += filled
      guard count <= limit else {
        throw VaultError(
          .tooLarge, "more than \(limit >> 20) MiB come from a pipe: import them from a file")
      }
      pieces.append(filled == pieceSize ? piece : piece.prefix(filled))
      if filled < pieceSize { return (ByteSource(pieces), count) }
    }
  }
}
