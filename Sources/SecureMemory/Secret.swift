import CVaultSodium

/// Secret bytes, such as a password or a token, in memory of their own that is wiped at the end.
///
/// The memory is between guard pages, is kept out of core dumps, and is locked against swapping as
/// far as the system allows. It is overwritten with zeros when the last
/// reference is released. A forked child has a copy, which is wiped like its parent's but is not
/// locked.
///
/// A secret has no description, no equality and no encoding, so that it is not printed, compared or
/// stored by mistake; dumping it shows nothing.
///
/// Like any allocation in Swift, creating a secret ends the process when there is no memory.
public final class Secret: Sendable {
  private let block: Block

  /// Creates a secret by copying bytes, which the caller must wipe.
  ///
  /// - Parameter bytes: Any bytes, even none; use `span` for those of an array.
  public convenience init(copying bytes: Span<UInt8>) {
    // A view of bytes: every bit pattern of a byte is valid as a raw one.
    unsafe self.init(copying: bytes.bytes)
  }

  /// Creates a secret by copying raw bytes, which the caller must wipe.
  package init(copying bytes: RawSpan) {
    // `memory` is as long as `bytes` and new.
    block = unsafe Block(count: bytes.byteCount, in: .secrets) { memory in
      unsafe bytes.withUnsafeBytes { unsafe memory.copyMemory(from: $0) }
    }
  }

  /// Creates a secret from the UTF-8 form of a text.
  ///
  /// The text itself cannot be wiped: copies of it may stay in memory for any time. If a secret can
  /// be read as bytes, prefer ``init(copying:)``.
  public convenience init(_ text: String) {
    // A view of bytes: every bit pattern of UTF-8 is valid as raw bytes.
    unsafe self.init(copying: text.utf8.span.bytes)
  }

  /// Creates a secret that `body` writes in place: it gets `count` zero bytes, which are wiped if
  /// it throws.
  ///
  /// - Parameters:
  ///   - count: The length in bytes.
  ///   - body: Writes the bytes, whose address is valid until it returns.
  /// - Throws: The error of `body`.
  public init<E: Error>(
    count: Int, initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    block = try unsafe Block(count: count, in: .secrets, initializingWith: body)
  }

  /// Creates a secret of random bytes from the kernel's generator.
  ///
  /// - Parameter count: The length in bytes.
  public convenience init(random count: Int) {
    initializeSodium()
    // `memory` is `count` bytes long.
    unsafe self.init(count: count) { memory in
      guard let start = memory.baseAddress else { return }
      unsafe randombytes_buf(start, memory.count)
    }
  }

  /// The number of bytes.
  public var count: Int { block.count }

  /// Calls `body` with the bytes, which are only valid until it returns.
  ///
  /// Bytes that `body` copies are no longer protected.
  ///
  /// - Parameter body: Receives ``count`` bytes.
  /// - Returns: The result of `body`.
  /// - Throws: The error of `body`.
  public func withBytes<R: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> R
  ) throws(E) -> R {
    // The span cannot leave `body`, and the block is borrowed meanwhile.
    try unsafe block.withUnsafeBytes { (memory) throws(E) in
      try unsafe body(Span(_unsafeElements: memory.assumingMemoryBound(to: UInt8.self)))
    }
  }

  /// Calls `body` with the raw bytes, which are only valid until it returns.
  package func withRawBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    try block.withRawBytes(body)
  }

  /// Returns whether both secrets have the same bytes.
  ///
  /// The time taken reveals whether the lengths are equal, but nothing about the bytes.
  ///
  /// - Parameter other: The secret to compare with.
  /// - Returns: True if length and bytes are equal.
  public func isEqual(to other: Secret) -> Bool {
    withRawBytes { mine in other.withRawBytes { theirs in constantTimeEqual(mine, theirs) } }
  }
}

extension Secret: CustomReflectable {
  /// A mirror without children, so that dumping a value that holds a secret shows nothing of it.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

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

extension Secret {
  /// Copies the first bytes into a secret of their own.
  ///
  /// - Parameter count: Their number, at most ``count``.
  /// - Returns: The secret.
  package func prefix(_ count: Int) -> Secret {
    withRawBytes { bytes in Secret(copying: bytes.extracting(first: count)) }
  }
}
