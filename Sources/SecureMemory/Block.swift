/// One block of an arena with one owner: filled once, read by closure, wiped at the end.
///
/// `@safe`: the pointer is to at least `count` bytes that belong to this value until its `deinit`.
// The bytes are written in `init`, before anyone else has the value, and in `deinit`, after.
@safe struct Block: ~Copyable, @unchecked Sendable {
  let count: Int
  private let start: UnsafeMutableRawPointer
  private let arena: Arena

  /// Creates a block whose `count` zeroed bytes `body` fills; wipes and frees them if it throws.
  init<E: Error>(
    count: Int, in arena: Arena,
    initializingWith body: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    precondition(count >= 0, "the count of bytes is negative")
    // The arena hands out `count` bytes, and they are this block's alone.
    let start = unsafe arena.allocate(count)
    do throws(E) {
      try unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count))
    } catch {
      unsafe arena.free(start, count: count)
      throw error
    }
    self.count = count
    unsafe self.start = start
    self.arena = arena
  }

  deinit {
    // The block was this value's alone, and nobody can borrow it any more.
    unsafe arena.free(start, count: count)
  }

  borrowing func withRawBytes<R: ~Copyable, E: Error>(
    _ body: (RawSpan) throws(E) -> R
  ) throws(E) -> R {
    // The span cannot leave `body`, and the block is borrowed meanwhile.
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count).bytes)
  }

  borrowing func withUnsafeBytes<R: ~Copyable, E: Error>(
    _ body: (UnsafeRawBufferPointer) throws(E) -> R
  ) throws(E) -> R {
    // Initialized bytes of a block that is borrowed meanwhile; `body` must not keep the pointer.
    try unsafe body(UnsafeRawBufferPointer(start: start, count: count))
  }
}
