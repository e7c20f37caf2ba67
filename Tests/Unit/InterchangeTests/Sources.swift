import VaultModel

@testable import Interchange

extension ByteSource {
  /// Creates a source of a test's bytes, which it gives in pieces of at most `piece` bytes.
  convenience init(_ bytes: [UInt8], piece: Int = 1 << 16) {
    var rest = bytes[...]
    unsafe self.init { (memory) throws(VaultError) in
      let next = rest.prefix(min(piece, memory.count))
      rest = rest.dropFirst(next.count)
      // As many bytes as there is memory for, or fewer.
      unsafe memory.copyBytes(from: next)
      return next.count
    }
  }
}
