import CSodium

/// The bytes of a key, with one owner, wiped at the end; a forked child sees zeros.
///
/// Like any allocation in Swift, making one ends the process when there is no memory.
package struct KeyBuffer: ~Copyable, Sendable {
  private let block: Block

  /// Creates a key that `body` writes in place: it gets `count` zero bytes, which are wiped if it
  /// throws.
  package init<E: Error>(
    count: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    block = try unsafe Block(count: count, in: .keys, initializingWith: body)
  }

  /// Creates a key of random bytes from the kernel's generator.
  package init(random count: Int) {
    initializeSodium()
    // `memory` is `count` bytes long.
    block = unsafe Block(count: count, in: .keys) { memory in
      guard let start = memory.baseAddress else { return }
      unsafe randombytes_buf(start, memory.count)
    }
  }

  package var count: Int { block.count }

  /// Calls `body` with the key, which is only valid until it returns.
  package borrowing func withRawBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try block.withRawBytes(body)
  }

  /// Calls `body` with the key's memory, for C; the address is never nil, even for an empty key.
  package borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    try unsafe block.withUnsafeBytes(body)
  }
}
