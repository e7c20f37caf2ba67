import CVaultSodium

/// Overwrites the bytes with zeros in a way that the compiler cannot remove.
package func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
  guard let start = bytes.baseAddress else { return }
  // The caller's buffer, exactly.
  unsafe sodium_memzero(start, bytes.count)
}

/// Wipes a block of the C library's heap to its very end, and frees it; does nothing for nil.
package func wipeAndFree(_ block: UnsafeMutableRawPointer?) {
  guard let block = unsafe block else { return }
  // The caller gives up a block that `malloc` gave, which is at least as long as is said here.
  unsafe sodium_memzero(block, malloc_usable_size(block))
  unsafe free(block)
}

/// Moves a block of the C library's heap to a new one of another size, and wipes and frees the old
/// one; nil for no memory, which leaves the old one as it is.
package func reallocateWiping(
  _ block: UnsafeMutableRawPointer?, to count: Int
) -> UnsafeMutableRawPointer? {
  guard let new = unsafe calloc(1, max(count, 1)) else { return nil }
  guard let block = unsafe block else { return unsafe new }
  // The caller gives up a block that `malloc` gave; no more is copied than both have.
  unsafe new.copyMemory(from: block, byteCount: min(count, malloc_usable_size(block)))
  unsafe wipeAndFree(block)
  return unsafe new
}

/// Returns whether the bytes are equal, in a time that depends only on their count.
///
/// It returns false at once if the lengths differ.
package func constantTimeEqual(_ a: RawSpan, _ b: RawSpan) -> Bool {
  guard a.byteCount == b.byteCount else { return false }
  // Both are `byteCount` bytes long; two empty ones need no address.
  return unsafe a.withUnsafeBytes { a in
    unsafe b.withUnsafeBytes { b in
      guard let x = a.baseAddress, let y = b.baseAddress else { return true }
      return unsafe sodium_memcmp(x, y, a.count) == 0
    }
  }
}

/// Overwrites 64 KiB of the unused stack below the caller, where returned calls left copies.
package func wipeStack() {
  sodium_stackzero(64 * 1024)
}

/// Lets libsodium choose its implementations for this processor; takes effect once.
///
/// Call this before any primitive of libsodium; later calls cost a memory read.
package func initializeSodium() {
  precondition(sodiumResult >= 0, "libsodium cannot be initialized")
}

/// 0 or 1 (initialized before); −1 if the kernel has no random numbers.
private let sodiumResult = sodium_init()
