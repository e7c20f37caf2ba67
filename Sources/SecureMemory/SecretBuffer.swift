/// Secret bytes that are collected piece by piece, in guarded memory that grows and is wiped at the
/// end.
///
/// Parsers of files that hold passwords read into it. ``removeAll()`` keeps the memory, so that one
/// buffer serves all records of a file.
///
/// Like any allocation in Swift, growing ends the process when there is no memory: set a limit.
package struct SecretBuffer: ~Copyable {
  private var block: Block
  /// The number of bytes.
  package private(set) var count = 0

  /// Creates an empty buffer with room for `capacity` bytes.
  package init(capacity: Int = 1024) {
    // The block is zeroed; nothing has to be written.
    block = unsafe Block(count: max(capacity, 1), in: .secrets) { _ in }
  }

  package var isEmpty: Bool { count == 0 }

  /// The byte at an index below ``count``.
  package subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < count, "the index is beyond the bytes")
    // The index is below the block's count.
    return unsafe block.withUnsafeBytes { unsafe $0[index] }
  }

  /// Adds a byte.
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    let index = count
    // There is room for one byte more.
    unsafe block.withUnsafeMutableBytes { unsafe $0[index] = byte }
    count += 1
  }

  /// Adds a copy of bytes, which the caller must wipe.
  package mutating func append(_ bytes: RawSpan) {
    reserve(bytes.byteCount)
    let start = count
    // There is room for as many bytes, and they are in memory of another owner.
    unsafe block.withUnsafeMutableBytes { target in
      unsafe bytes.withUnsafeBytes { source in
        unsafe UnsafeMutableRawBufferPointer(rebasing: target[start...]).copyMemory(from: source)
      }
    }
    count += bytes.byteCount
  }

  /// Adds up to `most` bytes that `body` writes; it gets zeroed or earlier bytes, and returns how
  /// many it wrote.
  package mutating func append<E: Error>(
    upTo most: Int, writingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) {
    reserve(most)
    let start = count
    // The range is within the block, which was given room for it.
    count += try unsafe block.withUnsafeMutableBytes { (target) throws(E) -> Int in
      let written = try unsafe body(
        UnsafeMutableRawBufferPointer(rebasing: target[start..<(start + most)]))
      precondition(written >= 0 && written <= most, "more was written than there is room for")
      return written
    }
  }

  /// Drops the first bytes and moves the rest to the start.
  package mutating func removeFirst(_ number: Int) {
    precondition(number >= 0 && number <= count, "more bytes are removed than there are")
    let rest = count - number
    // Both ranges are within the block; `copyMemory` allows them to overlap.
    unsafe block.withUnsafeMutableBytes { memory in
      let moved = unsafe UnsafeRawBufferPointer(rebasing: memory[number..<(number + rest)])
      unsafe memory.copyMemory(from: moved)
    }
    count = rest
  }

  /// Forgets the bytes, which stay in guarded memory until they are overwritten or wiped at the
  /// end.
  package mutating func removeAll() { count = 0 }

  /// Drops bytes from the end, so that `number` remain.
  package mutating func truncate(to number: Int) {
    precondition(number >= 0 && number <= count, "more bytes remain than there are")
    count = number
  }

  /// Calls `body` with the bytes, which are only valid until it returns.
  package func withRawBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    let count = count
    return try block.withRawBytes { (bytes) throws(E) in
      try body(bytes.extracting(first: count))
    }
  }

  /// Returns a range of the bytes as a secret of its own.
  package func secret(_ range: Range<Int>) -> Secret {
    withRawBytes { Secret(copying: $0.extracting(range)) }
  }

  /// Returns a range of the bytes as text in ordinary memory, which is never wiped; nil if it is
  /// not UTF-8.
  package func text(_ range: Range<Int>) -> String? {
    withRawBytes { bytes in
      // The slice is within the bytes, which are valid inside the closure and copied.
      unsafe bytes.extracting(range).withUnsafeBytes {
        unsafe String(validating: $0, as: UTF8.self)
      }
    }
  }

  private mutating func reserve(_ more: Int) {
    let needed = count + more
    guard needed > block.count else { return }
    let used = count
    // The new block is longer than the bytes that are copied to its start.
    let longer = unsafe Block(count: max(needed, 2 * block.count), in: .secrets) { memory in
      unsafe block.withUnsafeBytes { bytes in
        unsafe memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<used]))
      }
    }
    block = longer
  }
}
